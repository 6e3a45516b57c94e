"""Tests of the rules, with the helpers that set up positions."""
