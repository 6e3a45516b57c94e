"""Routes of the JSON, declared once by their types: requests are read, answers sent and the OpenAPI document made from them.

A view's parameters are those of its path; `query`, a struct, is what may stand behind the question mark, and `body`, a struct,
what the request may carry. What it returns, a struct, is the answer. What does not fit is a 400 that names what is wrong.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec
from flask import Response, abort, request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Blueprint

JSON = "application/json"
View = "Callable[..., Any]"


@dataclass(frozen=True)
class Upload:
    """A body that is a file, of one of these media types."""

    types: tuple[str, ...]
    doc: str


@dataclass(frozen=True)
class Route:
    """One address and method, and everything that is to be said of it."""

    method: str
    rule: str
    """Behind the blueprint's prefix, as Flask writes it."""
    view: Callable[..., Any]
    status: int
    """Of its answer, where all is well."""
    content: str
    """Media type of its answer."""
    errors: tuple[int, ...]
    """Statuses of what may go wrong here, beside what may everywhere."""
    private: bool
    """Whether an owner's key must be shown."""
    upload: Upload | None
    types: dict[str, Any]
    """Of the view's parameters and, as `return`, of its answer."""

    @property
    def name(self) -> str:
        """Its name within the blueprint."""
        return self.view.__name__

    @property
    def doc(self) -> str:
        """What it does, in words."""
        return inspect.getdoc(self.view) or ""

    @property
    def query(self) -> type[msgspec.Struct] | None:
        """What may stand behind the question mark."""
        return self.types.get("query")

    @property
    def body(self) -> type[msgspec.Struct] | None:
        """What the request may carry."""
        return self.types.get("body")


class Routes:
    """The declared routes of one blueprint."""

    def __init__(self, blueprint: Blueprint, *, guard: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None) -> None:
        """Collect the routes of a blueprint; `guard` lets in who shows a key, and makes every route private."""
        self.blueprint = blueprint
        self._guard = guard
        self._routes: list[Route] = []

    def __iter__(self) -> Iterator[Route]:
        return iter(self._routes)

    def get(self, rule: str, *, errors: tuple[int, ...] = (), content: str = JSON) -> Callable[[Callable[..., Any]], Any]:
        """Declare a view that reads."""
        return self._declare("GET", rule, errors=errors, content=content)

    def post(
        self, rule: str, *, errors: tuple[int, ...] = (), status: int = 200, upload: Upload | None = None
    ) -> Callable[[Callable[..., Any]], Any]:
        """Declare a view that changes something."""
        return self._declare("POST", rule, errors=errors, status=status, upload=upload)

    def _declare(  # noqa: PLR0913 -- one argument a thing that is said of a route
        self,
        method: str,
        rule: str,
        *,
        errors: tuple[int, ...],
        status: int = 200,
        content: str = JSON,
        upload: Upload | None = None,
    ) -> Callable[[Callable[..., Any]], Any]:
        def declare(view: Callable[..., Any]) -> Callable[..., Any]:
            types = get_type_hints(view, include_extras=True)
            route = Route(method, rule, view, status, content, errors, self._guard is not None, upload, types)
            self._routes.append(route)
            served = _serving(route)
            served = self._guard(served) if self._guard else served
            self.blueprint.add_url_rule(rule, route.name, served, methods=[method], strict_slashes=False)
            return view

        return declare


def _serving(route: Route) -> Callable[..., Response]:
    @wraps(route.view)
    def serve(**path: Any) -> Response:  # noqa: ANN401 -- what the path holds
        given = path | _given(route)
        found = route.view(**given)
        if isinstance(found, Response):
            return found
        return Response(msgspec.json.encode(found), route.status, mimetype=JSON)

    return serve


def _given(route: Route) -> dict[str, Any]:
    """What the request brings beside its path, as the view's arguments."""
    given: dict[str, Any] = {}
    query = _query(route.query or _Nothing)
    if route.query:
        given["query"] = query
    if route.body:
        given["body"] = _body(route.body)
    return given


class _Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """No parameters."""


def _query(wanted: type[msgspec.Struct]) -> msgspec.Struct:
    """The parameters behind the question mark. Aborts with 400 where one is unknown, given twice, or not what it must be."""
    known = ", ".join(field.name for field in msgspec.structs.fields(wanted)) or "none"
    for name, values in request.args.lists():
        if name not in wanted.__struct_fields__:
            abort(400, f"There is no parameter {name!r} here (there are: {known}).")
        if len(values) > 1:
            abort(400, f"The parameter {name!r} is given {len(values)} times; once is allowed.")
    try:
        return msgspec.convert(request.args.to_dict(), wanted, strict=False)
    except msgspec.ValidationError as error:
        abort(400, f"A parameter is not what it must be: {_plain(error)}.")


def _body(wanted: type[msgspec.Struct]) -> msgspec.Struct:
    """The JSON that the request carries; none at all stands for an empty object."""
    if request.content_length and not request.is_json:
        abort(415, f"The body must be {JSON}, not {request.mimetype or 'of an unnamed type'}.")
    try:
        found = msgspec.json.decode(request.get_data() or b"{}")
        if isinstance(found, dict):  # to JSON 3.0 is a whole number
            found = {key: int(one) if isinstance(one, float) and one.is_integer() else one for key, one in found.items()}
        return msgspec.convert(found, wanted)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        abort(400, f"The body must be JSON such as {_example(wanted)}: {_plain(error)}.")


def _plain(error: Exception) -> str:
    """What a reader of data says, with its notation for places as words."""
    return str(error).replace(" - at `$.", " (in `").replace(" - at `$`", "").replace("`$.", "`") + (
        ")" if " - at `$." in str(error) else ""
    )


def _example(wanted: type[msgspec.Struct]) -> str:
    return getattr(wanted, "EXAMPLE", "{}")
