"""Tests of bots, leagues, schedule, store, ratings and exports."""
