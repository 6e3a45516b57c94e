"""How things look in the JSON: typed shapes, filled field by field, so that nothing internal slips out.

The document at /api/v1/openapi.json is made from the same types, so that it says what is sent. Times are ISO 8601 in UTC,
times of decisions microseconds. Points, places, faults and forfeits of a game are by line-up index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from flask import url_for
from msgspec import Meta, Struct

from dashboard.data import seating_text
from dashboard.filters import LeagueState, iso, state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard import games as played
    from dashboard import replay, summary, tables
    from league import adjusted, estimates, model
    from league import standings as tabled

Value = bool | int | str | list[int]
"""An option of a variant."""
Time = Annotated[str, Meta(description="ISO 8601 in UTC", examples=["2026-03-01T18:30:00+00:00"])]
MatchState = Literal["waiting", "running", "complete", "dropped"]
Address = Annotated[str, Meta(description="Address of more, on this host")]
Next = Annotated[str | None, Meta(description="Address of the next page; null on the last one")]
Hex = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="32 bytes in hexadecimal")]
Cards = Annotated[list[str], Meta(description="Cards: rank and suit, such as JC; the joker is XX")]


class Bot(Struct, kw_only=True):
    """A version of a bot: never its command, folder or tokens."""

    bot: str
    version: int
    remote: bool


class Estimate(Struct, kw_only=True):
    """A value with its 95 % limits, which are null together where the games allow none."""

    value: float
    low: float | None
    high: float | None


class Count(Struct, kw_only=True):
    """How many of how many."""

    total: int
    done: int


class Matches(Struct, kw_only=True):
    """Matches by state; those not planned out yet are in the total alone."""

    total: int
    complete: int
    running: int
    waiting: int


class VariantProgress(Struct, kw_only=True):
    """How far one variant of a league has come."""

    variant: str
    matches: Matches
    games: Count
    sets: Count


class Progress(Struct, kw_only=True):
    """How far a league has come."""

    state: LeagueState
    games: Count
    variants: list[VariantProgress]


class Season(Struct, kw_only=True):
    """Which season of which series."""

    series: str
    number: int | None


class Precision(Struct, kw_only=True):
    """When a pairing is settled."""

    elo: float
    most_sets: int | None


class Variant(Struct, kw_only=True):
    """A variant as a league plays it."""

    variant: str
    rules: str
    format: str
    seats: int
    options: dict[str, Value]


class Member(Bot, kw_only=True):
    """Who plays or has played in a league, under the name that the standings have."""

    name: str
    joined: Time | None
    withdrawn: Time | None


class League(Struct, kw_only=True):
    """A league: its rules, its bots, its progress and its proof."""

    name: str
    created: Time
    season: Season | None
    sets_a_match: int
    precision: Precision | None
    remote_sets: bool
    clock: dict[str, Any]
    variants: list[Variant]
    bots: list[Bot]
    members: list[Member]
    commitment: Hex
    key: Hex | None
    key_revealed: Time | None
    progress: Progress
    url: Address


class Leagues(Struct, kw_only=True):
    """A page of leagues, the newest first."""

    leagues: list[League]
    next: Next


class Row(Struct, kw_only=True):
    """One bot in a table of standings."""

    rank: int | None
    bot: str
    version: int | None
    elo: Estimate | None
    separated_from_above: Annotated[
        bool | None, Meta(description="Whether the interval of the difference to the row above leaves out 0; null for the first")
    ]
    points_a_deal: Estimate | None
    margin_a_deal: Annotated[Estimate | None, Meta(description="Its points less the mean of its opponents'")]
    games: int
    sets: int
    deals: int
    places: Annotated[list[int], Meta(description="places[i]: games that ended in place i + 1")]
    faults: Annotated[dict[str, int], Meta(description="By cause")]
    forfeits: int
    group: Annotated[int | None, Meta(description="Elo of bots of different groups cannot be compared")]


class Standings(Struct, kw_only=True):
    """A page of a table of standings, the best first."""

    league: str
    variant: str | None
    sets: Annotated[int, Meta(description="Complete sets behind it")]
    bots: Annotated[int, Meta(description="Rows of the whole table")]
    rows: list[Row]
    next: Next


class Pair(Struct, kw_only=True):
    """Two bots' games with each other, seen from a."""

    a: str
    b: str
    share: Annotated[Estimate, Meta(description="Of the games in which a placed above b; a shared place is half")]
    margin_a_deal: Estimate | None
    games: int
    sets: int


