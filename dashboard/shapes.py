"""How things look in the JSON: plain dicts, chosen field by field, so that nothing internal slips out (docs/dashboard.md)."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from flask import url_for

from dashboard.data import seating_text
from dashboard.filters import iso, state

if TYPE_CHECKING:
    from dashboard.games import PlayedGame
    from dashboard.replay import Move, Replay, Trick
    from dashboard.summary import MatchSummary, SetRow
    from dashboard.tables import Row, TableView
    from league.estimates import Estimate
    from league.model import Attempt, BotVersion, Entry, Game, League, Match, Progress
    from league.standings import HeadToHead

Json = dict[str, Any]


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else iso(seconds)


def bot(version: BotVersion) -> Json:
    """A bot version: never its command, folder or tokens."""
    return {"bot": version.bot, "version": version.version, "remote": version.remote}


def progress(league: League, found: Progress) -> Json:
    """How far a league has come."""
    variants = [
        {
            "variant": entry.label,
            "matches": {
                "total": entry.matches_total,
                "complete": entry.matches_complete,
                "running": entry.matches_running,
                "waiting": entry.matches_waiting,
            },
            "games": {"total": entry.games_total, "done": entry.games_done},
            "sets": {"total": entry.sets_total, "done": entry.sets_done},
        }
        for entry in found.variants
    ]
    games = {"total": found.games_total, "done": found.games_done}
    return {"state": state(league, found), "games": games, "variants": variants}


def league(found: League, done: Progress) -> Json:
    """A league with its rules, its bots and its proof."""
    variants = [
        {"variant": entry.label, "rules": entry.variant, "format": entry.format, "seats": entry.seats, "options": entry.options}
        for entry in found.variants
    ]
    return {
        "name": found.name,
        "created": _time(found.created_at),
        "season": None if found.series is None else {"series": found.series, "number": found.season},
        "sets_a_match": found.sets,
        "precision": None if found.precision is None else {"elo": found.precision, "most_sets": found.max_sets},
        "remote_sets": found.remote_sets,
        "clock": found.clock,
        "variants": variants,
        "bots": [bot(entry) for entry in found.bots],
        "members": [_member(found, entry) for entry in found.entries],
        "commitment": found.commitment,
        "key": found.key.hex() if found.key else None,
        "key_revealed": _time(found.revealed_at),
        "progress": progress(found, done),
        "url": url_for("api.league", name=found.name),
    }


def _member(found: League, entry: Entry) -> Json:
    """Who plays or has played in a league, under the name that the standings have."""
    times = {"joined": _time(entry.added_at if entry.stage else None), "withdrawn": _time(entry.withdrawn_at)}
    return {"name": found.shown(entry.bot), **bot(entry.bot), **times}


def estimate(found: Estimate | None) -> Json | None:
    """A value with its 95 % interval, or null."""
    return None if found is None else {"value": found.value, "low": found.low, "high": found.high}


def _row(row: Row) -> Json:
    standing = row.standing
    elo = None
    if standing.elo is not None:
        elo = {"value": standing.elo, "low": standing.elo_low, "high": standing.elo_high}
    return {
        "rank": standing.rank,
        "bot": standing.bot,
        "version": row.version,
        "elo": elo,
        "separated_from_above": None if standing.rank in {None, 1} else not row.tied,
        "points_a_deal": estimate(standing.points),
        "margin_a_deal": estimate(standing.margin),
        "games": standing.games,
        "sets": standing.sets,
        "deals": standing.deals,
        "places": list(standing.places),
        "faults": standing.faults,
        "forfeits": standing.forfeits,
        "group": standing.group,
    }


def _duel(pair: HeadToHead) -> Json:
    return {
        "a": pair.a,
        "b": pair.b,
        "share": estimate(pair.share),
        "margin_a_deal": estimate(pair.margin),
        "games": pair.games,
        "sets": pair.sets,
    }


def standings(name: str, label: str | None, view: TableView) -> Json:
    """A table of standings with head to head."""
    return {
        "league": name,
        "variant": label,
        "sets": view.sets,
        "rows": [_row(row) for row in view.rows],
        "head_to_head": [_duel(pair) for pair in view.table.pairs.values()],
    }


def match(found: Match) -> Json:
    """A match without its games."""
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
        "games": {"total": found.games_total, "done": found.games_done},
        "sets": {"total": found.sets, "done": found.sets_done},
        "created": _time(found.created_at),
        "completed": _time(found.completed_at),
        "commitment": found.commitment,
        "url": url_for("api.match", match_id=found.id),
    }


def game(found: Game, opened: bool) -> Json:
    """A game's result by line-up index; with a link to its deals once they may be seen."""
    text = seating_text(found.seating)
    shape = {
        "seating": text,
        "points": list(found.points),
        "places": list(found.places),
        "deals": found.deals,
        "end": found.end,
        "forfeits": list(found.forfeits),
        "faults": [dict(causes) for causes in found.faults],
        "times": found.times,
    }
    if opened:
        shape["url"] = url_for("api.game", match_id=found.match, set_number=found.set, seating=text)
    return shape


