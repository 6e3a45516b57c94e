"""A bot that is a program without gRPC: the protocol as proto JSON, a message a line, on its stdin and stdout.

The command is started before anything of gRPC runs. Three threads: the main one holds the session and makes lines of the
referee's messages, one writes them to the command, one reads the command's answers.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final

from google.protobuf import json_format

from arena.sdk import wire
from arena.sdk.client import PROTOCOL, Session, environment, packed
from euchre.v1 import referee_pb2
from referee.keeper import PR_SET_CHILD_SUBREAPER, die_with_parent, kill_below, prctl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import IO

    from arena.sdk.client import Stream

GRACE: Final = 1.0
"""Seconds for the command to end after its stdin, or its own stdout, has been closed."""
LINE_BYTES: Final = 1024 * 1024
"""The longest line that is read from the command."""
SHOWN_BYTES: Final = 200
"""How much of a stray line is shown."""
STRAYS_SHOWN: Final = 100
"""How many stray lines are shown; a program that prints its thoughts would drown everything else."""
UNREAD: Final = 1000
"""How many messages may wait for a command that does not read."""
AGENT_CHARS: Final = 100

ALLOWED: Final = 'allowed: one object a line, {"answers":[{"ask":N,"card":"CARD_…"}]} or "call":"CALL_…", perhaps with a "note"'


class CannotStartError(Exception):
    """The command could not be started."""


class StrayLineError(ValueError):
    """A line of the command's that is no message to the referee."""


def line_of(message: referee_pb2.PlayResponse) -> bytes:
    """A message as one line of proto JSON: the names of the .proto files, nothing left out but what is truly absent."""
    found = json_format.MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    return json.dumps(found, separators=(",", ":")).encode() + b"\n"


def request_of(line: bytes) -> referee_pb2.PlayRequest:
    """The message that a line spells. Raises StrayLineError, which says what is wrong with it."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:  # bytes that are no UTF-8, and a nest too deep, among them
        raise StrayLineError(f"no JSON ({error})") from None
    if not isinstance(found, dict):
        raise StrayLineError("JSON, but no object")
    if "hello" in found:
        raise StrayLineError('"hello" is said by the bridge')
    try:
        return json_format.ParseDict(found, referee_pb2.PlayRequest())
    except (json_format.ParseError, ValueError, TypeError, AttributeError) as error:
        raise StrayLineError(f"no message to the referee ({error})") from None


def say(text: str) -> None:
    """A line to the bridge's own stderr, which is the bot's log."""
    print(f"arena bridge: {text}", file=sys.stderr, flush=True)


class Command:
    """The program that decides, its stdin and its stdout."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self.name = shlex.join(words)
        prctl(PR_SET_CHILD_SUBREAPER, 1)  # so that what the command leaves behind comes here, and ends here
        try:
            self._process = subprocess.Popen(
                self.words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=_environment(),
                start_new_session=True,
                preexec_fn=die_with_parent,  # noqa: PLW1509 - this process has a single thread so far
            )
        except OSError as error:
            raise CannotStartError(f"cannot start {self.words[0]!r}: {error.strerror or error}") from None
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._writing = threading.Thread(target=self._write, daemon=True)
        self._writing.start()

    def tell(self, line: bytes) -> bool:
        """Pass a line on without waiting for it to be read; whether the command still keeps up."""
        self._lines.put(line)
        return self._lines.qsize() <= UNREAD

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """What the command prints, by number of the line; what is too long is cut, and is then no JSON."""
        number = 0
        while line := self._stdout.readline(LINE_BYTES):
            number += 1
            yield number, line.rstrip(b"\r\n")
            while len(line) == LINE_BYTES and not line.endswith(b"\n"):
                line = self._stdout.readline(LINE_BYTES)

    def finish(self) -> int | None:
        """Close its stdin and give it a moment; its exit code (128 + n after signal n), None if it had to be ended."""
        self._lines.put(None)
        try:
            code = self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            return None
        return code if code >= 0 else 128 - code

    def end(self) -> None:
        """Kill whatever is left of it and of what it started."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        kill_below()

    def _write(self) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            while (line := self._lines.get()) is not None:
                stdin.write(line)
                stdin.flush()
            stdin.close()
        except OSError:
            return  # it has ended, or closed its stdin; its stdout tells which

    @property
    def _stdout(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout


def _environment() -> dict[str, str]:
    """The bridge's own, less what would let the command take the seat itself."""
    return {name: value for name, value in os.environ.items() if name not in ("EUCHRE_TOKEN", "EUCHRE_REFEREE")}