class Pairs(Struct, kw_only=True):
    """A page of the pairs that have met, each once, in the order of their names."""

    league: str
    variant: str | None
    pairs: list[Pair]
    next: Next


class Match(Struct, kw_only=True):
    """A match without its games."""

    id: str
    league: str
    variant: str
    rules: str
    format: str
    options: dict[str, Value]
    clock: dict[str, Any]
    lineup: list[Bot]
    seatings: Annotated[list[str], Meta(description="Line-up index at each seat, a digit a seat")]
    mode: Literal["duplicate", "single"]
    state: MatchState
    games: Count
    sets: Count
    created: Time
    completed: Time | None
    commitment: Hex
    url: Address


class MatchList(Struct, kw_only=True):
    """A page of matches, in the order of their schedule."""

    matches: list[Match]
    next: Next


class BotSum(Bot, kw_only=True):
    """One bot over the stored games of a match."""

    games: int
    deals: int
    points: int
    places: list[int]
    faults: dict[str, int]
    forfeits: int


class WithoutLuck(Struct, kw_only=True):
    """A figure as it was made, and with the luck of the cards taken off."""

    raw: Estimate
    adjusted: Estimate


class Luck(Struct, kw_only=True):
    """One bot's points a deal without the luck of the cards."""

    bot: str
    points_a_deal: WithoutLuck
    lead_a_deal: Annotated[WithoutLuck, Meta(description="Points a deal above the mean of the others")]


class Times(Struct, kw_only=True):
    """How long decisions took, in microseconds."""

    decisions: int
    median: float
    worst: float
    referee: float | None


class MatchInFull(Match, kw_only=True):
    """A match with its bots' sums."""

    open: Annotated[bool, Meta(description="Whether deals may be seen")]
    bots: list[BotSum]
    luck: Annotated[
        list[Luck] | None,
        Meta(description="In line-up order; null where bots had the same cards, where it narrows nothing, and while sealed"),
    ]
    times_us: Times | None
    sets_url: Address
    attempts_url: Address
    record: Annotated[str | None, Meta(description="Address of the match record; null while the match is sealed")]


class Game(Struct, kw_only=True):
    """A game's result."""

    seating: str
    points: list[int]
    places: list[int]
    deals: int
    end: str
    forfeits: list[int]
    faults: list[dict[str, int]]
    times: dict[str, Any] | None
    url: Annotated[str | None, Meta(description="Address of its deals; null while the match is sealed")]


class Set(Struct, kw_only=True):
    """One set: the same deals in every seating."""

    set: int
    complete: bool
    games: list[Game]
    missing: Annotated[list[str], Meta(description="Seatings still to be played")]


class Sets(Struct, kw_only=True):
    """A page of the sets of a match."""

    match: str
    sets: list[Set]
    next: Next


class Void(Struct, kw_only=True):
    """Games that failed through the arena; they are played again."""

    cause: str
    count: int
    detail: str


class Attempt(Struct, kw_only=True):
    """One attempt at playing a match."""

    worker: str
    started: Time
    ended: Time | None
    games: int
    outcome: str | None
    detail: str
    voids: list[Void]


class Attempts(Struct, kw_only=True):
    """A page of the attempts at a match, the newest first."""

    match: str
    attempts: list[Attempt]
    next: Next


class Seat(Struct, kw_only=True):
    """A chair, and who sits in it."""

    number: int
    bot: str
    version: int
    side: int


class Side(Struct, kw_only=True):
    """Who scores together."""

    number: int
    bot: str
    seats: list[int]
    place: int
    total: int
    forfeited: bool


class Fault(Struct, kw_only=True):
    """The referee stepped in at a move."""

    seat: int
    cause: str
    answer: str | None
    revoke: bool


