"""A bot that ends in an error when it is started."""

import sys

sys.exit("no such file: weights.bin")
