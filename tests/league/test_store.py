"""Bots, leagues and matches in the store."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
from typing import TYPE_CHECKING, Any

import pytest

from league.errors import (
    AlreadyExists,
    BadName,
    BadSpec,
    BadStoreUrl,
    LeagueClosed,
    LeagueOpen,
    NotFound,
)
from league.model import BotVersion
from league.schedule import planned
from league.store import Store, match_key, token_hash
from tests.league.samples import KEY, add_bots, make_league, play_missing, spec, variant

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("bad", ["sqlite://", "sqlite:///:memory:", "mysql://root@here/x", "arena.db", ""])
def test_url_must_name_a_file_or_postgresql(bad: str) -> None:
    """A URL that cannot be a store is refused with the two kinds that can."""
    with pytest.raises(BadStoreUrl, match=r"sqlite:///path.*postgresql://"):
        Store(bad)


def test_url_with_a_password_is_not_shown() -> None:
    """The message about a bad URL does not repeat its password."""
    with pytest.raises(BadStoreUrl) as caught:
        Store("mysql://root:secret@here/x")
    assert "secret" not in str(caught.value)


# ---- bots -------------------------------------------------------------------------------------------------------------


def test_same_command_is_same_version(store: Store) -> None:
    """Adding a bot again with its command and folder changes nothing; another command or folder is the next version."""
    first = store.add_bot("ann", "python ann.py", now=10.0)
    assert first == BotVersion("ann", 1, "python ann.py", None, (), 10.0)
    assert store.add_bot("ann", "python ann.py", now=20.0) == first
    assert store.add_bot("ann", "python ann.py", cwd="/srv").version == 2
    assert store.add_bot("ann", "python ann2.py").version == 3
    assert store.add_bot("ann", "python ann.py").version == 4
    assert [version.run for version in store.bot("ann").versions] == ["python ann.py"] * 2 + [
        "python ann2.py",
        "python ann.py",
    ]
    assert store.bot("ann").versions[0] == first


@pytest.mark.parametrize("bad", ["", "Ann", "a b", "-a", "_a", "a/b", "a.b", "ä", "a" * 33, "ann\n"])
def test_bad_name_states_the_rule(store: Store, bad: str) -> None:
    """A name that breaks the rule is refused, for a bot of either kind and for a league, with the rule."""
    for add in (lambda: store.add_bot(bad, "x"), lambda: store.add_remote_bot(bad), lambda: make_league(store, name=bad)):
        with pytest.raises(BadName, match="1 to 32 of a-z, 0-9, _ and -"):
            add()
    assert [bot.name for bot in store.bots() if bot.name == bad] == []


@pytest.mark.parametrize("bad", ["", "  ", "python 'ann.py"])
def test_bad_command_is_refused(store: Store, bad: str) -> None:
    """A command without a word, or with an open quote, never becomes a version."""
    with pytest.raises(BadSpec, match="command"):
        store.add_bot("ann", bad)
    assert store.bots() == []


def test_removed_bot_stays_in_history(store: Store) -> None:
    """A removed bot is listed only on demand, plays in no new league, and comes back by being added."""
    make_league(store)
    store.remove_bot("a", now=5.0)
    store.remove_bot("a", now=6.0)
    assert [bot.name for bot in store.bots()] == ["b", "c", "d"]
    assert [bot.name for bot in store.bots(removed=True)] == ["a", "b", "c", "d"]
    assert store.bot("a").removed_at == 5.0
    assert store.match("summer/ghost-hand/0").lineup[0].bot == "a"
    with pytest.raises(NotFound, match=r"no bot 'a' to play.*b, c, d"):
        store.create_league(spec("autumn"))
    assert store.add_bot("a", "play a").version == 1
    assert store.create_league(spec("autumn")).bots[0].bot == "a"


def test_unknown_bot_lists_known_ones(store: Store) -> None:
    """A question about an unknown bot names those there are."""
    add_bots(store, "ab")
    for ask in (store.bot, store.remove_bot, store.renew_tokens, store.revoke_tokens):
        with pytest.raises(NotFound, match=r"no bot 'zoe' \(there are: a, b\)"):
            ask("zoe")


def test_only_hashes_of_tokens_are_kept(url: str, tmp_path: Path) -> None:
    """A remote bot's two tokens are given out once; what is stored, down to the bytes of the file, is their SHA-256."""
    with Store(url) as store:
        version, tokens = store.add_remote_bot("rem")
    assert version.remote
    assert version.tokens == tuple(hashlib.sha256(t.encode()).hexdigest() for t in (tokens.own, tokens.partner))
    assert min(len(tokens.own), len(tokens.partner)) >= 43
    with Store(url) as store:
        assert store.bot("rem").latest == version
        assert store.token_hashes() == dict.fromkeys(version.tokens, "rem")
    if url.startswith("sqlite"):
        stored = b"".join(file.read_bytes() for file in tmp_path.glob("arena.db*"))
        assert version.tokens[0].encode() in stored
        assert tokens.own.encode() not in stored
        assert tokens.partner.encode() not in stored