class DealLine(Struct, kw_only=True):
    """A deal in a line."""

    deal: int
    dealer: int
    maker: int | None
    bid: str | None
    trump: str | None
    alone: list[int]
    tricks: list[int]
    points: list[int]
    total: list[int]
    thrown_in: bool
    faults: list[Fault]
    url: Address


class PlayedGame(Struct, kw_only=True):
    """A game of a complete match."""

    match: str
    set: int
    seating: str
    seats: list[Seat]
    sides: list[Side]
    end: str
    times: dict[str, Any] | None
    deals: Annotated[int, Meta(description="How many; they are numbered from 0")]
    deals_url: Address


class DealLines(Struct, kw_only=True):
    """A page of the deals of a game."""

    match: str
    set: int
    seating: str
    deals: list[DealLine]
    next: Next


class Move(Struct, kw_only=True):
    """A call or a card."""

    move: int
    seat: int
    phase: str
    action: str
    legal: Annotated[list[str], Meta(description="What else could have been done, and this")]
    fault: Fault | None


class Trick(Struct, kw_only=True):
    """One trick, with the hands before it and the tricks by seat after it."""

    trick: int
    leader: int
    winner: int
    plays: list[Move]
    taken: list[int]
    hands: list[Cards]


class Spare(Struct, kw_only=True):
    """The hand that nobody sits behind."""

    name: str
    hand: Cards


class Turned(Struct, kw_only=True):
    """The card turned up, and what became of it."""

    card: str
    fate: str


class Deal(Struct, kw_only=True):
    """One deal from the cards dealt to the points; points and totals by side."""

    match: str
    set: int
    seating: str
    seats: list[Seat]
    deal: int
    dealer: int
    hands: list[Cards]
    spare: Spare | None
    turned: Turned | None
    stock: Cards
    before: Annotated[list[Move], Meta(description="Every move before the play")]
    trump: str | None
    maker: int | None
    bid: str | None
    alone: list[int]
    out: list[int]
    tricks: list[Trick]
    taken: list[int]
    points: list[int]
    penalty: list[int]
    total: list[int]
    thrown_in: bool


# ---- filled ------------------------------------------------------------------------------------------------------------


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else iso(seconds)


def bot(version: model.BotVersion) -> Bot:
    """A bot version."""
    return Bot(bot=version.bot, version=version.version, remote=version.remote)


def progress(league: model.League, found: model.Progress) -> Progress:
    """How far a league has come."""
    return Progress(
        state=state(league, found),
        games=Count(total=found.games_total, done=found.games_done),
        variants=[_variant_progress(entry) for entry in found.variants],
    )


def _variant_progress(entry: model.VariantProgress) -> VariantProgress:
    return VariantProgress(
        variant=entry.label,
        matches=Matches(
            total=entry.matches_total,
            complete=entry.matches_complete,
            running=entry.matches_running,
            waiting=entry.matches_waiting,
        ),
        games=Count(total=entry.games_total, done=entry.games_done),
        sets=Count(total=entry.sets_total, done=entry.sets_done),
    )


def league(found: model.League, done: model.Progress) -> League:
    """A league with its rules, its bots and its proof."""
    return League(
        name=found.name,
        created=iso(found.created_at),
        season=None if found.series is None else Season(series=found.series, number=found.season),
        sets_a_match=found.sets,
        precision=None if found.precision is None else Precision(elo=found.precision, most_sets=found.max_sets),
        remote_sets=found.remote_sets,
        clock=found.clock,
        variants=[_variant(entry) for entry in found.variants],
        bots=[bot(entry) for entry in found.bots],
        members=[member(found, entry) for entry in found.entries],
        commitment=found.commitment,
        key=found.key.hex() if found.key else None,
        key_revealed=_time(found.revealed_at),
        progress=progress(found, done),
        url=url_for("api.league", name=found.name),
    )


def _variant(entry: model.LeagueVariant) -> Variant:
    options: Any = entry.options
    return Variant(variant=entry.label, rules=entry.variant, format=entry.format, seats=entry.seats, options=options)


def member(found: model.League, entry: model.Entry) -> Member:
    """Who plays or has played in a league."""
    return Member(
        name=found.shown(entry.bot),
        bot=entry.bot.bot,
        version=entry.bot.version,
        remote=entry.bot.remote,
        joined=_time(entry.added_at if entry.stage else None),
        withdrawn=_time(entry.withdrawn_at),
    )


