"""JSON for owners' programs, `arena submit --to` among them (docs/submitting.md). Every request shows a key; no cookie counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from flask import Blueprint, Response
from msgspec import UNSET, Meta, Struct, UnsetType

from dashboard import data, sessions, uploads
from dashboard.api import PREFIX, ByNumber, after_number, next_page
from dashboard.routes import Routes, Upload
from dashboard.sessions import own_bot, with_key
from dashboard.uploads import own_submission

if TYPE_CHECKING:
    from league import model

bp = Blueprint("owner_api", __name__, url_prefix=f"{PREFIX}/owner")
api = Routes(bp, guard=with_key)

ARCHIVE = Upload(
    ("application/gzip", "application/zip", "application/x-tar", "application/octet-stream"),
    "A .tar.gz, .tar or .zip of the bot's folder, with a bot.toml at its top; the content tells which it is, not the name",
)
State = Literal["submitted", "building", "qualifying", "qualified", "failed", "withdrawn"]
Seconds = Annotated[float, Meta(description="Unix seconds")]


class Limits(Struct, kw_only=True):
    """What an owner may have and do."""

    bots: int
    submissions_an_hour: int


class OwnBot(Struct, kw_only=True):
    """A bot of the owner's."""

    bot: str
    promoted: Annotated[int | None, Meta(description="The version that plays in new leagues")]
    versions: list[int]


class Owner(Struct, kw_only=True):
    """Who shows the key."""

    owner: str
    limits: Limits
    bots: list[OwnBot]


class Submission(Struct, kw_only=True):
    """A version of a bot as it was submitted, and what became of it."""

    id: int
    bot: str
    version: int
    owner: str
    state: State
    tree: Annotated[str, Meta(description="SHA-256 of its files")]
    built: Annotated[str | None, Meta(description="The same once they are built")]
    manifest: Annotated[dict[str, Any], Meta(description="Its bot.toml, the variants named")]
    promote: bool
    reason: Annotated[str, Meta(description="Why it failed, or empty")]
    note: Annotated[str, Meta(description="What has kept it from being qualified so far, or empty")]
    submitted_at: Seconds
    started_at: Seconds | None
    ended_at: Seconds | None
    tries: int
    pending: bool


class SubmissionInFull(Submission, kw_only=True):
    """A submission with its report, step by step."""

    report: Annotated[list[dict[str, Any]], Meta(description="Steps: name, title, status, detail, seconds, output, steps")]


class Submissions(Struct, kw_only=True):
    """A page of submissions, the newest first."""

    submissions: list[Submission]
    next: Annotated[str | None, Meta(description="Address of the next page; null on the last one")]


class Withdrawn(Struct, kw_only=True):
    """What was withdrawn, and what plays now."""

    withdrawn: list[int]
    promoted: int | None


_Version = Annotated[int, Meta(ge=1, le=2**31 - 1, description="A version, by its number")]


class OneVersion(Struct):
    """Which version."""

    EXAMPLE: ClassVar[str] = '{"version": 3}'
    version: _Version


class AnyVersion(Struct):
    """Which version; all of them unless given."""

    EXAMPLE: ClassVar[str] = '{"version": 3}'
    version: _Version | UnsetType = UNSET


class SubmitQuery(Struct, forbid_unknown_fields=True):
    """How to take a submission in."""

    hold: Annotated[Literal["0", "1"], Meta(description="1: do not promote it once it is qualified")] = "0"
    bot: Annotated[str, Meta(description="Another name than its bot.toml has")] = ""


@bp.after_request
def _private(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response


@api.get("")
def index() -> Owner:
    """Who the owner is, what is allowed, and the bots."""
    owner = sessions.owner()
    found = [data.store().bot(name) for name in owner.bots]
    bots = [OwnBot(bot=bot.name, promoted=bot.promoted, versions=[one.version for one in bot.versions]) for bot in found]
    limits = Limits(bots=owner.most_bots, submissions_an_hour=owner.most_hourly)
    return Owner(owner=owner.name, limits=limits, bots=bots)


@api.get("/submissions")
def submissions(query: ByNumber) -> Submissions:
    """The owner's submissions, the newest first, without their reports."""
    found = data.store().submissions(sessions.owner().name, limit=query.limit + 1, before=after_number(query))
    following = found[query.limit - 1].id if len(found) > query.limit else None
    shown = [_short(one) for one in found[: query.limit]]
    return Submissions(submissions=shown, next=next_page("owner_api.submissions", query, following))


@api.post("/submissions", status=201, upload=ARCHIVE, errors=(400, 403, 413))
def submit(query: SubmitQuery) -> SubmissionInFull:
    """Take in an archive: the body of the request."""
    with uploads.body() as file:
        return _full(uploads.take(file, hold=query.hold == "1", bot=query.bot or None))


@api.get("/submissions/<int(max=2147483647):number>")
def submission(number: int) -> SubmissionInFull:
    """One submission with its report."""
    return _full(own_submission(number))


@api.post("/bots/<name>/promote", errors=(409,))
def promote(name: str, body: OneVersion) -> Submission:
    """Let a qualified version play in new leagues."""
    with uploads.refusals(impossible=409):
        return _short(data.store().promote(own_bot(name), body.version))


@api.post("/bots/<name>/rollback", errors=(409,))
def roll_back(name: str) -> Submission:
    """Let the qualified version before the current one play in new leagues."""
    with uploads.refusals(impossible=409):
        return _short(data.store().roll_back(own_bot(name)))


@api.post("/bots/<name>/withdraw", errors=(409,))
def withdraw(name: str, body: AnyVersion) -> Withdrawn:
    """Withdraw one version, or without a version all, for good."""
    version = None if body.version is UNSET else body.version
    with uploads.refusals(impossible=409):
        gone = data.store().withdraw(own_bot(name), version)
    return Withdrawn(withdrawn=[one.version for one in gone], promoted=data.store().bot(name).promoted)


def _fields(found: model.Submission, kind: type[Struct]) -> dict[str, Any]:
    given = found.as_json()
    return {name: given[name] for name in kind.__struct_fields__}


def _short(found: model.Submission) -> Submission:
    return Submission(**_fields(found, Submission))


def _full(found: model.Submission) -> SubmissionInFull:
    return SubmissionInFull(**_fields(found, SubmissionInFull))
