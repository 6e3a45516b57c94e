"""Fuzzing of the referee's streams: random, seeded input against a real referee at which others are playing."""
