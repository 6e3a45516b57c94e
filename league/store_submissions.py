"""The store's submissions: versions of bots that owners hand in, their way through qualification, and what is promoted.

::

    submitted ──▶ building ──▶ qualifying ──▶ qualified | failed          any of them ──▶ withdrawn

A worker qualifies a submission under a lease, as it plays a match: whoever finds the lease expired begins anew. What comes
to nothing through the arena's own fault goes back to ``submitted`` with a note, and is tried again later.
"""

from __future__ import annotations

import json
import secrets
import time
from typing import TYPE_CHECKING, Any

from sqlalchemy import or_, select, update

from league.canonical import canonical
from league.database import Database, insert
from league.errors import BadSpec, NotAllowed, NotFound, TooMany
from league.model import PENDING, Qualification, Submission
from league.store_bots import add_version, find_bot, latest_version
from league.store_owners import find_owner
from league.tables import bot_versions, bots, owners, submissions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection, Row, Select

    from league.model import BotVersion, Json, State

HOUR = 3600.0
REASON_CHARACTERS = 1_000
REPORT_BYTES = 512 * 1024
_FIRST_PAUSE = 5.0
_LONGEST_PAUSE = 600.0


class SubmissionStore(Database):
    """What the store knows of submissions."""

    def submit(self, owner: str, manifest: Json, tree: str, *, promote: bool = True, now: float | None = None) -> Submission:
        """Hand in a version of a bot; the newest version's own files and manifest again add nothing, unless that has failed.

        Args:
            owner: Who hands it in.
            manifest: The bot.toml as :meth:`league.manifest.Manifest.as_json` gives it; it names the bot.
            tree: SHA-256 of its files, which the store has already.
            promote: Whether it becomes the bot's current version once it is qualified.
            now: Time to stamp it with; the present by default.

        Raises:
            NotFound: There is no such owner.
            NotAllowed: The bot is somebody else's, or the organiser has removed it.
            TooMany: The owner has handed in as much within an hour as is allowed, or has as many bots.
        """
        stamp = time.time() if now is None else now
        with self._write() as connection:
            who = find_owner(connection, owner)
            bot, again = _admitted(connection, who, manifest, tree, stamp)
            if again is not None:
                return again
            if bot is None:
                bot = _make_bot(connection, who, str(manifest["name"]))
            version = add_version(connection, bot, str(manifest["run"]), None, stamp, **_hosted(manifest, tree))
            row = {"bot_version_id": version, "owner_id": who.id, "state": "submitted", "tree": tree}
            texts = {"manifest": canonical(manifest), "promote": int(promote), "reason": "", "note": ""}
            made = connection.execute(
                insert(connection, submissions)
                .values(row | texts | {"submitted_at": stamp, "tries": 0})
                .returning(submissions.c.id)
            ).scalar_one()
            return _load(connection, _rows().where(submissions.c.id == made))[0]

    def check_submission(self, owner: str, manifest: Json, tree: str, now: float | None = None) -> None:
        """Raise what :meth:`submit` would, before the files are stored for nothing."""
        stamp = time.time() if now is None else now
        with self._read() as connection:
            _admitted(connection, find_owner(connection, owner), manifest, tree, stamp)

    # ---- reading ------------------------------------------------------------------------------------------------------

    def submission(self, bot: str, version: int | None = None) -> Submission:
        """Return a submission, the bot's newest unless a version is given.

        NotFound if there is no such bot, or nobody has submitted that version.
        """
        with self._read() as connection:
            bot_id = find_bot(connection, bot)
            found = _load(connection, _rows().where(bots.c.id == bot_id).order_by(bot_versions.c.version.desc()))
        for one in found:
            if version in (None, one.version):
                return one
        if not found:
            raise NotFound(f"bot {bot!r} was added by the organiser, not submitted: it needs no qualification")
        raise NotFound(f"bot {bot!r} has no version {version} (it has: {_numbers(found)})")

    def submission_by_id(self, number: int) -> Submission:
        """Return the submission with this id; NotFound if there is none."""
        with self._read() as connection:
            found = _load(connection, _rows().where(submissions.c.id == number))
        if not found:
            raise NotFound(f"there is no submission {number}")
        return found[0]

    def submissions(
        self,
        owner: str | None = None,
        bot: str | None = None,
        states: Sequence[State] | None = None,
        limit: int = 100,
        *,
        before: int | None = None,
    ) -> list[Submission]:
        """Return submissions, the newest first: as wished of an owner, of a bot, in some states, from before one (by id)."""
        query = _rows().order_by(submissions.c.id.desc()).limit(limit)
        if owner is not None:
            query = query.where(owners.c.name == owner)
        if bot is not None:
            query = query.where(bots.c.name == bot)
        if states is not None:
            query = query.where(submissions.c.state.in_(states))
        if before is not None:
            query = query.where(submissions.c.id < before)
        with self._read() as connection:
            return _load(connection, query)

    def waiting_submissions(self, limit: int = 20, now: float | None = None) -> list[int]:
        """Return the ids of submissions that are to be qualified and that nobody works on, the oldest first."""
        stamp = time.time() if now is None else now
        query = (
            select(submissions.c.id)
            .where(
                submissions.c.state.in_(PENDING),
                or_(submissions.c.claim.is_(None), submissions.c.lease_until <= stamp),
                or_(submissions.c.retry_at.is_(None), submissions.c.retry_at <= stamp),
            )
            .order_by(submissions.c.id)
            .limit(limit)
        )
        with self._read() as connection:
            return list(connection.execute(query).scalars())

    # ---- qualification ------------------------------------------------------------------------------------------------

    def claim_submission(self, number: int, lease_seconds: float, now: float | None = None) -> Qualification | None:
        """Take the right to qualify a submission; None if it is done or withdrawn, or somebody's lease on it is live."""
        stamp = time.time() if now is None else now
        token = secrets.token_hex(16)
        free = or_(submissions.c.claim.is_(None), submissions.c.lease_until <= stamp)
        with self._write() as connection:
            row = connection.execute(
                update(submissions)
                .where(submissions.c.id == number, submissions.c.state.in_(PENDING), free)
                .values(claim=token, lease_until=stamp + lease_seconds, started_at=stamp, state="building")
                .returning(submissions.c.tries)
            ).one_or_none()
        return None if row is None else Qualification(number, token, row.tries)

    def renew_submission(self, claim: Qualification, lease_seconds: float, now: float | None = None) -> bool:
        """Renew a claim; False if it is not held any more, since its lease ran out or the submission was withdrawn."""
        stamp = time.time() if now is None else now
        return self._change(claim, lease_until=stamp + lease_seconds)

    def submission_built(self, claim: Qualification, built: str) -> bool:
        """Note the files as they are to be played, and that the checks begin; False if the claim is not held any more."""
        return self._change(claim, state="qualifying", built=built)

    def qualified(self, claim: Qualification, report: Sequence[Json], now: float | None = None) -> bool:
        """End a qualification well: the version may play, and is promoted if so wished and no newer one is.

        False, and nothing changes, if the claim is not held any more.
        """
        stamp = time.time() if now is None else now
        with self._write() as connection:
            row = _end(connection, claim, stamp, {"state": "qualified", "reason": "", "report": _report(report)})
            if row is None:
                return False
            this = bot_versions.c.id == row.bot_version_id
            connection.execute(update(bot_versions).where(this).values(tree=row.built))
            version = connection.execute(select(bot_versions).where(this)).one()
            older = or_(bots.c.promoted.is_(None), bots.c.promoted < version.version)
            if row.promote:
                connection.execute(update(bots).where(bots.c.id == version.bot_id, older).values(promoted=version.version))
            return True

    def unqualified(self, claim: Qualification, reason: str, report: Sequence[Json], now: float | None = None) -> bool:
        """End a qualification that the bot failed, for a reason that its owner reads; False if the claim is not held any more."""
        stamp = time.time() if now is None else now
        ending = {"state": "failed", "reason": _clean(reason), "report": _report(report)}
        with self._write() as connection:
            return _end(connection, claim, stamp, ending) is not None

    def unfinished(self, claim: Qualification, note: str, *, again_at_once: bool = False, now: float | None = None) -> bool:
        """Give a submission back that could not be qualified through no fault of its own, to be tried again later.

        The pause doubles with each try in a row, up to ten minutes; ``again_at_once`` is for a worker that was told to stop.
        False if the claim is not held any more.
        """
        stamp = time.time() if now is None else now
        given_back: dict[str, Any] = {"state": "submitted", "claim": None, "lease_until": None, "note": _clean(note)}
        if not again_at_once:
            pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(claim.tries, 20))
            given_back |= {"tries": claim.tries + 1, "retry_at": stamp + pause}
        return self._change(claim, **given_back)

    def _change(self, own: Qualification, **values: object) -> bool:
        with self._write() as connection:
            held = (submissions.c.id == own.submission) & (submissions.c.claim == own.token)
            return connection.execute(update(submissions).where(held).values(values)).rowcount == 1

    # ---- which version plays ------------------------------------------------------------------------------------------

    def promote(self, bot: str, version: int) -> Submission:
        """Let a qualified version be the one that new leagues are made with. What is scheduled stays as it is.

        Raises:
            NotFound: There is no such bot, or no such version of it.
            BadSpec: The bot is the organiser's own, or the version is not qualified.
        """
        with self._write() as connection:
            bot_id, found = _submitted(connection, bot)
            chosen = next((one for one in found if one.version == version), None)
            if chosen is None:
                raise NotFound(f"bot {bot!r} has no version {version} (it has: {_numbers(found)})")
            if chosen.state != "qualified":
                why = f"did not qualify: {chosen.reason}" if chosen.state == "failed" else f"is {chosen.state}"
                good = [one for one in found if one.state == "qualified"]
                raise BadSpec(f"{chosen} {why} (allowed: a qualified version; there are: {_numbers(good)})")
            connection.execute(update(bots).where(bots.c.id == bot_id).values(promoted=version))
            return chosen

    def roll_back(self, bot: str) -> Submission:
        """Let the newest qualified version below the current one be the one that new leagues are made with.

        Raises:
            NotFound: There is no such bot.
            BadSpec: The bot is the organiser's own, or has no such version.
        """
        with self._write() as connection:
            bot_id, found = _submitted(connection, bot)
            current = connection.execute(select(bots.c.promoted).where(bots.c.id == bot_id)).scalar_one()
            if current is None:
                raise BadSpec(f"bot {bot!r} has no current version to roll back from (it has: {_numbers(found)})")
            older = [one for one in found if one.state == "qualified" and one.version < current]
            if not older:
                raise BadSpec(f"bot {bot!r} has no qualified version before v{current} to roll back to")
            connection.execute(update(bots).where(bots.c.id == bot_id).values(promoted=older[0].version))
            return older[0]

    def withdraw(self, bot: str, version: int | None = None, now: float | None = None) -> list[Submission]:
        """Withdraw one version of a bot, or all: for good, from every league made from now on.

        Where the current version is withdrawn, the newest qualified one that is left takes its place. What is scheduled stays
        as it is, and a qualification in progress comes to nothing.

        Returns:
            What was withdrawn, the newest first; nothing if all of it was withdrawn before.

        Raises:
            NotFound: There is no such bot, or no such version of it.
            BadSpec: The bot is the organiser's own.
        """
        stamp = time.time() if now is None else now
        with self._write() as connection:
            bot_id, found = _submitted(connection, bot)
            if version is not None and all(one.version != version for one in found):
                raise NotFound(f"bot {bot!r} has no version {version} (it has: {_numbers(found)})")
            going = [one for one in found if version in (None, one.version) and one.state != "withdrawn"]
            ids = [one.id for one in going]
            ending = {"state": "withdrawn", "claim": None, "lease_until": None, "ended_at": stamp}
            connection.execute(update(submissions).where(submissions.c.id.in_(ids)).values(ending))
            current = connection.execute(select(bots.c.promoted).where(bots.c.id == bot_id)).scalar_one()
            if current in {one.version for one in going}:
                left = [one.version for one in found if one.state == "qualified" and one.id not in ids]
                connection.execute(update(bots).where(bots.c.id == bot_id).values(promoted=max(left, default=None)))
            return _load(connection, _rows().where(submissions.c.id.in_(ids)).order_by(submissions.c.id.desc()))


