"""A bot that answers what is not legal."""

import sys

from arena import Answer, Bot, View, run


class Illegal(Bot):
    def choose(self, view: View) -> Answer:
        print("I play what I like", file=sys.stderr)
        return "XX"


run(Illegal())
