"""Comparisons with programs written by others."""