def test_tokens_are_revoked_and_renewed(store: Store) -> None:
    """Renewing replaces the latest version's tokens only; revoking ends all; a removed bot's are not handed out."""
    first, _ = store.add_remote_bot("rem")
    second, _ = store.add_remote_bot("rem")
    assert (first.version, second.version) == (1, 2)
    renewed = store.renew_tokens("rem")
    fresh = (token_hash(renewed.own), token_hash(renewed.partner))
    assert store.bot("rem").latest.tokens == fresh
    assert set(store.token_hashes()) == {*first.tokens, *fresh}
    store.remove_bot("rem")
    assert store.token_hashes() == {}
    store.add_remote_bot("rem")
    assert store.revoke_tokens("rem") == 6
    assert store.revoke_tokens("rem") == 0
    assert store.token_hashes() == {}
    assert store.bot("rem").latest.tokens == ()


def test_local_bot_needs_no_token(store: Store) -> None:
    """Tokens cannot be renewed for a bot that is started here."""
    add_bots(store, "a")
    with pytest.raises(BadSpec, match="local"):
        store.renew_tokens("a")


# ---- leagues ----------------------------------------------------------------------------------------------------------


def test_league_is_read_as_it_was_made(store: Store) -> None:
    """A league comes back with its options, clock, variants in order and bots by name; its key stays inside."""
    add_bots(store)
    made = store.create_league(spec(bots="dbca"), now=7.0)
    assert made == store.league("summer")
    assert [bot.bot for bot in made.bots] == list("abcd")
    assert [entry.label for entry in made.variants] == ["ghost-hand", "turn-up"]
    assert made.variants[0].options == variant("ghost-hand").options
    assert made.clock == spec().clock
    assert (made.created_at, made.revealed_at, made.key) == (7.0, None, None)
    assert made.commitment == hashlib.sha256(KEY).hexdigest()
    assert [entry.bots for entry in made.variants] == [3, 2]


def test_keys_are_drawn(store: Store) -> None:
    """Leagues made without a key get 32 random bytes, each its own."""
    first = make_league(store, name="one", key=None)
    second = make_league(store, name="two", key=None)
    assert first.commitment != second.commitment
    revealed = store.finish_league("one", abandon=True).key
    assert revealed is not None
    assert len(revealed) == 32
    assert hashlib.sha256(revealed).hexdigest() == first.commitment


def test_leagues_come_newest_first(store: Store) -> None:
    """The list of leagues starts with the latest."""
    for name in ("one", "two", "three"):
        make_league(store, name=name)
    assert [league.name for league in store.leagues()] == ["three", "two", "one"]


