"""The JSON described by itself: an OpenAPI 3.1 document made from the declared routes, and a page that renders it."""

from __future__ import annotations

import re
from functools import cache
from http import HTTPStatus
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import msgspec
from flask import Blueprint, jsonify, render_template, url_for

from dashboard import api, owner_api
from dashboard.errors import PROBLEM, Problem
from dashboard.routes import JSON

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask.typing import ResponseReturnValue

    from dashboard.routes import Route, Routes

bp = Blueprint("openapi", __name__, url_prefix=api.PREFIX)

Json = dict[str, Any]

_REF = "#/components/schemas/{name}"
_PART = re.compile(r"<(?:(?P<kind>\w+)(?:\([^)]*\))?:)?(?P<name>\w+)>")
_TEXT = {"type": "string"}
_NUMBER = {"type": "integer", "minimum": 0}
PARTS: dict[tuple[str, str], tuple[tuple[str, Json, str], ...]] = {
    ("match", "match_id"): (
        ("league", _TEXT, "Name of a league"),
        ("variant", _TEXT, "A variant of the league, by its label"),
        ("n", _NUMBER, "Number of the match in its variant"),
    ),
    ("int", "set_number"): (("set", _NUMBER, "Number of a set, from 0"),),
    ("", "bot"): (("name", _TEXT, "Name of a bot in the standings of the league"),),
    ("", "seating"): (("seating", _TEXT, "Line-up index at each seat, such as 021"),),
}
"""What the parts of a path are called and are, by Flask's converter and name; others are called as they are."""
NAMES = {"leagues": ("league", "Name of a league"), "bots": ("bot", "Name of a bot")}
NUMBERS = {"deals": ("deal", "Number of a deal, from 0"), "submissions": ("submission", "Id of a submission")}
TAGS = {"api": "Results", "owner_api": "Owners"}
ABOUT = (
    "Leagues, matches and deals of this arena, as JSON, and what owners' programs do. Lists come a page at a time: "
    "follow `next` until it is null. Answers carry an `ETag`; sent back in `If-None-Match`, it is "
    "answered 304 while nothing has changed. Errors are problem documents (RFC 9457). `RateLimit-Policy` and `RateLimit` "
    "tell what is allowed and what is left; "
    "past it the answer is 429, and `Retry-After` says after how many seconds to ask again."
)


@bp.get("", strict_slashes=False)
def index() -> ResponseReturnValue:
    """Where the document and its page are, and every address with what it is for."""
    paths = described()["paths"]
    routes = {f"{method.upper()} {path}": one["summary"] for path, found in paths.items() for method, one in found.items()}
    return jsonify(openapi=url_for("openapi.document"), docs=url_for("openapi.page"), routes=routes)


@bp.get("/openapi.json")
def document() -> ResponseReturnValue:
    """The OpenAPI document."""
    return jsonify(described())


@bp.get("/docs")
def page() -> ResponseReturnValue:
    """The document for readers."""
    found = described()
    return render_template("api.html", document=found, tags=_by_tag(found))


def _by_tag(found: Json) -> dict[str, list[tuple[str, str, Json]]]:
    tags: dict[str, list[tuple[str, str, Json]]] = {}
    for path, methods in found["paths"].items():
        for method, operation in methods.items():
            tags.setdefault(operation["tags"][0], []).append((method.upper(), path, operation))
    return tags


@cache
def described() -> Json:
    """The document as plain data."""
    routes = [(routes, route) for routes in (api.api, owner_api.api) for route in routes]
    wanted = [*(route.types["return"] for _, route in routes if route.content == JSON), Problem]
    wanted += [route.body for _, route in routes if route.body]
    _, components = msgspec.json.schema_components(wanted, ref_template=_REF)
    paths: Json = {}
    for declared, route in routes:
        path, parameters = _path(f"{declared.blueprint.url_prefix}{route.rule}")
        operation = _operation(route, declared, [*parameters, *_query(route)])
        paths.setdefault(path, {})[route.method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": {"title": "Euchre Arena", "version": f"1 (arena {version('euchre-arena')})", "description": ABOUT},
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"key": _scheme()}},
    }


