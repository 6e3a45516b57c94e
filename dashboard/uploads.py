"""Taking in what an owner uploads, and what goes wrong with it as errors of HTTP. Uploads are stored, never served."""

from __future__ import annotations

import math
import tempfile
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from flask import abort, request
from werkzeug.exceptions import RequestEntityTooLarge, TooManyRequests

from dashboard import data, sessions
from league import archives, manifest
from league.archives import SUBMITTED
from league.errors import BadArchive, BadManifest, BadSpec, NotAllowed, NotFound, TooMany
from referee.rules import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from league.model import Submission


@contextmanager
def refusals(*, impossible: int = 400) -> Iterator[None]:
    """Turn what the league refuses into the answers of HTTP; `impossible` is that to what makes sense but cannot be done now."""
    try:
        yield
    except TooMany as error:
        if error.retry_after is None:
            abort(403, _sentence(error))
        raise TooManyRequests(_sentence(error), retry_after=max(1, math.ceil(error.retry_after))) from None
    except NotAllowed as error:
        abort(403, _sentence(error))
    except NotFound as error:
        abort(404, _sentence(error))
    except (BadArchive, BadManifest) as error:
        abort(400, _sentence(error))
    except BadSpec as error:
        abort(impossible, _sentence(error))


def _sentence(error: Exception) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."


def take(file: IO[bytes], *, hold: bool, bot: str | None = None) -> Submission:
    """Judge an archive and hand it in for the owner of this request; errors of HTTP where it is refused.

    Args:
        file: the archive, seekable.
        hold: whether it is not to be promoted once it is qualified.
        bot: another name than its bot.toml's.
    """
    store, owner = data.store(), sessions.owner().name
    with refusals(), archives.received(file) as tree:
        made = manifest.parse(tree.manifest, [variant.name for variant in VARIANTS])
        made = made if bot is None else manifest.renamed(made, bot)
        store.check_submission(owner, made.as_json(), tree.sha256)
        store.add_blob(tree.sha256, tree.file)
        return store.submit(owner, made.as_json(), tree.sha256, promote=not hold)


@contextmanager
def body() -> Iterator[IO[bytes]]:
    """The body of this request as a nameless file, no longer than an archive may be: 413 for a longer one."""
    request.max_content_length = SUBMITTED.archive
    with tempfile.TemporaryFile() as file, refusals():
        while chunk := request.stream.read(1 << 16):
            file.write(chunk)
            if file.tell() > SUBMITTED.archive:
                raise RequestEntityTooLarge
        file.seek(0)
        yield file


def own_submission(number: int) -> Submission:
    """A submission of the owner's; 404 for any other."""
    with refusals():
        found = data.store().submission_by_id(number)
    if found.owner != sessions.owner().name:
        abort(404, f"There is no submission {number}.")
    return found
