"""The league: bots, schedule, ratings and the store of results. Knows neither referee nor web."""

import os

# Read by numpy when it is loaded: the fits are of small matrices, for which threads cost far more than they bring.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