def _hosted(manifest: Mapping[str, Any], tree: str) -> dict[str, object]:
    """The columns of a version that only an owner's bot has."""
    return {"tree": tree, "variants": canonical(manifest["variants"]), "description": manifest.get("description", "")}


def _admitted(
    connection: Connection, owner: Row[Any], manifest: Json, tree: str, now: float
) -> tuple[int | None, Submission | None]:
    """Return the row id of the bot, None for one to be made, and the bot's newest version if it is just this.

    Raises what ``submit`` does.
    """
    name = str(manifest["name"])
    row = connection.execute(select(bots).where(bots.c.name == name)).one_or_none()
    if row is not None and row.owner_id != owner.id:
        raise NotAllowed(f"there is a bot {name!r} already, and it is not yours; choose another name in bot.toml")
    if row is not None and row.removed_at is not None:
        raise NotAllowed(f"the organiser has removed the bot {name!r}; ask them, or choose another name in bot.toml")
    again = _same(connection, row.id, manifest, tree) if row is not None else None
    if again is None:
        _check_hourly(connection, owner, now)
    if row is None:
        _check_room(connection, owner, name)
    return (None if row is None else int(row.id)), again


def _same(connection: Connection, bot: int, manifest: Json, tree: str) -> Submission | None:
    """Return the bot's newest version if it is just this, and neither failed nor withdrawn."""
    latest: tuple[int, BotVersion] | None = latest_version(connection, bot)
    if latest is None:
        return None
    (found,) = _load(connection, _rows().where(bot_versions.c.id == latest[0]))
    same = found.tree == tree and found.manifest == manifest and found.state not in ("failed", "withdrawn")
    return found if same else None


