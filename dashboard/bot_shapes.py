"""How a bot of a league looks in the JSON: typed as in `dashboard.shapes`, from the same figures as its page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from flask import url_for
from msgspec import Meta, Struct

from dashboard import bots, shapes
from dashboard.filters import iso

if TYPE_CHECKING:
    from dashboard import tables
    from league import model

Rate = Annotated[float | None, Meta(description="Points a deal; null without deals")]


class BotLine(shapes.Member, kw_only=True):
    """A bot of a league, with where its figures are."""

    description: str
    url: shapes.Address


class Bots(Struct, kw_only=True):
    """A page of the bots of a league, in the order in which they joined."""

    league: str
    bots: list[BotLine]
    next: shapes.Next


class VersionLine(Struct, kw_only=True):
    """A version of a bot that may be seen."""

    version: int
    created: shapes.Time
    description: str
    plays_here_as: Annotated[
        str | None, Meta(description="Its name in the standings of this league; null where it has not played")
    ]
    promoted: Annotated[bool, Meta(description="Whether it plays in new leagues")]


class InVariant(Struct, kw_only=True):
    """A bot's line in the standings of one variant, or of all of them."""

    variant: Annotated[str | None, Meta(description="Null for all variants together")]
    sets: Annotated[int, Meta(description="Complete sets behind these standings")]
    row: shapes.Row | None


class Role(Struct, kw_only=True):
    """Deals in one role, and what they brought. Whoever sits in both seats of a team is both of them."""

    deals: int
    points: int
    points_a_deal: Rate


class Roles(Struct, kw_only=True):
    """The deals that were played, by who became the maker, and all by who dealt."""

    maker: Role
    defender: Role
    dealer: Role
    not_dealer: Role


class Tried(Struct, kw_only=True):
    """How often something was tried, and how often it was made."""

    tried: int
    made: int


class Contract(Tried, kw_only=True):
    """Deals as maker by one call."""

    call: Annotated[
        str, Meta(description="The bid, or `order`, `name`: the turned card's suit, or one that was named", examples=["4"])
    ]


class Call(Struct, kw_only=True):
    """A call of the auction, or a swap of hands in it, whether or not it made the bot the maker."""

    call: str
    count: int


class Habits(Struct, kw_only=True):
    """How a bot bids and what comes of it, in the complete matches of one variant."""

    variant: str
    matches: int
    games: int
    deals: int
    thrown_in: int
    points: int
    asked: Annotated[int, Meta(description="Turns in the auction with more than one legal call")]
    spoke: Annotated[int, Meta(description="Those of them in which it did not pass")]
    calls: Annotated[list[Call], Meta(description="The lowest first")]
    contracts: Annotated[list[Contract], Meta(description="The lowest first")]
    moons: Tried
    alone: Tried
    defended_alone: Annotated[Tried, Meta(description="Made: the maker was set")]
    roles: Roles


class DealAt(Struct, kw_only=True):
    """A deal of a match."""

    match: str
    set: int
    seating: str
    deal: int
    url: shapes.Address


class BadDeal(DealAt, kw_only=True):
    """A deal that went worse than the same cards in the same chair went for others, in the other seatings of the set."""

    margin: Annotated[float, Meta(description="Its points less the mean of its opponents'")]
    others: Annotated[float, Meta(description="The mean of the others' margins")]
    lost: float


class FaultsOfCause(Struct, kw_only=True):
    """A bot's faults of one cause in its complete matches."""

    cause: str
    count: int
    newest: Annotated[list[DealAt], Meta(description="Where some of them are, the newest first")]


class BotInFull(BotLine, kw_only=True):
    """A bot of a league in figures: standings, opponents, habits by variant, faults and worst deals."""

    league: str
    variant: Annotated[str | None, Meta(description="What all but `standings` is about; null for all variants")]
    versions: Annotated[list[VersionLine], Meta(description="The newest first")]
    standings: list[InVariant]
    opponents: Annotated[
        list[shapes.Pair], Meta(description="Against each bot that it has met, seen from this one, by their ranks")
    ]
    habits: list[Habits]
    faults: list[FaultsOfCause]
    worst_deals: Annotated[list[BadDeal], Meta(description="The worst first")]
    matches_to_come: Annotated[
        int, Meta(description="Complete matches that are not yet worked into habits, faults and worst deals")
    ]


