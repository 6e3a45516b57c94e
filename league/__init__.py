"""Bots, leagues, schedule, results, ratings: everything about a tournament but the playing of its games."""