def _check_hourly(connection: Connection, owner: Row[Any], now: float) -> None:
    recent = select(submissions.c.submitted_at).where(submissions.c.owner_id == owner.id, submissions.c.submitted_at > now - HOUR)
    times = sorted(connection.execute(recent).scalars())
    if len(times) >= owner.most_hourly:
        wait = times[-owner.most_hourly] + HOUR - now
        raise TooMany(
            f"you have submitted {len(times)} times within an hour (allowed: {owner.most_hourly}); "
            f"try again in {max(1, round(wait / 60))} min",
            retry_after=wait,
        )


def _check_room(connection: Connection, owner: Row[Any], name: str) -> None:
    theirs = (bots.c.owner_id == owner.id) & bots.c.removed_at.is_(None)
    names = connection.execute(select(bots.c.name).where(theirs).order_by(bots.c.name)).scalars().all()
    if len(names) >= owner.most_bots:
        raise TooMany(
            f"you have {len(names)} bots already ({', '.join(names)}; allowed: {owner.most_bots}); submit {name!r} as a "
            "version of one of them, or ask the organiser"
        )


def _make_bot(connection: Connection, owner: Row[Any], name: str) -> int:
    made = connection.execute(insert(connection, bots).values(name=name, owner_id=owner.id).returning(bots.c.id))
    return int(made.scalar_one())


