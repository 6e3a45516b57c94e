"""The session with the referee: one stream that carries all the bot's tables."""

import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from queue import SimpleQueue
from threading import Event
from time import monotonic

import grpc

from arena.sdk import wire
from arena.sdk.bot import Answer, Bot, as_bot, move_of
from arena.sdk.table import Table
from arena.sdk.view import View
from euchre.v1 import referee_pb2, referee_pb2_grpc, table_pb2
from referee import tls
from referee.errors import BadCertificate

PROTOCOL = 1
START_PATIENCE = 20.0  # seconds for the referee to come up, before the first welcome
FAR_PATIENCE = 600.0  # over a network: the grace of orders to come is not known yet, and a line may be down for minutes
MESSAGE_BYTES = 64 * 1024  # until the referee says what it allows
FRAMING = 4  # bytes that a message inside a message takes beyond its own
LONGEST = 32  # bytes that an answer without a note takes at most, framing and an unknown call's ten bytes included
PING_MS, PONG_MS = 10_000, 10_000  # of silence before a ping over a network, and to wait for its answer
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0  # seconds between attempts to connect, doubling
LOST = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.RESOURCE_EXHAUSTED,  # too many streams for the moment
)
"""How a broken connection ends a stream; every other status is the referee's word, and final."""

HOW_TO_START = """\
{missing} is not set: this program is a bot and needs a referee to sit down with.
  To play here, let the arena start it:  arena play --variant turn-up --bots "me={command}",greedy --sets 1
  To play on a referee elsewhere, set EUCHRE_REFEREE (its address) and EUCHRE_TOKEN (what `arena bot add --remote` printed),
  or write run(bot, address=..., token=...)."""


def run(bot: Bot | Callable[[View], Answer], *, address: str | None = None, token: str | None = None) -> None:
    """Take a seat with the referee and play until it says goodbye, or is gone for good.

    `bot` is a Bot, or just a function from the view to the answer. `address` ("unix:/path", "host:port" or, encrypted,
    "tls:host:port") and `token` say where and as whom; by default the environment does, EUCHRE_REFEREE and EUCHRE_TOKEN, as
    the arena sets it for the bots that it starts. EUCHRE_TLS=1 encrypts too; EUCHRE_TLS_CA names a file of certificates to
    trust in place of the usual ones, EUCHRE_TLS_CERT and EUCHRE_TLS_KEY the bot's own.

    What the bot raises is passed on. Raises SystemExit, with a message, where there is nobody to play with: no address or
    token, no referee there, or one that refuses the bot.
    """
    playing = as_bot(bot)
    command = f"python {sys.argv[0] or 'bot.py'}"
    where = address or environment("EUCHRE_REFEREE", command)
    secret = token or environment("EUCHRE_TOKEN", command)
    try:
        BotSession(playing, where, secret).play()
    except BadCertificate as error:
        raise SystemExit(str(error)) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def environment(name: str, command: str) -> str:
    """What the arena sets for the bots that it starts; without it, SystemExit tells how to have `command` started."""
    value = os.environ.get(name)
    if not value:
        raise SystemExit(HOW_TO_START.format(missing=name, command=command))
    return value


class Session:
    """A bot's session: streams, one after another should one be lost. What is said on them is for those who derive from it."""

    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self.token = token
        self.welcomed = False
        self.patience = START_PATIENCE
        self.message_bytes = MESSAGE_BYTES
        self.parent = os.getppid()
        self.stream: Stream | None = None
        self.stopping = Event()

    def play(self) -> None:
        """Play until goodbye or `stop`; come back when the stream is lost, for as long as the referee keeps the seat."""
        lost, pause = monotonic(), FIRST_PAUSE
        while not self.stopping.is_set():
            began = monotonic()
            stream = self.stream = Stream(self.address, self.token, self.hello())
            try:
                if self.converse(stream):
                    return
                why = "it closed the stream"
            except grpc.RpcError as error:
                why = self.judge(error)
            finally:
                stream.close()
            if stream.heard > began:  # it was up until now, however long nothing was said
                lost, pause = monotonic(), FIRST_PAUSE
            if monotonic() - lost > self.patience or os.getppid() != self.parent:
                self.give_up(why)
                return
            self.stopping.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def stop(self) -> None:
        """End `play`, from any thread and for good."""
        self.stopping.set()
        if self.stream is not None:
            self.stream.cancel()

    def hello(self) -> referee_pb2.Hello:
        """Introduce the bot."""
        raise NotImplementedError

    def handle(self, message: referee_pb2.PlayResponse, stream: "Stream") -> None:
        """Do what a message asks for; the greeting and the goodbye have been seen to."""
        raise NotImplementedError

    def converse(self, stream: "Stream") -> bool:
        """Answer until the stream ends; whether it ended with goodbye."""
        if self.stopping.is_set():  # it may have been set when this stream was not yet there to be cancelled
            return True
        for message in stream.messages():
            if message.HasField("welcome"):
                self.welcomed = True
                self.message_bytes = message.welcome.limits.message_bytes or self.message_bytes
                grace = message.welcome.limits.grace.ToTimedelta().total_seconds() or self.patience
                self.patience = grace if self.address.startswith("unix:") else max(grace, FAR_PATIENCE)
            self.handle(message, stream)
            if message.goodbye:
                return True
        return False

    def judge(self, error: grpc.RpcError) -> str:
        """Say why a stream was lost; raises SystemExit where coming back would be no use."""
        code, details = error.code(), error.details()
        if code not in LOST and not self.stopping.is_set():
            raise SystemExit(f"the referee at {self.address} ended the session: {code.name}: {details}") from None
        return f"{code.name}: {details}"

    def give_up(self, why: str) -> None:
        """End quietly if the referee is gone after a session; raises SystemExit if there never was one."""
        if not self.welcomed:
            raise SystemExit(f"no referee answers at {self.address} ({why}){_hint(self.address)}")
        print(f"the referee at {self.address} is gone ({why})", file=sys.stderr, flush=True)