def _set(row: SetRow, opened: bool) -> Json:
    games = [
        {"seating": seating_text(seating), "missing": True} if found is None else game(found, opened)
        for seating, found in row.games
    ]
    return {"set": row.number, "complete": row.complete, "games": games}


def _attempt(attempt: Attempt) -> Json:
    return {
        "worker": attempt.worker,
        "started": _time(attempt.started_at),
        "ended": _time(attempt.ended_at),
        "games": attempt.games,
        "outcome": attempt.outcome,
        "detail": attempt.detail,
        "voids": [asdict(void) for void in attempt.voids],
    }


def match_in_full(found: Match, summary: MatchSummary, opened: bool) -> Json:
    """A match with its bots' sums, its sets and its attempts."""
    shape = match(found)
    shape["open"] = opened
    shape["bots"] = [
        {
            **bot(entry.bot),
            "games": entry.games,
            "deals": entry.deals,
            "points": entry.points,
            "places": list(entry.places),
            "faults": dict(entry.faults),
            "forfeits": entry.forfeits,
        }
        for entry in summary.bots
    ]
    shape["times_us"] = asdict(summary.times) if summary.times else None
    shape["sets_played"] = [_set(row, opened) for row in summary.sets]
    shape["attempts"] = [_attempt(attempt) for attempt in summary.attempts]
    if opened:
        shape["record"] = url_for("api.record", match_id=found.id)
    return shape


def played_game(played: PlayedGame, replays: list[Replay]) -> Json:
    """A game with a line a deal."""
    where: Json = {"match_id": played.match.id, "set_number": played.game.set, "seating": seating_text(played.game.seating)}
    deals = [
        {
            "deal": entry.number,
            "dealer": entry.dealer,
            "maker": entry.maker,
            "bid": entry.bid,
            "trump": entry.trump,
            "alone": list(entry.alone),
            "tricks": list(entry.taken),
            "points": list(entry.points),
            "total": list(entry.total),
            "thrown_in": entry.thrown_in,
            "faults": [asdict(fault) for fault in entry.faults],
            "url": url_for("api.deal", **where, number=entry.number),
        }
        for entry in replays
    ]
    return {
        "match": played.match.id,
        "set": played.game.set,
        "seating": where["seating"],
        "seats": [asdict(seat) for seat in played.seats],
        "sides": [asdict(side) for side in played.sides],
        "end": played.game.end,
        "times": played.game.times,
        "deals": deals,
    }


def _move(move: Move) -> Json:
    return {
        "move": move.number,
        "seat": move.seat,
        "phase": move.phase,
        "action": move.action,
        "legal": list(move.legal),
        "fault": asdict(move.fault) if move.fault else None,
    }


def _trick(trick: Trick) -> Json:
    return {
        "trick": trick.number,
        "leader": trick.leader,
        "winner": trick.winner,
        "plays": [_move(move) for move in trick.plays],
        "taken": list(trick.taken),
        "hands": [list(hand) for hand in trick.hands],
    }


def deal(played: PlayedGame, found: Replay) -> Json:
    """One deal from the cards dealt to the points."""
    return {
        "match": played.match.id,
        "set": played.game.set,
        "seating": seating_text(played.game.seating),
        "seats": [asdict(seat) for seat in played.seats],
        "deal": found.number,
        "dealer": found.dealer,
        "hands": [list(hand) for hand in found.hands],
        "spare": {"name": found.spare, "hand": list(found.spare_hand)} if found.spare else None,
        "turned": {"card": found.turned_card, "fate": found.turned} if found.turned_card else None,
        "stock": list(found.stock),
        "before": [_move(move) for move in found.before],
        "trump": found.trump,
        "maker": found.maker,
        "bid": found.bid,
        "alone": list(found.alone),
        "out": list(found.out),
        "tricks": [_trick(trick) for trick in found.tricks],
        "taken": list(found.taken),
        "points": list(found.points),
        "penalty": list(found.penalty),
        "total": list(found.total),
        "thrown_in": found.thrown_in,
    }
