"""A bot that qualifies: it plays the first legal choice."""

from arena import Answer, Bot, View, run


class First(Bot):
    def choose(self, view: View) -> Answer:
        return view.legal[0]


run(First())