class BotSession(Session):
    """The session of a bot in this process, and the tables that outlive its streams."""

    def __init__(self, bot: Bot, address: str, token: str) -> None:
        super().__init__(address, token)
        self.bot = bot
        self.tables: dict[int, Table] = {}

    def hello(self) -> referee_pb2.Hello:
        """Introduce the bot."""
        name = self.bot.name or type(self.bot).__name__
        return referee_pb2.Hello(
            agent=f"{name} (python {platform.python_version()})",
            protocol=PROTOCOL,
            variants=self.bot.variants,
            max_tables=self.bot.max_tables,
        )

    def handle(self, message: referee_pb2.PlayResponse, stream: "Stream") -> None:
        """Handle the lists of one message in the order of their numbers, as the protocol asks."""
        for opened in message.opened:
            self.open(wire.table_of(opened))
        for fault in message.faults:
            if fault.table in self.tables:
                self.bot.fault(wire.fault_of(fault, self.tables[fault.table]))
        if message.asks:
            for request in self.answers(message.asks):
                stream.send(request)
        for closed in message.closed:
            table = self.tables.pop(closed.table, None)
            if table is not None:
                self.bot.closed(wire.result_of(closed, table))

    def open(self, table: Table) -> None:
        """Take note of a table; one that was open before the stream was lost keeps its memory."""
        before = self.tables.get(table.number)
        if before is not None and (before.match, before.seat) == (table.match, table.seat):
            table.memory = before.memory
        self.tables[table.number] = table
        self.bot.opened(table)

    def answers(self, asks: Sequence[table_pb2.Ask]) -> Iterator[referee_pb2.PlayRequest]:
        """Have the bot answer all the questions of one message, in one message unless notes make it too large."""
        views = [wire.view_of(ask, self.tables[ask.table]) for ask in asks]
        answers = self.bot.choose_all(views)
        if len(answers) != len(views):
            raise ValueError(f"choose_all() returned {len(answers)} answers to {len(views)} views")
        messages = []
        for ask, view, answer in zip(asks, views, answers, strict=True):
            move, note = move_of(answer)
            messages.append(wire.answer_to(ask.id, move, note or view.note))
        return packed(messages, self.message_bytes)


def packed(answers: Iterable[table_pb2.Answer], message_bytes: int) -> Iterator[referee_pb2.PlayRequest]:
    """Answers in one message, or in several where notes would make one larger than the referee allows."""
    request, size = referee_pb2.PlayRequest(), 0
    for answer in answers:
        most = LONGEST if not answer.note else answer.ByteSize() + FRAMING
        size += most
        if size > message_bytes and request.answers:
            yield request
            request, size = referee_pb2.PlayRequest(), most
        request.answers.append(answer)
    yield request


class Stream:
    """One gRPC stream, with a queue for what is to be sent."""

    def __init__(self, address: str, token: str, hello: referee_pb2.Hello) -> None:
        self.heard = float("-inf")
        """When the last message came."""
        self._outbox: SimpleQueue[referee_pb2.PlayRequest | None] = SimpleQueue()
        self._outbox.put(referee_pb2.PlayRequest(hello=hello))
        # A pool of its own, so that a new stream does not wait out the back-off of the one that was lost.
        target, credentials = tls.dial(address)
        options = [("grpc.use_local_subchannel_pool", 1), *_proxy(target), *_keepalive(target)]
        self._channel = (
            grpc.secure_channel(target, credentials, options) if credentials else grpc.insecure_channel(target, options)
        )
        stub = referee_pb2_grpc.RefereeServiceStub(self._channel)
        metadata = (("authorization", f"Bearer {token}"),)
        self._call = stub.Play(iter(self._outbox.get, None), metadata=metadata)

    def send(self, request: referee_pb2.PlayRequest) -> None:
        """Send a message when the transport is ready."""
        self._outbox.put(request)

    def messages(self) -> Iterator[referee_pb2.PlayResponse]:
        """What the referee sends, until the stream ends; raises grpc.RpcError if it ends badly."""
        for message in self._call:
            self.heard = monotonic()
            yield message

    def cancel(self) -> None:
        """End the stream from any thread; whoever reads its messages is told at once."""
        self._call.cancel()

    def close(self) -> None:
        """End the stream from this side and let go of its threads."""
        self._outbox.put(None)
        self._call.cancel()
        self._channel.close()


def _hint(address: str) -> str:
    """What to look at where a referee over a network does not answer."""
    if address.startswith("unix:"):
        return ""
    if tls.dial(address)[1] is None:
        return "; if it is encrypted, the address is tls:HOST:PORT"
    return f"; if its certificate is not signed by an authority that everybody knows, {tls.TRUSTED} must name who signed it"


def _keepalive(address: str) -> list[tuple[str, int]]:
    """Channel options by which a bot far away notices that the line is dead; the referee pings too, but a bot cannot see that."""
    if address.startswith("unix:"):
        return []
    return [
        ("grpc.keepalive_time_ms", PING_MS),
        ("grpc.keepalive_timeout_ms", PONG_MS),  # how long the machine's own TCP waits; for the answer to a ping it is the next
        ("grpc.http2.ping_timeout_ms", PONG_MS),
        ("grpc.http2.max_pings_without_data", 0),
    ]


def _proxy(address: str) -> list[tuple[str, int]]:
    """Channel options that keep a proxy meant for the wide world away from this machine's own addresses."""
    local = address.startswith(("unix:", "localhost:", "127.", "[::1]:"))
    return [("grpc.enable_http_proxy", 0)] if local else []
