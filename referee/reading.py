"""Requests that cannot be read. gRPC calls them the server's own error, with a traceback in the log; they are the client's."""

from __future__ import annotations

import inspect
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeVar

import grpc
from google.protobuf.message import DecodeError

from referee.errors import Refusal
from referee.service import abort

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

T = TypeVar("T")


class Reading(grpc.aio.ServerInterceptor):
    """Lets the services' handlers have bytes, and reads them where a refusal can still be told."""

    async def intercept_service(
        self, continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]], details: grpc.HandlerCallDetails
    ) -> Any:  # noqa: ANN401 - a handler, of which kind the service says
        """The handler of a call, reading for itself; one that takes bytes anyway stays as it is."""
        handler = await continuation(details)
        if handler is None or handler.request_deserializer is None:
            return handler
        kinds = {"unary_unary": _one, "unary_stream": _one, "stream_stream": _many}
        wrapped = {
            kind: wrap(getattr(handler, kind), handler.request_deserializer)
            for kind, wrap in kinds.items()
            if getattr(handler, kind)
        }
        return handler._replace(request_deserializer=None, **wrapped)


def _one(work: Callable[..., Any], read: Callable[[bytes], object]) -> Callable[..., Any]:
    """A handler of one request: a coroutine, or a generator of responses."""

    async def replying(data: bytes, context: Any) -> Any:  # noqa: ANN401
        try:
            return await work(await _read(data, read, context), context)
        except grpc.aio.AbortError as error:
            del data
            raise _bare(error) from None

    async def streaming(data: bytes, context: Any) -> AsyncIterator[Any]:  # noqa: ANN401
        try:
            request = await _read(data, read, context)
            async with aclosing(work(request, context)) as responses:  # at once: a match goes on until its generator is closed
                async for response in responses:
                    yield response
        except grpc.aio.AbortError as error:
            data, request = b"", None
            raise _bare(error) from None

    return streaming if inspect.isasyncgenfunction(work) else replying


def _many(work: Callable[..., Any], read: Callable[[bytes], object]) -> Callable[..., Any]:
    """A handler of a stream of requests that generates responses."""

    async def streaming(requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[Any]:  # noqa: ANN401
        async def readable() -> AsyncIterator[object]:
            async for data in requests:
                yield await _read(data, read, context)

        async with aclosing(work(readable(), context)) as responses:
            async for response in responses:
                yield response

    return streaming


def _bare(error: grpc.aio.AbortError) -> grpc.aio.AbortError:
    """The error without its traceback, whose frames hold the request; gRPC keeps it (see `abort`) and wants it back."""
    return error.with_traceback(None)


async def _read(data: bytes, read: Callable[[bytes], T], context: Any) -> T:  # noqa: ANN401
    try:
        return read(data)
    except DecodeError:
        await abort(context, Refusal("INVALID_ARGUMENT", "GARBAGE", "the request cannot be read"))
