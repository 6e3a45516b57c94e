"""Many guessed worlds side by side, as arrays: what `monte_carlo` plays out.

The modules, from the bottom: `layout` (hands as masks), `tricks` (the play), `scores` (what tricks are worth), `holdings` (what
hands are good for), `bidder` (what a sound bidder would call), `worlds` (guesses that fit what was seen), `plausible` (how well
they fit what was said), `contract` with `turned` and `bids` (from an auction to the play), `decision` (all for one question).
"""
