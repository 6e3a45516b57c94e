"""The languages with a starting bot: how each is built, tested and run, as `arena new` and the start pages tell."""

from __future__ import annotations

from dataclasses import dataclass, field

BUILT = frozenset(
    {"target", "node_modules", "build", "dist", "gen", "generated", "__pycache__", ".build.lock"}
    | {".git", ".gradle", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".venv"}
)
"""What building and testing make: never copied."""


@dataclass(frozen=True)
class Language:
    """How a starting bot in one language is made from its sample. Commands are a shell's, in the bot's folder."""

    source: str
    """The sample's folder, in the project."""
    run: str
    """The command that starts the bot."""
    test: str
    """The command that tests it."""
    title: str
    """What people call it."""
    ships: str
    """The command that puts what is to be submitted, once it is built, into the folder `out`."""
    hosted: str
    """The command that starts it from there."""
    needs: str
    """What must be installed to build and run it, in a sentence."""
    build: tuple[str, ...] = ()
    """The commands that build it."""
    about: str = ""
    """For a README of its own, in place of the sample's: a title, what is needed, and what is where, each a paragraph."""
    proto: bool = True
    """Whether it is built from the .proto files, which then come along."""
    replace: dict[str, str] = field(default_factory=dict)
    """What reads differently outside the project, in any of its files; what all have in common is seen to without."""
    built: frozenset[str] = BUILT
    """Files and folders that are not copied."""


BUF = """`buf`, which `{install} buf-bin` brings if `make check` in the project has not"""
"""How to come by the program that generates Go."""

FAR = """Far from the referee, start the bot with `EUCHRE_REFEREE=tls:host:port` and `EUCHRE_TOKEN` in its environment;
`EUCHRE_TLS_CA` names the certificates to trust, `EUCHRE_TLS_CERT` and `EUCHRE_TLS_KEY` its own."""
"""How each bot plays from elsewhere."""

LANGUAGES = {
    "python": Language(
        "sample_bots/python/starter",
        "python bot.py",
        "{python} -m unittest",
        title="Python",
        ships="mkdir -p out && cp bot.py out/",
        hosted="python bot.py",
        needs="Python 3.11 or newer, which the arena has.",
        proto=False,
    ),
    "awk": Language(
        "sample_bots/awk",
        "arena bridge -- awk -W interactive -f bot.awk",
        "./test.sh",
        title="awk",
        ships="mkdir -p out && cp bot.awk out/",
        hosted="python -m arena bridge -- awk -W interactive -f bot.awk",
        needs="Nothing but awk; any program that reads and writes lines will do in its place.",
        proto=False,
    ),
    "go": Language(
        "sample_bots/go",
        "build/bot",
        "go test ./...",
        title="Go",
        ships="mkdir -p out && cp build/bot out/",
        hosted="./bot",
        needs="Go 1.26 or newer, and `buf`, which `make check` in the project brings.",
        build=('PATH="{bin}:$PATH" go generate', "go build -o build/bot"),
        about=f"""A bot in Go

Needed: Go 1.26 or newer, and {BUF}. `go generate` makes Go of `proto/` with the plugins that go.mod pins.

`main.go` is the bot, `main_test.go` tests what it answers.""",
    ),
    "rust": Language(
        "sample_bots/rust",
        "target/release/euchre-bot",
        "cargo test --release --locked",
        title="Rust",
        ships="mkdir -p out && cp target/release/euchre-bot out/",
        hosted="./euchre-bot",
        needs="Rust 1.88 or newer, and a C compiler.",
        build=("cargo build --release --locked",),
        about="""A bot in Rust

Needed: Rust 1.88 or newer, and a C compiler for the encryption. `build.rs` makes Rust of `proto/`
with the protoc that Cargo.lock pins.

`src/main.rs` is the bot, `src/tests.rs` tests what it answers.""",
    ),
    "java": Language(
        "sample_bots/java",
        "java -jar target/bot.jar",
        "mvn -q -B test",
        title="Java",
        ships="mkdir -p out && cp target/bot.jar out/",
        hosted="java -jar bot.jar",
        needs="JDK 17 and Maven 3.8, or newer.",
        build=("mvn -q -B -DskipTests package",),
        about="""A bot in Java

Needed: JDK 17 and Maven 3.8, or newer. Maven brings the protoc that makes Java of `proto/`.

`src/main/java/Bot.java` is the bot, `src/test/java/BotTest.java` tests what it answers.""",
    ),
    "typescript": Language(
        "sample_bots/typescript",
        "node dist/bot.js",
        "npm test",
        title="TypeScript",
        ships="mkdir -p out && cp -r dist node_modules proto package.json out/",
        hosted="node dist/bot.js",
        needs="Node 20 or newer.",
        build=("npm ci", "npm run build"),
        about="""A bot in TypeScript

Needed: Node 20 or newer. Types are generated from `proto/`, which the bot also reads when it starts.

`bot.ts` is the bot, `bot.test.js` tests what it answers.""",
    ),
    "cpp": Language(
        "sample_bots/cpp",
        "build/bot",
        "make test",
        title="C++",
        ships="mkdir -p out && cp build/bot out/",
        hosted="./bot",
        needs="A compiler for C++20, and gRPC with its headers; in Debian the packages g++, make, pkg-config, libgrpc++-dev, "
        "libprotobuf-dev, protobuf-compiler and protobuf-compiler-grpc.",
        build=("make",),
        about="""A bot in C++

Needed: a compiler for C++20 and gRPC; in Debian, the packages g++, make, pkg-config, libgrpc++-dev, libprotobuf-dev,
protobuf-compiler and protobuf-compiler-grpc. `protoc` makes C++ of `proto/`.

`bot.cc` is the bot, `test.cc` tests what it answers.""",
        replace={"make -C sample_bots/cpp": "make"},
    ),
}
"""By name; an entry here makes a language known."""
