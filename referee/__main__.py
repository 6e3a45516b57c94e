"""The referee from the command line: `python -m referee match` plays one order, `python -m referee serve` listens."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import logging
import os
import queue
import select
import signal
import stat
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from referee import logs
from referee.errors import BadAddress, BadOrder, IsolationMissing, RefereeError
from referee.keeper import die_with_parent
from referee.launch import Launcher, likes_nursery

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from referee.match import Job
    from referee.tls import Tls

log = logging.getLogger("referee")

FAILED: Final = 1
BAD_ORDER: Final = 2
STOPPED: Final = 128 + signal.SIGTERM
ONE_SHOT: Final = 0.5
"""Seconds after the order within which the end of stdin means that there was no more to say, not that the parent has died."""
ORPHAN_CHECK: Final = 0.5
"""Seconds between looks whether the parent is alive."""


class Printer:
    """Writes lines to stdout from a thread of its own: a reader that is slow must not stop the referee."""

    def __init__(self) -> None:
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._print, daemon=True)
        self._thread.start()

    def report(self, event: dict[str, Any]) -> None:
        """Write an event."""
        self._lines.put(json.dumps(event, separators=(",", ":")))

    def close(self, patience: float | None = None) -> None:
        """Wait until everything is written."""
        self._lines.put(None)
        self._thread.join(patience)

    def _print(self) -> None:
        while (line := self._lines.get()) is not None:
            try:
                print(line, flush=True)
            except OSError:
                os.kill(os.getpid(), signal.SIGTERM)  # nobody reads us any more
                return


async def _until_stopped(work: Coroutine[Any, Any, None]) -> bool:
    """Run `work` until it is done, or a signal or the parent's death stops it; whether it was done."""
    loop = asyncio.get_running_loop()
    task, parent = loop.create_task(work), os.getppid()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
    watcher = loop.create_task(_watch_parent(task, lambda: os.getppid() != parent))
    try:
        await asyncio.wait({task})
    finally:
        watcher.cancel()
    if task.cancelled():
        return False
    task.result()
    return True


async def _watch_parent(task: asyncio.Task[None], gone: Callable[[], bool]) -> None:
    while not gone():
        await asyncio.sleep(ORPHAN_CHECK)
    log.warning("the parent process has ended")
    task.cancel()


@contextlib.contextmanager
def _stdin_watched() -> Iterator[None]:
    """Meanwhile whoever closes our stdin has died, unless it was closed from the start. Afterwards to close it is to say goodbye.

    Nothing must be awaited between a match's `done` and the end of this: who reads that may close our stdin at once.
    """
    task = asyncio.current_task()
    assert task is not None
    watcher = asyncio.create_task(_watch_stdin(task))
    try:
        yield
    finally:
        watcher.cancel()


async def _watch_stdin(task: asyncio.Task[None]) -> None:
    await asyncio.sleep(ONE_SHOT)
    if _is_pipe() and not _at_end():
        await _watch_parent(task, _at_end)


def _is_pipe() -> bool:
    mode = os.fstat(0).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _at_end() -> bool:
    """Whether stdin has been closed at the other end; what is still to be read stays there."""
    watch = select.poll()
    watch.register(0, 0)  # an end is told unasked
    return any(told & select.POLLHUP for _, told in watch.poll(0))


def _read_line() -> str:
    """The order: what comes until the first newline, unbuffered, so that the end of stdin can be watched for afterwards."""
    data = b""
    while not data.endswith(b"\n") and (chunk := os.read(0, 65536)):
        data += chunk
    return data.decode()


# ---- match ------------------------------------------------------------------------------------------------------------


def _refuse(error: Exception, launcher: Launcher | None = None) -> int:
    if launcher is not None:
        asyncio.run(launcher.close())
    print(f"referee: {error}", file=sys.stderr)
    return FAILED if isinstance(error, IsolationMissing) else BAD_ORDER


def match(*, stay: bool = False) -> int:
    """Play the order on stdin; events on stdout. With `stay` the next order is waited for, until stdin ends."""
    try:
        given = json.loads(_read_line())
    except ValueError as error:
        return _refuse(error)
    launcher = Launcher()
    if likes_nursery(given):
        launcher.warm_up()  # beside the loading of gRPC, which comes only now
    import grpc  # noqa: PLC0415

    from referee import match as matches  # noqa: PLC0415

    try:
        job = matches.parse(given)
    except (RefereeError, ValueError, AttributeError) as error:
        return _refuse(error, launcher)
    printer = Printer()
    code = FAILED
    try:
        code = 0 if asyncio.run(_until_stopped(_play_all(job, launcher, printer, stay=stay))) else STOPPED
    except* (RefereeError, grpc.RpcError, OSError) as group:
        for leaf in _leaves(group):
            print(f"referee: {type(leaf).__name__}: {leaf}", file=sys.stderr)
    printer.close(1.0 if code else None)
    return code