def test_league_name_is_taken_once(store: Store) -> None:
    """A second league of one name is refused and leaves the first alone."""
    first = make_league(store)
    with pytest.raises(AlreadyExists, match="'summer'"):
        store.create_league(spec(sets=9))
    assert store.league("summer") == first


def test_versions_are_pinned(store: Store) -> None:
    """A league plays on with the versions it was made with, whatever its bots become meanwhile."""
    league = make_league(store)
    store.add_bot("a", "play better")
    assert store.league("summer") == league
    assert store.match("summer/ghost-hand/0").lineup[0].version == 1
    assert make_league(store, name="autumn").bots[0].version == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sets": 0}, "at least one set"),
        ({"key": b"short"}, "32 bytes, not 5"),
        ({"variants": ()}, "at least one variant"),
        ({"bots": ("a", "b")}, "ghost-hand needs at least 3 bots, the league has 2"),
        ({"bots": ("a", "b", "c", "b")}, "twice.*: b"),
        ({"variants": (variant(), variant())}, "twice with the same options"),
        ({"variants": (variant(label="x"), variant("turn-up", label="x"))}, "labelled 'x'"),
    ],
)
def test_unplayable_league_is_refused(store: Store, change: dict[str, Any], message: str) -> None:
    """A league that cannot be played is refused with the reason, and nothing of it is stored."""
    add_bots(store)
    with pytest.raises(BadSpec, match=message):
        store.create_league(dataclasses.replace(spec(), **change))
    assert store.leagues() == []


@pytest.mark.parametrize("seatings", [((0, 1),), ((0, 1, 2), (0, 1, 3)), ((1, 2, 3),)])
def test_seatings_must_fit(store: Store, seatings: tuple[tuple[int, ...], ...]) -> None:
    """Seatings of a wrong length, or of other bots from one to the next, are refused."""
    add_bots(store)
    broken = dataclasses.replace(variant(), seatings=seatings)
    with pytest.raises(BadSpec, match="seat"):
        store.create_league(spec(variants=(broken,)))


def test_one_variant_twice_needs_no_label(store: Store) -> None:
    """The second of one variant is labelled with ".2", so that both have match ids of their own."""
    entries = (variant(), variant(joker=True), variant(target=10), variant("turn-up", label="classic"))
    league = make_league(store, variants=entries, bots="abc")
    assert [entry.label for entry in league.variants] == ["ghost-hand", "ghost-hand.2", "ghost-hand.3", "classic"]
    assert store.match("summer/ghost-hand.2/0").options["joker"] is True
    assert store.match("summer/classic/2").variant == "turn-up"
    with pytest.raises(KeyError, match="classic"):
        league.variant("turn-up")


@pytest.mark.parametrize("label", ["overall", "Ghost", "a/b", ".a", "a" * 65])
def test_bad_label_is_refused(store: Store, label: str) -> None:
    """A label that could not stand in ids and file names, or stands for all variants, is refused."""
    add_bots(store)
    with pytest.raises(BadName, match="label"):
        store.create_league(spec(variants=(variant(label=label),)))


def test_key_stays_secret_until_the_league_is_played(store: Store) -> None:
    """A league with matches left cannot be finished, not even while some are not stored yet; then its key comes out."""
    add_bots(store)
    league = store.create_league(spec(sets=1, variants=(variant("turn-up"),), bots="abc"))
    matches = list(planned(league))
    store.add_matches(matches[:2])
    for match in matches[:2]:
        play_missing(store, match.id)
    with pytest.raises(LeagueOpen, match="1 matches"):
        store.finish_league("summer")
    store.add_matches(matches)
    play_missing(store, matches[2].id)
    assert store.league("summer").key is None
    finished = store.finish_league("summer", now=99.0)
    assert (finished.key, finished.revealed_at) == (KEY, 99.0)
    assert store.finish_league("summer", now=100.0) == finished