def _scheme() -> Json:
    return {"type": "http", "scheme": "bearer", "description": "An owner's key, which the organiser gives out"}


def _path(rule: str) -> tuple[str, list[Json]]:
    """A rule of Flask's as a path of OpenAPI, and its parameters."""
    parameters: list[Json] = []

    def part(found: re.Match[str]) -> str:
        before = rule[: found.start()].rstrip("/").rpartition("/")[2]
        named = _parts(found["kind"] or "", found["name"], before)
        for name, schema, doc in named:
            parameters.append({"name": name, "in": "path", "required": True, "schema": schema, "description": doc})
        return "/".join(f"{{{name}}}" for name, _, _ in named)

    return _PART.sub(part, rule), parameters


def _parts(kind: str, name: str, before: str) -> tuple[tuple[str, Json, str], ...]:
    if (kind, name) in PARTS:
        return PARTS[kind, name]
    table, schema = (NUMBERS, _NUMBER) if kind == "int" else (NAMES, _TEXT)
    shown, doc = table[before]
    return ((shown, schema, doc),)


def _query(route: Route) -> Iterator[Json]:
    if route.query is None:
        return
    _, components = msgspec.json.schema_components([route.query], ref_template=_REF)
    for name, schema in components[route.query.__name__]["properties"].items():
        told = schema.pop("description", "")
        if schema.get("default") == "":
            del schema["default"]
        yield {"name": name, "in": "query", "required": False, "schema": schema, "description": told}


def _operation(route: Route, declared: Routes, parameters: list[Json]) -> Json:
    summary, _, more = route.doc.partition("\n")
    name = declared.blueprint.name
    operation: Json = {
        "operationId": f"{'owner_' if route.private else ''}{route.name}",
        "tags": [TAGS[name]],
        "summary": summary,
    }
    if more.strip():
        operation["description"] = more.strip()
    operation["parameters"] = parameters
    body = _body(route)
    if body:
        operation["requestBody"] = body
    operation["responses"] = _responses(route, parameters)
    if route.private:
        operation["security"] = [{"key": []}]
    return operation


def _body(route: Route) -> Json | None:
    if route.upload:
        binary = {"schema": {"type": "string", "format": "binary"}}
        return {"required": True, "description": route.upload.doc, "content": dict.fromkeys(route.upload.types, binary)}
    if route.body is None:
        return None
    needed = any(field.required for field in msgspec.structs.fields(route.body))
    return {"required": needed, "content": {JSON: {"schema": {"$ref": _REF.format(name=route.body.__name__)}}}}


def _responses(route: Route, parameters: list[Json]) -> Json:
    responses: Json = {str(route.status): _answer(route)}
    if route.method == "GET":
        responses["304"] = {"description": "Nothing has changed since the answer whose ETag was sent"}
    for status in sorted(_errors(route, parameters)):
        responses[str(status)] = _problem(status)
    return responses


def _answer(route: Route) -> Json:
    answer: Json = {"description": "What was asked for" if route.method == "GET" else "Done"}
    if route.content == JSON:
        answer["content"] = {JSON: {"schema": {"$ref": _REF.format(name=route.types["return"].__name__)}}}
    else:
        answer["content"] = {route.content: {"schema": _TEXT}}
    if route.method == "GET":
        answer["headers"] = {"ETag": {"schema": _TEXT, "description": "Changes with the answer"}}
    return answer


def _errors(route: Route, parameters: list[Json]) -> set[int]:
    """Statuses of what may go wrong: what the declaration says, and what follows from it."""
    errors = {400, 429, 500, 503, *route.errors}
    if parameters:
        errors.add(404)
    if route.private:
        errors.add(401)
    if route.body:
        errors.add(415)
    return errors


def _problem(status: int) -> Json:
    found: Json = {
        "description": HTTPStatus(status).phrase,
        "content": {PROBLEM: {"schema": {"$ref": _REF.format(name=Problem.__name__)}}},
    }
    if status in {429, 503}:
        seconds = {"type": "integer", "minimum": 0}
        found["headers"] = {"Retry-After": {"schema": seconds, "description": "Seconds after which to ask again"}}
    return found
