"""Tests of the arena; `tests.rules` also holds helpers that other tests and commands import."""
