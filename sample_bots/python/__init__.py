"""The sample bots in Python, from the weakest to the strongest: random_bot, lowest, greedy, counter, monte_carlo."""