async def _play_all(job: Job | None, launcher: Launcher, printer: Printer, *, stay: bool) -> None:
    """Play a match and, if that is wanted, others after it: by the same launcher, but each by its own server and fresh bots."""
    from referee import match as matches  # noqa: PLC0415

    def report(event: dict[str, Any]) -> None:
        printer.report({**event, "stays": True} if stay and event["event"] == "done" else event)

    logs.dump_tasks_on_signal()
    await launcher.listen()
    try:
        while job is not None:
            with logs.about(match=job.match), _stdin_watched():
                await matches.play(job, launcher, report)
            job = await _next_job(launcher) if stay else None
    finally:
        await launcher.close()


async def _next_job(launcher: Launcher) -> Job | None:
    """The next order; None when there will be no more. Raises BadOrder."""
    from referee import match as matches  # noqa: PLC0415

    loop, came = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(0, came.set)
    try:
        await came.wait()
    finally:
        loop.remove_reader(0)
    line = _read_line()
    if not line:
        return None
    try:
        given = json.loads(line)
        if likes_nursery(given):
            launcher.warm_up()  # if it is not yet
        return matches.parse(given)
    except (ValueError, AttributeError) as error:
        raise BadOrder(str(error)) from None


def _leaves(group: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    found: list[BaseException] = []
    for error in group.exceptions:
        found += _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found


def _leave(code: int) -> NoReturn:
    """End at once: to take gRPC and every module apart first would take longer than some games."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(code)


# ---- serve ------------------------------------------------------------------------------------------------------------


def serve(arguments: argparse.Namespace) -> int:
    """Listen until a SIGTERM or SIGINT. Raises RefereeError where that cannot be."""
    from referee import figures  # noqa: PLC0415
    from referee.auth import TokenBook, digest, new_token  # noqa: PLC0415
    from referee.server import Server  # noqa: PLC0415

    token = new_token()
    tokens, tls = arguments.tokens, _tls(arguments)

    async def work() -> None:
        logs.dump_tasks_on_signal()
        book = TokenBook.of_file(tokens) if tokens else TokenBook(operators={digest(token)})
        server = Server(book)
        if arguments.metrics:
            figures.serve(server.hall, arguments.metrics)
        taken = [server.listen(address, anywhere=arguments.insecure_any_address, tls=tls) for address in arguments.listen]
        await server.serve()
        event = {"event": "listening", "address": taken[0], "addresses": taken}
        print(json.dumps(event if tokens else {**event, "operator": token}), flush=True)
        try:
            await asyncio.Event().wait()
        finally:
            await server.stop()

    asyncio.run(_until_stopped(work()))
    return 0


def _tls(arguments: argparse.Namespace) -> Tls | None:
    """What to listen with. Raises BadAddress where the options do not go together, BadCertificate where the files do not."""
    from referee.tls import Tls  # noqa: PLC0415 - it loads gRPC

    certificate, key, client_ca = arguments.tls_cert, arguments.tls_key, arguments.tls_client_ca
    if certificate is None and key is None and client_ca is None:
        return None
    if certificate is None or key is None:
        raise BadAddress("--tls-cert and --tls-key go together, and --tls-client-ca needs both")
    if all(address.startswith("unix:") for address in arguments.listen):
        raise BadAddress("a unix socket is not encrypted (allowed with --tls-cert: --listen host:port)")
    return Tls(certificate, key, client_ca)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m referee", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    once = commands.add_parser("match", help="play the order, one JSON object, on stdin; events on stdout")
    once.add_argument("--stay", action="store_true", help="then play the next order on stdin, until that ends")
    listen = commands.add_parser("serve", help="listen for bots and operators")
    listen.add_argument(
        "--listen",
        required=True,
        action="append",
        metavar="ADDRESS",
        help="unix:/path, or host:port, which must be on loopback unless it is encrypted; may be given more than once",
    )
    listen.add_argument("--tokens", type=Path, metavar="FILE", help="JSON file of operators' and bots' token digests")
    listen.add_argument("--tls-cert", type=Path, metavar="FILE", help="certificate in PEM: host:port is encrypted with it")
    listen.add_argument("--tls-key", type=Path, metavar="FILE", help="its key")
    listen.add_argument(
        "--tls-client-ca", type=Path, metavar="FILE", help="whoever dials in must show a certificate signed by this"
    )
    listen.add_argument("--metrics", metavar="HOST:PORT", help="serve figures for Prometheus there")
    listen.add_argument("--insecure-any-address", action="store_true", help="listen beyond loopback, without encryption")
    return parser


def main() -> int:
    """Run from the command line; returns the exit code."""
    arguments = _parser().parse_args()
    try:
        logs.configure("WARNING" if arguments.command == "match" else "INFO")
    except logs.BadLogSetting as error:
        print(f"referee: {error}", file=sys.stderr)
        return BAD_ORDER
    logs.dump_on_signal()
    with contextlib.suppress(KeyboardInterrupt):
        if arguments.command == "match":
            die_with_parent(signal.SIGTERM)
            _leave(match(stay=arguments.stay))
        try:
            return serve(arguments)
        except RefereeError as error:
            print(f"referee: {error}", file=sys.stderr)
            return BAD_ORDER
    return 128 + signal.SIGINT


if __name__ == "__main__":
    raise SystemExit(main())