def test_nothing_is_played_once_the_key_is_public(store: Store) -> None:
    """In an abandoned league no match is added, claimed or reported any more, for its deals are known."""
    league = make_league(store)
    match_id = "summer/ghost-hand/0"
    store.finish_league("summer", abandon=True)
    with pytest.raises(LeagueClosed):
        store.add_matches(planned(league))
    with pytest.raises(LeagueClosed):
        store.claim(match_id, "w", 60)
    with pytest.raises(LeagueClosed):
        play_missing(store, match_id, 1)
    assert store.match(match_id).games_done == 0


def test_unknown_league_lists_known_ones(store: Store) -> None:
    """A question about an unknown league names those there are."""
    make_league(store)
    for ask in (store.league, store.finish_league, store.progress):
        with pytest.raises(NotFound, match=r"no league 'winter' \(there are: summer\)"):
            ask("winter")


# ---- matches ----------------------------------------------------------------------------------------------------------


def test_match_key_agrees_with_the_published_vector() -> None:
    """The key of a match is the HMAC-SHA256 of its id under the league's key, as the published vectors have it."""
    league_key = bytes.fromhex("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
    wanted = "6548795d4444f3e4b86695ae5442fd2232513c069fbf51c03f439da925cba03d"
    assert match_key(league_key, "summer/ghost-hand/3").hex() == wanted


def test_matches_are_added_once(store: Store) -> None:
    """Adding matches again, alone or among new ones, adds only what is missing and changes nothing else."""
    add_bots(store)
    league = store.create_league(spec())
    matches = list(planned(league))
    assert store.add_matches(matches[:3]) == 3
    before = store.matches()
    assert store.add_matches(matches[1:5], now=1.0) == 2
    assert store.matches()[:3] == before
    assert store.add_matches(matches) == len(matches) - 5


def test_match_knows_all_it_needs(store: Store) -> None:
    """A match has its options, clock, seatings, line-up and the commitment to its key."""
    league = make_league(store)
    match = store.match("summer/turn-up/1")
    assert (match.league, match.label, match.variant, match.format) == ("summer", "turn-up", "turn-up", "deals:2")
    assert (match.options, match.clock) == (league.variants[1].options, league.clock)
    assert match.seatings == ((0, 1, 0, 1), (1, 0, 1, 0))
    assert [bot.run for bot in match.lineup] == ["play a", "play c"]
    assert (match.mode, match.sets, match.games_total, match.games_done, match.sets_done) == ("duplicate", 2, 4, 0, 0)
    assert store.match_key(match.id) == match_key(KEY, match.id)
    assert match.commitment == hashlib.sha256(match_key(KEY, match.id)).hexdigest()


def test_stray_match_is_refused(store: Store) -> None:
    """A planned match whose league, variant or version is not stored is refused, with all that came with it."""
    add_bots(store)
    league = store.create_league(spec())
    good, other, *_ = planned(league)
    stranger = (dataclasses.replace(good.lineup[0], version=7), *good.lineup[1:])
    for change, message in (
        ({"league": "winter"}, "winter"),
        ({"label": "whist"}, "whist"),
        ({"lineup": stranger}, "version 7"),
    ):
        with pytest.raises(NotFound, match=message):
            store.add_matches([good, dataclasses.replace(other, **change)])
    assert store.matches() == []


def test_missing_games_come_seating_by_seating(store: Store) -> None:
    """The games to play are all sets of one seating, then the next, without those that are stored."""
    make_league(store)
    match_id = "summer/turn-up/0"
    one, two = (0, 1, 0, 1), (1, 0, 1, 0)
    assert store.missing_games(match_id) == [(0, one), (1, one), (0, two), (1, two)]
    play_missing(store, match_id, 1)
    assert store.missing_games(match_id) == [(1, one), (0, two), (1, two)]
    play_missing(store, match_id)
    assert store.missing_games(match_id) == []


def test_remote_bots_see_no_deal_twice(store: Store) -> None:
    """A match with a remote bot plays each set once, as many games as others and every seating equally often."""
    store.add_remote_bot("rem")
    make_league(store, bots=("a", "b", "rem"), sets=2)
    by_bots = {tuple(bot.bot for bot in match.lineup): match for match in store.matches()}
    assert by_bots["a", "b"].mode == "duplicate"
    single = by_bots["a", "b", "rem"]
    assert (single.mode, single.sets, single.games_total) == ("single", 12, 12)
    missing = store.missing_games(single.id)
    assert sorted(number for number, _ in missing) == list(range(12))
    assert {seating: [s for _, s in missing].count(seating) for seating in single.seatings} == dict.fromkeys(single.seatings, 2)
    play_missing(store, single.id)
    assert store.match(single.id).state == "complete"
    assert store.match(single.id).sets_done == 12


def test_remote_bots_may_play_sets_on_demand(store: Store) -> None:
    """A league made with remote_sets plays duplicate sets with remote bots too."""
    store.add_remote_bot("rem")
    make_league(store, bots=("a", "b", "rem"), remote_sets=True)
    assert {match.mode for match in store.matches()} == {"duplicate"}


def test_unknown_match_is_not_found(store: Store) -> None:
    """Every question about a match that is not stored says so."""
    for ask in (store.match, store.match_key, store.missing_games, store.games, store.attempts):
        with pytest.raises(NotFound, match="nowhere/x/0"):
            ask("nowhere/x/0")
    with pytest.raises(NotFound):
        list(store.record_lines("nowhere/x/0"))
    with pytest.raises(NotFound):
        store.claim("nowhere/x/0", "w", 1)


def test_list_is_filtered(store: Store) -> None:
    """The list of matches can be narrowed to a league, a variant, a bot and a state, and to all of them at once."""
    make_league(store)
    make_league(store, name="autumn", bots="abc")
    play_missing(store, "summer/turn-up/0")
    store.claim("summer/turn-up/1", "w", 60, now=100.0)

    def ids(**filters: Any) -> set[str]:
        return {match.id for match in store.matches(now=120.0, **filters)}

    everything = ids()
    assert len(everything) == (4 + 6) + (1 + 3)
    assert ids(league="autumn") == {name for name in everything if name.startswith("autumn")}
    assert ids(league="autumn", label="ghost-hand") == {"autumn/ghost-hand/0"}
    assert ids(bot="d") == {m.id for m in store.matches() if "d" in [bot.bot for bot in m.lineup]}
    assert ids(state="complete") == {"summer/turn-up/0"}
    assert ids(state="running") == {"summer/turn-up/1"}
    assert ids(state="open") == everything - {"summer/turn-up/0"}
    assert ids(state="waiting") == everything - {"summer/turn-up/0", "summer/turn-up/1"}
    assert ids(league="summer", label="turn-up", bot="b", state="waiting") == {"summer/turn-up/3", "summer/turn-up/4"}
    with pytest.raises(ValueError, match=r"'done' \(known: waiting, running, complete, dropped, open\)"):
        store.matches(state="done")  # type: ignore[arg-type]


@pytest.mark.parametrize("newest_first", [False, True])
def test_pages_hold_everything_once(store: Store, newest_first: bool) -> None:
    """Paging by cursor meets every match once, in order, even when matches are added meanwhile."""
    league = make_league(store, name="spring", bots="abc")
    assert league.name == "spring"
    pages, after = [], None
    for number in itertools.count():
        page = store.matches(after=after, limit=2, newest_first=newest_first)
        if not page:
            break
        pages += [match.id for match in page]
        after = page[-1].cursor
        if number == 0:
            make_league(store, name="later", bots="abc", variants=(variant(),))
    spring = sorted(match.id for match in planned(league))
    assert sorted(name for name in pages if name.startswith("spring")) == spring
    assert pages == [m.id for m in store.matches(newest_first=newest_first) if m.id in pages]