def estimate(found: estimates.Estimate) -> Estimate:
    """A value with its 95 % interval."""
    return Estimate(value=found.value, low=found.low, high=found.high)


def _maybe(found: estimates.Estimate | None) -> Estimate | None:
    return None if found is None else estimate(found)


def row(found: tables.Row) -> Row:
    """One bot's line in a table of standings."""
    standing = found.standing
    elo = None if standing.elo is None else Estimate(value=standing.elo, low=standing.elo_low, high=standing.elo_high)
    return Row(
        rank=standing.rank,
        bot=standing.bot,
        version=found.version,
        elo=elo,
        separated_from_above=None if standing.rank in {None, 1} else not found.tied,
        points_a_deal=_maybe(standing.points),
        margin_a_deal=_maybe(standing.margin),
        games=standing.games,
        sets=standing.sets,
        deals=standing.deals,
        places=list(standing.places),
        faults=standing.faults,
        forfeits=standing.forfeits,
        group=standing.group,
    )


def pair(found: tabled.HeadToHead) -> Pair:
    """Two bots' games with each other."""
    return Pair(
        a=found.a,
        b=found.b,
        share=estimate(found.share),
        margin_a_deal=_maybe(found.margin),
        games=found.games,
        sets=found.sets,
    )


def _match(found: model.Match) -> dict[str, Any]:
    return {
        "id": found.id,
        "league": found.league,
        "variant": found.label,
        "rules": found.variant,
        "format": found.format,
        "options": found.options,
        "clock": found.clock,
        "lineup": [bot(entry) for entry in found.lineup],
        "seatings": [seating_text(seating) for seating in found.seatings],
        "mode": found.mode,
        "state": found.state,
        "games": Count(total=found.games_total, done=found.games_done),
        "sets": Count(total=found.sets, done=found.sets_done),
        "created": iso(found.created_at),
        "completed": _time(found.completed_at),
        "commitment": found.commitment,
        "url": url_for("api.match", match_id=found.id),
    }


def match(found: model.Match) -> Match:
    """A match without its games."""
    return Match(**_match(found))


def match_in_full(
    found: model.Match, sums: summary.MatchSummary, opened: bool, luck: Sequence[adjusted.BotLuck] | None
) -> MatchInFull:
    """A match with its bots' sums, and where its sets and attempts are."""
    return MatchInFull(
        **_match(found),
        open=opened,
        bots=[_bot_sum(entry) for entry in sums.bots],
        luck=None if luck is None else [_luck(bot.bot, one) for bot, one in zip(found.lineup, luck, strict=True)],
        times_us=None if sums.times is None else _times(sums.times),
        sets_url=url_for("api.sets", match_id=found.id),
        attempts_url=url_for("api.attempts", match_id=found.id),
        record=url_for("api.record", match_id=found.id) if opened else None,
    )


def _luck(bot: str, found: adjusted.BotLuck) -> Luck:
    return Luck(bot=bot, points_a_deal=_without_luck(found.points), lead_a_deal=_without_luck(found.lead))


def _without_luck(found: adjusted.Adjusted) -> WithoutLuck:
    return WithoutLuck(raw=estimate(found.raw), adjusted=estimate(found.adjusted))


def _times(found: summary.Times) -> Times:
    return Times(decisions=found.decisions, median=found.median, worst=found.worst, referee=found.referee)


def _bot_sum(entry: summary.BotSum) -> BotSum:
    return BotSum(
        bot=entry.bot.bot,
        version=entry.bot.version,
        remote=entry.bot.remote,
        games=entry.games,
        deals=entry.deals,
        points=entry.points,
        places=list(entry.places),
        faults=dict(entry.faults),
        forfeits=entry.forfeits,
    )


def game(found: model.Game, opened: bool) -> Game:
    """A game's result by line-up index; with a link to its deals once they may be seen."""
    text = seating_text(found.seating)
    where = url_for("api.game", match_id=found.match, set_number=found.set, seating=text) if opened else None
    return Game(
        seating=text,
        points=list(found.points),
        places=list(found.places),
        deals=found.deals,
        end=found.end,
        forfeits=list(found.forfeits),
        faults=[dict(causes) for causes in found.faults],
        times=found.times,
        url=where,
    )


