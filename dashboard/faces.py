"""Card faces: one SVG symbol a card, drawn here from rank and suit, so that no picture file and no font is needed.

A page puts `sprite(cards)` once near its top and then shows a card with `<use href="#c-JH">`. Colours come from the style
sheet (classes `f-H` fill, `k-H` stroke …): hearts and diamonds are two warm colours, spades and clubs two cold ones, so that
four suits can be told apart and the colour that makes a left bower can still be seen.
"""

from collections.abc import Iterable
from functools import cache

from markupsafe import Markup

SUITS = "CDHS"
RANKS = "789TJQKA"
SUIT_NAMES = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
RANK_NAMES = {
    "7": "seven",
    "8": "eight",
    "9": "nine",
    "T": "ten",
    "J": "jack",
    "Q": "queen",
    "K": "king",
    "A": "ace",
}
JOKER = "XX"
BACK = "back"
"""The name of the back, where a card is wanted."""

SUIT_PATHS = {
    "C": '<circle cx="10" cy="5.4" r="4.2"/><circle cx="5.2" cy="11.6" r="4.2"/><circle cx="14.8" cy="11.6" r="4.2"/>'
    '<path d="M8 8h4l-.9 3.2c.1 3.6.8 5.9 2.5 7.9H6.4c1.7-2 2.4-4.3 2.5-7.9z"/>',
    "D": '<path d="M10 .8C11.6 4 14 7 17.2 10 14 13 11.6 16 10 19.2 8.4 16 6 13 2.8 10 6 7 8.4 4 10 .8z"/>',
    "H": '<path d="M10 18.6C4.3 13.3 1.2 9.9 1.2 6.2A4.5 4.5 0 0 1 10 4.7a4.5 4.5 0 0 1 8.8 1.5C18.8 9.9 15.7 13.3 10 18.6z"/>',
    "S": '<path d="M10 1C12.5 5 18.7 8.4 18.7 12.5A4 4 0 0 1 11.3 14.8c.1 1.9.8 3.2 2 4.3H6.7c1.2-1.1 1.9-2.4 2-4.3'
    'A4 4 0 0 1 1.3 12.5C1.3 8.4 7.5 5 10 1z"/>',
}

PIPS: dict[str, tuple[tuple[float, float], ...]] = {
    "7": ((21, 20), (39, 20), (30, 31), (21, 42), (39, 42), (21, 64), (39, 64)),
    "8": ((21, 20), (39, 20), (30, 31), (21, 42), (39, 42), (30, 53), (21, 64), (39, 64)),
    "9": ((21, 19), (39, 19), (21, 34.3), (39, 34.3), (30, 42), (21, 49.7), (39, 49.7), (21, 65), (39, 65)),
    "T": (
        (21, 19),
        (39, 19),
        (30, 26.6),
        (21, 34.3),
        (39, 34.3),
        (21, 49.7),
        (39, 49.7),
        (30, 57.4),
        (21, 65),
        (39, 65),
    ),
}

# The upper half of each court card, 60 x 84 in all; the lower half is the same, turned round. {s} is the suit.
ROBE = '<path class="f-{s}" d="M16 42c0-6 5-9.5 14-9.5S44 36 44 42z"/><path class="gold" d="M25.5 32.7 30 38.5l4.5-5.8z"/>'
HEAD = (
    '<ellipse class="skin" cx="30" cy="26.5" rx="4.8" ry="5.9"/><circle class="f-{s}" cx="28.2" cy="25.8" r=".7"/>'
    '<circle class="f-{s}" cx="31.8" cy="25.8" r=".7"/>'
)
COURTS = {
    "K": '<path class="hair" d="M24.6 22c-1.2 8 1 11.5 5.4 12.7 4.4-1.2 6.6-4.7 5.4-12.7z"/>'
    + HEAD
    + '<path class="hair" d="M25.2 27.5c.4 3.7 2 5.9 4.8 6.7 2.8-.8 4.4-3 4.8-6.7-2 2.2-7.6 2.2-9.6 0z"/>'
    '<path class="gold" d="M24.2 21.8 22.8 14.5l4.2 3.3 3-4.6 3 4.6 4.2-3.3-1.4 7.3z"/>',
    "Q": '<path class="hair" d="M24.5 21c-2.3 4-2.3 10-.2 13.5h11.4c2.1-3.5 2.1-9.5-.2-13.5z"/>'
    + HEAD
    + '<path class="gold" d="M24.3 21.5 23.4 17.5c2.7.8 5-.3 6.6-2.8 1.6 2.5 3.9 3.6 6.6 2.8l-.9 4z"/>'
    '<circle class="gold" cx="30" cy="14" r="1.5"/><circle class="gold" cx="23.2" cy="16.4" r="1.1"/>'
    '<circle class="gold" cx="36.8" cy="16.4" r="1.1"/>',
    "J": '<path class="hair" d="M24.7 21.5c-1.5 3.5-1.3 7.5.2 10.2h10.2c1.5-2.7 1.7-6.7.2-10.2z"/>'
    + HEAD
    + '<path class="f-{s}" d="M23.3 21.8c-.6-5.3 5.4-7.8 13.4-4.3l-.2 4.3z"/>'
    '<path class="plume" d="M35 18c2.5-1 5-2.8 6.3-5-.3 3.8-2 6.6-5.3 7.6z"/>',
}


def name(card: str) -> str:
    """Say a card's text ("JC", "XX") in words ("jack of clubs", "joker").

    Raises:
        KeyError: the text names no card.
    """
    if card == JOKER:
        return "joker"
    return f"{RANK_NAMES[card[0]]} of {SUIT_NAMES[card[1]]}"