class Bridge(Session):
    """The session of a command."""

    def __init__(self, command: Command, address: str, token: str, max_tables: int) -> None:
        super().__init__(address, token)
        self.command = command
        self.max_tables = max_tables
        self.tables: set[int] = set()
        self.why = ""
        """Why the bridge ended the session, if it did."""
        self._strays = 0

    def run(self) -> int:
        """Play until the goodbye, or until the command ends; the exit code."""
        reading = threading.Thread(target=self.read, daemon=True)
        reading.start()
        self.play()
        why = self.why  # from here on the command is right to end
        code = self.command.finish()
        if why:
            say(f"{why} ({'it had to be ended' if code is None else f'exit code {code}'}); {self._open_tables()}")
            return 1 if code is None else code
        if code is None:
            say(f"{self.command.name} was ended {GRACE:g} s after its stdin was closed")
        return code or 0

    def hello(self) -> referee_pb2.Hello:
        """Introduce the command."""
        agent = f"{self.command.name[:AGENT_CHARS]} (arena bridge)"
        return referee_pb2.Hello(agent=agent, protocol=PROTOCOL, max_tables=self.max_tables)

    def handle(self, message: referee_pb2.PlayResponse, stream: Stream) -> None:
        """Pass a message on; answers come when they come."""
        self.tables |= {opened.table for opened in message.opened}
        self.tables -= {closed.table for closed in message.closed}
        for fault in message.faults:
            say(f"fault {fault.count}: {wire.cause_of(fault)}, {fault.detail}")
        if not self.command.tell(line_of(message)):
            self.give_in(f"{self.command.name} has left {UNREAD} messages unread")

    def read(self) -> None:
        """Send what the command answers; what it says while the stream is down is asked for again."""
        for number, line in self.command.lines():
            try:
                request = request_of(line)
            except StrayLineError as stray:
                self.report(number, line, stray)
                continue
            for answer in request.answers:
                answer.note = wire.cut(answer.note)
            for part in packed(request.answers, self.message_bytes):
                if self.stream is not None:
                    self.stream.send(part)
        self.give_in(f"{self.command.name} has ended its output")

    def report(self, number: int, line: bytes, stray: StrayLineError) -> None:
        """Show a line that is no message, and say what would have been one."""
        self._strays += 1
        if self._strays <= STRAYS_SHOWN:
            shown = line[:SHOWN_BYTES].decode(errors="replace") + ("…" if len(line) > SHOWN_BYTES else "")
            say(f"line {number} of stdout is ignored, {stray}: {shown}\n  {ALLOWED}; whatever else goes to stderr")
        if self._strays == STRAYS_SHOWN:
            say("further lines of this kind are not shown")

    def give_in(self, why: str) -> None:
        """End the session, since the command plays no longer."""
        self.why = self.why or why
        self.stop()

    def _open_tables(self) -> str:
        return f"{len(self.tables)} table{'' if len(self.tables) == 1 else 's'} open"


def run(words: Sequence[str], max_tables: int) -> int:
    """Have a command play on the referee that the environment names; the exit code. Raises CannotStartError, SystemExit."""
    typed = shlex.join(["arena", "bridge", "--", *words])
    address, token = environment("EUCHRE_REFEREE", typed), environment("EUCHRE_TOKEN", typed)
    command = Command(words)
    signal.signal(signal.SIGTERM, _stop)
    try:
        return Bridge(command, address, token, max_tables).run()
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    finally:
        command.end()


def _stop(number: int, frame: Any) -> None:  # noqa: ANN401 - as the signal module has it
    raise SystemExit(128 + number)
