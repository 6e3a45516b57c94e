"""ControlService: what operators may order."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from euchre.v1 import control_pb2, control_pb2_grpc
from referee import wire
from referee.clock import now
from referee.errors import BadClock, BadOrder, Refusal
from referee.game import INTERRUPTED
from referee.hall import Finished
from referee.service import abort
from referee.session import TableSeat

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import grpc

    from referee.auth import TokenBook
    from referee.hall import Event, Hall, Run, Void
    from referee.order import Order
    from referee.session import Session


class ControlServicer(control_pb2_grpc.ControlServiceServicer):
    """Orders in, games out."""

    def __init__(self, hall: Hall, book: TokenBook) -> None:
        self._hall = hall
        self._book = book

    async def PlayMatch(  # noqa: N802 - the protocol's name
        self, request: control_pb2.PlayMatchRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[control_pb2.PlayMatchResponse]:
        """Play an order; the headers are sent as soon as its bots may connect."""
        events: asyncio.Queue[Event] = asyncio.Queue()
        try:
            run = self._submit(request, context, events)
        except Refusal as refusal:
            await abort(context, refusal)
        try:
            await context.send_initial_metadata(())
            while (event := await events.get()) is not None:
                yield _response(event, run.order)
        finally:
            run.stop(INTERRUPTED, "the call was broken off")

    def _submit(
        self, request: control_pb2.PlayMatchRequest, context: grpc.aio.ServicerContext[Any, Any], events: asyncio.Queue[Event]
    ) -> Run:
        self._check(context)
        if self._hall.closing:
            raise Refusal("UNAVAILABLE", "STOPPING", "the referee is stopping")
        try:
            order = wire.order(request.order)
        except (BadOrder, BadClock) as error:
            raise Refusal("INVALID_ARGUMENT", "BAD_ORDER", str(error)) from None
        return self._hall.submit(order, events.put_nowait, now())

    async def ListSessions(  # noqa: N802
        self, _request: control_pb2.ListSessionsRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> control_pb2.ListSessionsResponse:
        """Who is connected, or expected."""
        await self._allow(context)
        at = now()
        sessions = [_session(session, at) for session in self._hall.sessions.values()]
        return control_pb2.ListSessionsResponse(sessions=sessions)

    async def CancelMatch(  # noqa: N802
        self, request: control_pb2.CancelMatchRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> control_pb2.CancelMatchResponse:
        """Break a match off."""
        await self._allow(context)
        return control_pb2.CancelMatchResponse(games=self._hall.cancel(request.match))

    async def ReportExit(  # noqa: N802
        self, request: control_pb2.ReportExitRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> control_pb2.ReportExitResponse:
        """A bot's process has ended."""
        await self._allow(context)
        orders = self._hall.exited(request.token_sha256, request.detail, now())
        self._hall.pump(now())
        return control_pb2.ReportExitResponse(orders=orders)

    def _check(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        self._book.check_operator(context.invocation_metadata() or ())

    async def _allow(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        try:
            self._check(context)
        except Refusal as refusal:
            await abort(context, refusal)


def _session(session: Session, at: float) -> control_pb2.Session:
    message = control_pb2.Session(
        session=session.number,
        bot=session.bot,
        agent=session.agent,
        connected=session.stream is not None,
        tables=len(session.seats),
        asks=len(session.open),
        decisions=session.decisions,
    )
    if session.last_answer is not None:
        wire.set_duration(message.idle, at - session.last_answer)
    return message


def _response(event: Finished | Void, order: Order) -> control_pb2.PlayMatchResponse:
    if not isinstance(event, Finished):
        void = control_pb2.GameVoid(set=event.set, cause=event.cause, detail=event.detail)
        return control_pb2.PlayMatchResponse(void=void)
    table = event.table
    game = control_pb2.GameFinished(
        set=event.set,
        record=json.dumps(table.game.record(order.seating), separators=(",", ":")),
        times=[wire.times_message(seat, times) for seat, times in enumerate(table.times)],
        notes=[wire.note_message(note) for note in table.notes],
        fault_logs=[log for seat in table.seats if isinstance(seat, TableSeat) for log in seat.fault_logs],
    )
    return control_pb2.PlayMatchResponse(game=game)