def _pip(suit: str, x: float, y: float, size: float) -> str:
    turned = f' transform="rotate(180 {x:g} {y:g})"' if y > 42 else ""
    corner = f'x="{x - size / 2:g}" y="{y - size / 2:g}" width="{size:g}" height="{size:g}"'
    return f'<use href="#suit-{suit}" class="f-{suit}" {corner}{turned}/>'


def _index(rank: str, suit: str) -> str:
    text = "10" if rank == "T" else rank
    narrow = ' textLength="11" lengthAdjust="spacingAndGlyphs"' if rank == "T" else ""
    corner = (
        f'<text class="f-{suit}" x="8" y="15" text-anchor="middle"{narrow}>{text}</text>'
        f'<use href="#suit-{suit}" class="f-{suit}" x="4" y="18" width="8" height="8"/>'
    )
    return corner + f'<g transform="rotate(180 30 42)">{corner}</g>'


def _court(rank: str, suit: str) -> str:
    half = (COURTS[rank] + ROBE if rank == "J" else ROBE + COURTS[rank]).replace("{s}", suit)
    half += f'<use href="#suit-{suit}" class="f-{suit}" x="16.5" y="14" width="6" height="6"/>'
    frame = f'<rect class="court k-{suit}" x="15" y="12" width="30" height="60" rx="2"/>'
    rule = f'<path class="k-{suit}" d="M15 42h30"/>'
    return f'{frame}{half}<g transform="rotate(180 30 42)">{half}</g>{rule}'


def _middle(rank: str, suit: str) -> str:
    if rank in COURTS:
        return _court(rank, suit)
    if rank == "A":
        return _pip(suit, 30, 42, 26)
    return "".join(_pip(suit, x, y, 10.5) for x, y in PIPS[rank])


def _joker() -> str:
    letters = "".join(f'<tspan x="8" dy="9.5">{letter}</tspan>' for letter in "JOKER")
    side = f'<text class="joker" y="8" text-anchor="middle">{letters}</text>'
    cap = (
        '<path class="f-H" d="M30 46C20 46 17 38 14.5 33c5 .5 8 2 9.5 5 .5-7 3-11 6-14z"/>'
        '<path class="f-C" d="M30 46c10 0 13-8 15.5-13-5 .5-8 2-9.5 5-.5-7-3-11-6-14z"/>'
        '<circle class="gold" cx="14.5" cy="33" r="2.5"/><circle class="gold" cx="45.5" cy="33" r="2.5"/>'
        '<circle class="gold" cx="30" cy="23" r="2.5"/><rect class="gold" x="20" y="45" width="20" height="4" rx="2"/>'
        '<ellipse class="skin" cx="30" cy="55" rx="6.5" ry="6.5"/><path class="k-S" d="M26.5 57q3.5 3.5 7 0"/>'
        '<circle class="f-S" cx="27.7" cy="53.5" r=".9"/><circle class="f-S" cx="32.3" cy="53.5" r=".9"/>'
    )
    return f'{side}<g transform="rotate(180 30 42)">{side}</g>{cap}'


def _back() -> str:
    """A lattice with a spade in its middle, alike from both ends."""
    slopes = range(-72, 61, 8)
    falling = "".join(f"M{5 + max(x, 0)} {6 + max(-x, 0)}L{5 + min(50, 72 + x)} {6 + min(72, 50 - x)}" for x in slopes if x < 50)
    rising = "".join(f"M{5 + max(x, 0)} {78 - max(-x, 0)}L{5 + min(50, 72 + x)} {78 - min(72, 50 - x)}" for x in slopes if x < 50)
    half = '<use href="#suit-S" class="gold" x="26" y="31" width="8" height="8"/>'
    return (
        '<rect class="face" x=".75" y=".75" width="58.5" height="82.5" rx="6"/>'
        '<rect class="back" x="5" y="6" width="50" height="72" rx="3"/>'
        f'<path class="lattice" d="{falling}{rising}"/><ellipse class="back boss" cx="30" cy="42" rx="11" ry="15"/>'
        f'{half}<g transform="rotate(180 30 42)">{half}</g>'
    )


@cache
def symbol(card: str) -> str:
    """Draw one card, or the back, as an SVG symbol `c-CARD`, 60 x 84.

    Raises:
        KeyError: the text names no card.
    """
    if card == BACK:
        return f'<symbol id="c-back" viewBox="0 0 60 84">{_back()}</symbol>'
    drawn = _joker() if card == JOKER else _index(card[0], card[1]) + _middle(card[0], card[1])
    face = '<rect class="face" x=".75" y=".75" width="58.5" height="82.5" rx="6"/>'
    return f'<symbol id="c-{card}" viewBox="0 0 60 84">{face}{drawn}</symbol>'


@cache
def suit_symbols() -> Markup:
    """Draw the four suit signs as symbols `suit-C` … `suit-S`, 20 x 20."""
    drawn = (f'<symbol id="suit-{suit}" viewBox="0 0 20 20">{SUIT_PATHS[suit]}</symbol>' for suit in SUITS)
    return Markup("".join(drawn))  # noqa: S704 (constants of this module only)


def sprite(cards: Iterable[str]) -> Markup:
    """Draw each card of `cards` (texts such as "JC") once, in a fixed order.

    Raises:
        KeyError: a text names no card.
    """
    return Markup("".join(symbol(card) for card in sorted(set(cards))))  # noqa: S704 (constants of this module only)