def bot_line(league: model.League, entry: model.Entry) -> BotLine:
    """A bot of a league."""
    return BotLine(**_line(league, entry))


def _line(league: model.League, entry: model.Entry) -> dict[str, Any]:
    member = shapes.member(league, entry)
    found = {name: getattr(member, name) for name in member.__struct_fields__}
    url = url_for("api.bot", name=league.name, bot=member.name)
    return found | {"description": entry.bot.description or "", "url": url}


def versions(league: model.League, found: model.Bot) -> list[VersionLine]:
    """The versions of a bot that everybody may see."""
    return [
        VersionLine(
            version=one.version.version,
            created=iso(one.version.created_at),
            description=one.version.description or "",
            plays_here_as=one.name,
            promoted=one.promoted,
        )
        for one in bots.versions(league, found)
    ]


def in_variant(label: str | None, view: tables.TableView, name: str) -> InVariant:
    """A bot's line in the standings of a variant, or of all."""
    row = view.row(name)
    return InVariant(variant=label, sets=view.sets, row=None if row is None else shapes.row(row))


def opponents(view: tables.TableView, name: str) -> list[shapes.Pair]:
    """Every bot that this one has met in complete sets."""
    met = [view.duel(name, row.standing.bot) for row in view.rows if row.standing.bot != name]
    return [shapes.pair(pair) for pair in met if pair is not None]


def habits(found: bots.Sums) -> Habits:
    """The sums of a variant."""
    return Habits(
        variant=found.label or "",
        matches=found.matches,
        games=found.games,
        deals=found.deals,
        thrown_in=found.thrown_in,
        points=found.points,
        asked=found.asked,
        spoke=found.spoke,
        calls=[Call(call=call, count=count) for call, count in found.by_call],
        contracts=[Contract(call=call, tried=tried, made=made) for call, tried, made in found.by_contract],
        moons=_tried(found.moons),
        alone=_tried(found.alone),
        defended_alone=_tried(found.stood_alone),
        roles=_roles(found),
    )


def _tried(pair: list[int]) -> Tried:
    return Tried(tried=pair[0], made=pair[1])


def _roles(found: bots.Sums) -> Roles:
    return Roles(
        maker=_role(found.made), defender=_role(found.defended), dealer=_role(found.dealt), not_dealer=_role(found.not_dealt)
    )


def _role(pair: list[int]) -> Role:
    deals, points = pair
    return Role(deals=deals, points=points, points_a_deal=points / deals if deals else None)


def faults(found: bots.Profile) -> list[FaultsOfCause]:
    """The faults of a bot, by cause."""
    return [
        FaultsOfCause(cause=cause, count=count, newest=[DealAt(**_at(place)) for place in found.faults.get(cause, ())])
        for cause, count in found.counts.items()
    ]


def worst(found: bots.Profile) -> list[BadDeal]:
    """The deals that a bot lost worst."""
    return [BadDeal(**_at(one.at), margin=one.margin, others=one.others, lost=one.lost) for one in found.worst]


def _at(place: bots.Place) -> dict[str, Any]:
    url = url_for("api.deal", match_id=place.match, set_number=place.set, seating=place.seating, number=place.deal)
    return {"match": place.match, "set": place.set, "seating": place.seating, "deal": place.deal, "url": url}


def in_full(  # noqa: PLR0913 -- one argument a part
    league: model.League,
    entry: model.Entry,
    *,
    label: str | None,
    found: model.Bot,
    view: tables.TableView,
    standings: list[InVariant],
    profile: bots.Profile,
) -> BotInFull:
    """A bot of a league with everything that is known of it."""
    line = _line(league, entry)
    return BotInFull(
        **line,
        league=league.name,
        variant=label,
        versions=versions(league, found),
        standings=standings,
        opponents=opponents(view, str(line["name"])),
        habits=[habits(sums) for sums in profile.sums],
        faults=faults(profile),
        worst_deals=worst(profile),
        matches_to_come=profile.missing,
    )