def _submitted(connection: Connection, bot: str) -> tuple[int, list[Submission]]:
    """Return a bot's row id and its submissions, the newest first; BadSpec if it is the organiser's own."""
    bot_id = find_bot(connection, bot)
    found = _load(connection, _rows().where(bots.c.id == bot_id).order_by(bot_versions.c.version.desc()))
    if not found:
        raise BadSpec(f"bot {bot!r} was added by the organiser, not submitted: its newest version is the one that plays")
    return bot_id, found


def _end(connection: Connection, claim: Qualification, now: float, ending: Mapping[str, object]) -> Row[Any] | None:
    """End a qualification if its claim is still held; the submission's row then, else None."""
    held = (submissions.c.id == claim.submission) & (submissions.c.claim == claim.token)
    common = {"claim": None, "lease_until": None, "ended_at": now, "note": "", "retry_at": None}
    changing = update(submissions).where(held).values(common | dict(ending)).returning(submissions)
    return connection.execute(changing).one_or_none()


def _clean(text: str) -> str:
    """A text that either database can store, not too long."""
    return text.replace("\0", "\ufffd")[:REASON_CHARACTERS]


def _report(steps: Sequence[Json]) -> str:
    """The report's text; where it is too long, what bots wrote is left out of it."""
    text = canonical(list(steps)).replace("\\u0000", "\ufffd")
    if len(text.encode(errors="replace")) > REPORT_BYTES:
        text = canonical([{key: value for key, value in step.items() if key not in ("output", "steps")} for step in steps])
    return text.encode(errors="replace").decode()


def _rows() -> Select[Any]:
    return (
        select(submissions, bots.c.name.label("bot"), bot_versions.c.version, owners.c.name.label("owner"))
        .join_from(submissions, bot_versions)
        .join(bots, bots.c.id == bot_versions.c.bot_id)
        .join(owners, owners.c.id == submissions.c.owner_id)
    )


def _load(connection: Connection, query: Select[Any]) -> list[Submission]:
    return [_submission(row) for row in connection.execute(query)]


def _submission(row: Row[Any]) -> Submission:
    return Submission(
        id=row.id,
        bot=row.bot,
        version=row.version,
        owner=row.owner,
        state=row.state,
        tree=row.tree,
        built=row.built,
        manifest=json.loads(row.manifest),
        promote=bool(row.promote),
        reason=row.reason,
        note=row.note,
        report=tuple(json.loads(row.report or "[]")),
        submitted_at=row.submitted_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
        tries=row.tries,
    )


def _numbers(found: Sequence[Submission]) -> str:
    return ", ".join(str(one.version) for one in reversed(found)) or "none"
