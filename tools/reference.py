"""Write docs/protocol-reference.md from the .proto files and their comments; --check proves that it is current."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
    ServiceDescriptorProto,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.protobuf.descriptor_pb2 import SourceCodeInfo

ROOT: Final = Path(__file__).resolve().parent.parent
PROTO: Final = ROOT / "proto"
TARGET: Final = ROOT / "docs" / "protocol-reference.md"
FILES: Final = ("referee", "table", "cards", "control")
"""In the order in which a bot's author meets them."""

_HEAD = """# Protocol reference

Made by `python -m tools.reference` from the comments in [proto/euchre/v1](../proto/euchre/v1); do not edit. How the messages are
used, time and faults are in [protocol.md](protocol.md).

In proto JSON, field names are written in lowerCamelCase (`legal_cards` is `legalCards`), enum values by name, durations as
`"1.5s"`, `bytes` in base64. Fields that are 0, "", false or empty are left out; only where it says `optional` is 0 another thing
than nothing."""

Path_ = tuple[int, ...]


class UnshownError(ValueError):
    """The .proto files hold something that the page has no form for yet."""


def descriptors() -> FileDescriptorSet:
    """The .proto files as protoc reads them, with their comments."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "set.binpb")
        sources = [f"euchre/v1/{path.name}" for path in sorted((PROTO / "euchre/v1").glob("*.proto"))]
        options = [f"-I{PROTO}", "--include_source_info", f"--descriptor_set_out={out}"]
        subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *options, *sources], check=True)
        return FileDescriptorSet.FromString(out.read_bytes())


# ---- one file ---------------------------------------------------------------------------------------------------------


class Section:
    """The part of the page that one .proto file makes."""

    def __init__(self, file: FileDescriptorProto) -> None:
        self._file = file
        places: list[SourceCodeInfo.Location] = list(file.source_code_info.location)
        self._comments = {tuple(place.path): place.leading_comments for place in places}
        if file.extension:
            raise UnshownError(f"{file.name}: extensions")

    def lines(self) -> Iterator[str]:
        """Services, then messages, then enums, each in the order of the file."""
        yield from ("", f"## {Path(self._file.name).name}")
        for index, service in enumerate(self._file.service):
            yield from self._service((FileDescriptorProto.SERVICE_FIELD_NUMBER, index), service)
        for index, message in enumerate(self._file.message_type):
            yield from self._message((FileDescriptorProto.MESSAGE_TYPE_FIELD_NUMBER, index), message)
        for index, enum in enumerate(self._file.enum_type):
            yield from self._enum((FileDescriptorProto.ENUM_TYPE_FIELD_NUMBER, index), enum)

    def _service(self, path: Path_, service: ServiceDescriptorProto) -> Iterator[str]:
        yield from self._title("service", path, service.name)
        yield from _table("rpc", "request", "response", "meaning")
        for index, rpc in enumerate(service.method):
            about = self._cell((*path, ServiceDescriptorProto.METHOD_FIELD_NUMBER, index))
            yield _row(f"`{rpc.name}`", *_ends(rpc), about)

    def _message(self, path: Path_, message: DescriptorProto) -> Iterator[str]:
        if message.enum_type or message.extension or any(not nested.options.map_entry for nested in message.nested_type):
            raise UnshownError(f"{message.name}: types within a message")
        yield from self._title("message", path, message.name)
        if message.field:
            yield from _table("no.", "field", "type", "meaning")
        for index, field in enumerate(message.field):
            about = self._cell((*path, DescriptorProto.FIELD_FIELD_NUMBER, index))
            yield _row(str(field.number), f"`{field.name}`", _type(message, field), about)
        yield from _reserved([*message.reserved_name, *(f"{gap.start} to {gap.end - 1}" for gap in message.reserved_range)])

    def _enum(self, path: Path_, enum: EnumDescriptorProto) -> Iterator[str]:
        yield from self._title("enum", path, enum.name)
        yield from _table("no.", "value", "meaning")
        for index, value in enumerate(enum.value):
            about = self._cell((*path, EnumDescriptorProto.VALUE_FIELD_NUMBER, index))
            yield _row(str(value.number), f"`{value.name}`", about)
        yield from _reserved([*enum.reserved_name, *(f"{gap.start} to {gap.end}" for gap in enum.reserved_range)])

    def _title(self, kind: str, path: Path_, name: str) -> Iterator[str]:
        """Heading and comment. The name alone is the heading, so that it is the anchor as well."""
        yield from ("", f"### {name}", "")
        first, *rest = self._text(path).splitlines() or [""]
        yield from (f"*{kind}.* {first}", *rest)

    def _text(self, path: Path_) -> str:
        return "\n".join(line.strip() for line in self._comments.get(path, "").strip().splitlines())

    def _cell(self, path: Path_) -> str:
        return " ".join(self._text(path).split()).replace("|", "\\|")


def _ends(rpc: MethodDescriptorProto) -> tuple[str, str]:
    """Request and response of an rpc."""
    request, response = _link(rpc.input_type), _link(rpc.output_type)
    return ("stream " if rpc.client_streaming else "") + request, ("stream " if rpc.server_streaming else "") + response


def _type(message: DescriptorProto, field: FieldDescriptorProto) -> str:
    """The type of a field, with its label, as the .proto file writes it."""
    for nested in message.nested_type:
        if field.type_name.endswith(f".{message.name}.{nested.name}"):
            key, value = (_type(nested, part) for part in nested.field)
            return f"map<{key}, {value}>"
    name = _link(field.type_name) if field.type_name else FieldDescriptorProto.Type.Name(field.type)[5:].lower()
    if field.proto3_optional:
        return f"optional {name}"
    if field.HasField("oneof_index"):
        raise UnshownError(f"{message.name}.{field.name}: oneof")
    return f"repeated {name}" if field.label == FieldDescriptorProto.LABEL_REPEATED else name


def _link(name: str) -> str:
    """A link to one of our own types; the name of another."""
    own = name.removeprefix(".euchre.v1.")
    return f"[{own}](#{own.lower()})" if own != name else f"`{name.removeprefix('.')}`"


def _table(*columns: str) -> Iterator[str]:
    yield from ("", _row(*columns), _row(*("---" for _ in columns)))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def _reserved(what: list[str]) -> Iterator[str]:
    if what:
        yield from ("", f"Reserved: {', '.join(what)}.")


# ---- the page ---------------------------------------------------------------------------------------------------------


def lines(found: FileDescriptorSet) -> Iterator[str]:
    """The lines of the page. Raises UnshownError where a file, or something in one, would be left out."""
    files = {Path(file.name).stem: file for file in found.file}
    if set(files) != set(FILES):
        raise UnshownError(f"files {', '.join(sorted(files))} (tools/reference.py knows: {', '.join(FILES)})")
    yield _HEAD
    for name in FILES:
        yield from Section(files[name]).lines()


def main() -> int:
    """Run from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail where the page is not current")
    check = parser.parse_args().check
    text = "\n".join(lines(descriptors())) + "\n"
    if not check:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
        print("docs/protocol-reference.md is not current: run `python -m tools.reference`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