def one_set(found: summary.SetRow, opened: bool) -> Set:
    """A set with the games that are in, and the seatings that are not."""
    return Set(
        set=found.number,
        complete=found.complete,
        games=[game(one, opened) for _, one in found.games if one is not None],
        missing=[seating_text(seating) for seating, one in found.games if one is None],
    )


def attempt(found: model.Attempt) -> Attempt:
    """One attempt at a match."""
    return Attempt(
        worker=found.worker,
        started=iso(found.started_at),
        ended=_time(found.ended_at),
        games=found.games,
        outcome=found.outcome,
        detail=found.detail,
        voids=[Void(cause=void.cause, count=void.count, detail=void.detail) for void in found.voids],
    )


def _where(found: played.PlayedGame) -> dict[str, Any]:
    return {"match": found.match.id, "set": found.game.set, "seating": seating_text(found.game.seating)}


def _seats(found: played.PlayedGame) -> list[Seat]:
    return [Seat(number=seat.number, bot=seat.bot, version=seat.version, side=seat.side) for seat in found.seats]


def _side(side: played.Side) -> Side:
    return Side(
        number=side.number,
        bot=side.bot,
        seats=list(side.seats),
        place=side.place,
        total=side.total,
        forfeited=side.forfeited,
    )


def played_game(found: played.PlayedGame) -> PlayedGame:
    """A game of a complete match."""
    where = _where(found)
    return PlayedGame(
        **where,
        seats=_seats(found),
        sides=[_side(side) for side in found.sides],
        end=found.game.end,
        times=found.game.times,
        deals=found.count,
        deals_url=url_for("api.deals", match_id=found.match.id, set_number=found.game.set, seating=where["seating"]),
    )


def _fault(found: replay.Fault) -> Fault:
    return Fault(seat=found.seat, cause=found.cause, answer=found.answer, revoke=found.revoke)


def deal_line(found: played.PlayedGame, entry: replay.Replay) -> DealLine:
    """A deal of a game in a line."""
    where: dict[str, Any] = {
        "match_id": found.match.id,
        "set_number": found.game.set,
        "seating": seating_text(found.game.seating),
    }
    return DealLine(
        deal=entry.number,
        dealer=entry.dealer,
        maker=entry.maker,
        bid=entry.bid,
        trump=entry.trump,
        alone=list(entry.alone),
        tricks=list(entry.taken),
        points=list(entry.points),
        total=list(entry.total),
        thrown_in=entry.thrown_in,
        faults=[_fault(fault) for fault in entry.faults],
        url=url_for("api.deal", **where, number=entry.number),
    )


def _move(move: replay.Move) -> Move:
    return Move(
        move=move.number,
        seat=move.seat,
        phase=move.phase,
        action=move.action,
        legal=list(move.legal),
        fault=None if move.fault is None else _fault(move.fault),
    )


def _trick(trick: replay.Trick) -> Trick:
    return Trick(
        trick=trick.number,
        leader=trick.leader,
        winner=trick.winner,
        plays=[_move(move) for move in trick.plays],
        taken=list(trick.taken),
        hands=[list(hand) for hand in trick.hands],
    )


def deal(game: played.PlayedGame, found: replay.Replay) -> Deal:
    """One deal from the cards dealt to the points."""
    return Deal(
        **_where(game),
        seats=_seats(game),
        deal=found.number,
        dealer=found.dealer,
        hands=[list(hand) for hand in found.hands],
        spare=Spare(name=found.spare, hand=list(found.spare_hand)) if found.spare else None,
        turned=Turned(card=found.turned_card, fate=found.turned) if found.turned_card else None,
        stock=list(found.stock),
        before=[_move(move) for move in found.before],
        trump=found.trump,
        maker=found.maker,
        bid=found.bid,
        alone=list(found.alone),
        out=list(found.out),
        tricks=[_trick(trick) for trick in found.tricks],
        taken=list(found.taken),
        points=list(found.points),
        penalty=list(found.penalty),
        total=list(found.total),
        thrown_in=found.thrown_in,
    )
