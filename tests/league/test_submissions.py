"""The store's owners, submissions and files, on both backends."""

from __future__ import annotations

import hashlib
import io
import os
import threading
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from league.errors import AlreadyExists, BadName, BadSpec, NotAllowed, NotFound, TooMany
from league.schedule import planned
from league.store import Store
from tests.league.samples import add_bots, spec, variant

if TYPE_CHECKING:
    from league.model import Json, Submission

TREE = hashlib.sha256(b"a tree").hexdigest()


def manifest(name: str = "hosted", **others: Any) -> Json:
    """A bot.toml as it is stored."""
    return {"name": name, "run": "python bot.py", "build": "", "variants": ["ghost-hand", "turn-up"], "description": "", **others}


def tree(number: object) -> str:
    """The name of some tree."""
    return hashlib.sha256(str(number).encode()).hexdigest()


def qualify(store: Store, found: Submission, reason: str | None = None, now: float = 100.0) -> None:
    """Do what a worker does; with a reason, it fails."""
    claim = store.claim_submission(found.id, 30, now=now)
    assert claim is not None
    assert store.submission_built(claim, found.tree)
    if reason is None:
        assert store.qualified(claim, [{"name": "check", "status": "passed"}], now=now + 1)
    else:
        assert store.unqualified(claim, reason, [{"name": "check", "status": "failed"}], now=now + 1)


def hand_in(store: Store, number: object, name: str = "hosted", *, good: bool = True, **others: Any) -> Submission:
    """Submit a version and have it qualified, or failed."""
    found = store.submit("ann", manifest(name), tree(number), **others)
    qualify(store, found, None if good else "it cheats")
    return store.submission(name, found.version)


@pytest.fixture
def owned(store: Store) -> Store:
    """A store with the owner "ann" and the bots a, b, c, d of the organiser's."""
    store.add_owner("ann", most_bots=3, most_hourly=50)
    add_bots(store)
    return store


# ---- owners and keys --------------------------------------------------------------------------------------------------


def test_a_key_is_good_until_it_is_revoked(store: Store) -> None:
    """A key says whose it is, is kept as its hash only, and is void for good once revoked."""
    key = store.add_owner("ann")
    other = store.add_key("ann", "laptop")
    found = store.key_owner(key, now=1000.0)
    assert found is not None
    assert (found.owner, found.label) == ("ann", "")
    assert key.startswith(found.prefix + "-")
    with store._read() as connection:
        everything = repr(connection.execute(text("SELECT * FROM owner_keys")).all())
    assert key not in everything
    assert hashlib.sha256(key.encode()).hexdigest() in everything
    assert store.key_owner(key + "x") is None
    assert store.key_owner("") is None
    assert [one.used_at for one in store.keys("ann")] == [1000.0, None]
    store.revoke_key("ann", found.prefix, now=5.0)
    assert store.revoke_key("ann", found.prefix, now=9.0).revoked_at == 5.0
    assert store.key_owner(key) is None
    assert store.live_key(found.id) is None
    assert store.key_owner(other) is not None
    with pytest.raises(NotFound, match=rf"no key 'arena-0' \(there are: {found.prefix}, arena-"):
        store.revoke_key("ann", "arena-0")


def test_owners(store: Store) -> None:
    """Owners have names by the rule, once, and limits that can be changed."""
    store.add_owner("ann", now=1.0)
    with pytest.raises(AlreadyExists, match="arena owner key add ann"):
        store.add_owner("ann")
    with pytest.raises(BadName):
        store.add_owner("Ann")
    with pytest.raises(BadSpec, match="at least one"):
        store.add_owner("bea", most_bots=0)
    with pytest.raises(NotFound, match=r"no owner 'cid' \(there are: ann\)"):
        store.add_key("cid")
    assert store.limit_owner("ann", most_hourly=99).most_hourly == 99
    assert store.owner("ann").most_bots == 5


def test_a_removed_owner_is_out(owned: Store) -> None:
    """Keys are void at once and the bots take part in nothing new; what was submitted can still be read."""
    key = owned.add_key("ann")
    hand_in(owned, 1)
    assert owned.remove_owner("ann") == ["hosted"]
    assert owned.key_owner(key) is None
    assert [one.name for one in owned.owners()] == []
    assert [one.name for one in owned.owners(removed=True)] == ["ann"]
    with pytest.raises(NotFound):
        owned.submit("ann", manifest(), TREE)
    with pytest.raises(NotFound, match="no bot 'hosted' to play"):
        owned.create_league(spec(bots=("a", "b", "hosted")))
    assert owned.submission("hosted").state == "qualified"


def test_a_secret_is_drawn_once(url: str) -> None:
    """Every process of a store knows the same secret."""
    with Store(url) as one, Store(url) as other:
        assert one.secret("x") == other.secret("x")
        assert one.secret("x") != one.secret("y")
        assert len(one.secret("x")) == 32


# ---- files ------------------------------------------------------------------------------------------------------------


def test_files(store: Store) -> None:
    """A file is stored once by its content's SHA-256, and comes back as it was; a wrong name stores nothing."""
    content = os.urandom(1 << 20) + bytes(2_500_000)
    name = hashlib.sha256(content).hexdigest()
    for _ in range(2):
        store.add_blob(name, io.BytesIO(content))
    assert b"".join(store.blob(name)) == content
    with pytest.raises(ValueError, match=f"not {TREE}"):
        store.add_blob(TREE, io.BytesIO(content))
    assert not store.has_blob(TREE)
    with pytest.raises(NotFound, match=TREE):
        list(store.blob(TREE))


def test_a_file_counts_once_it_is_whole(store: Store) -> None:
    """Parts that somebody left behind are no file; the same file stored again makes it whole."""
    content = os.urandom(3 << 20)
    name = hashlib.sha256(content).hexdigest()

    class Broken(io.BytesIO):
        reads = 0

        def read(self, size: int | None = -1) -> bytes:
            self.reads += 1
            if self.reads > 6:  # 4 reads for the hash, then the parts
                raise OSError("the disk is gone")
            return super().read(size)

    with pytest.raises(OSError, match="gone"):
        store.add_blob(name, Broken(content))
    assert not store.has_blob(name)
    store.add_blob(name, io.BytesIO(content))
    assert b"".join(store.blob(name)) == content


def test_files_that_nobody_can_play_are_swept_away(owned: Store) -> None:
    """Of versions that failed or were withdrawn long ago, unless a league has them; handed in again they are as good as new."""
    names = {}
    for number, word in enumerate(("failed", "withdrawn", "played", "good", "waiting", "late", "again")):
        content = word.encode()
        names[word] = hashlib.sha256(content).hexdigest()
        owned.add_blob(names[word], io.BytesIO(content), now=10.0)
        found = owned.submit("ann", manifest(), names[word], now=10.0 + number)
        if word != "waiting":
            qualify(owned, found, "it cheats" if word in ("failed", "again") else None, now=1000.0 if word == "late" else 100.0)
        if word == "played":
            owned.create_league(spec(bots=("hosted", "a", "b", "c", "d")))
        if word in ("withdrawn", "played"):
            owned.withdraw("hosted", found.version, now=120.0)
    owned.withdraw("hosted", 6, now=1100.0)
    owned.add_blob(names["again"], io.BytesIO(b"again"), now=900.0)
    swept = sorted((names[word], len(word)) for word in ("failed", "withdrawn"))
    assert owned.sweep_blobs(500.0, only_look=True) == swept
    assert owned.has_blob(names["failed"])
    assert owned.sweep_blobs(500.0) == swept
    assert owned.sweep_blobs(500.0) == []
    assert {word for word, name in names.items() if owned.has_blob(name)} == {"played", "good", "waiting", "late", "again"}
    with pytest.raises(NotFound, match=names["failed"]):
        list(owned.blob(names["failed"]))
    owned.add_blob(names["failed"], io.BytesIO(b"failed"))
    assert b"".join(owned.blob(names["failed"])) == b"failed"


# ---- submitting -------------------------------------------------------------------------------------------------------


def test_a_submission_is_a_version(owned: Store) -> None:
    """Each hand-in is the bot's next version, immutable, and shown with its manifest."""
    first = owned.submit("ann", manifest(description="Plays."), TREE, now=5.0)
    assert (first.bot, first.version, first.owner, first.state, first.tree) == ("hosted", 1, "ann", "submitted", TREE)
    assert first.manifest == manifest(description="Plays.")
    second = owned.submit("ann", manifest(), tree(2), now=6.0)
    assert second.version == 2
    bot = owned.bot("hosted")
    assert (bot.owner, bot.current, bot.latest.version) == ("ann", None, 2)
    assert [(one.tree, one.state, one.hosted) for one in bot.versions] == [
        (TREE, "submitted", True),
        (tree(2), "submitted", True),
    ]
    assert bot.versions[0].variants == ("ghost-hand", "turn-up")
    assert [one.version for one in owned.submissions("ann")] == [2, 1]
    assert owned.submissions("bea") == []
    assert owned.submissions(bot="hosted", states=["failed"]) == []
    assert owned.submission("hosted", 1) == first
    with pytest.raises(NotFound, match=r"no version 3 \(it has: 1, 2\)"):
        owned.submission("hosted", 3)
    with pytest.raises(NotFound, match="added by the organiser"):
        owned.submission("a")


def test_the_same_again_is_the_same_version(owned: Store) -> None:
    """Files and manifest of the newest version add nothing, while that is good; once failed, they are tried anew."""
    first = owned.submit("ann", manifest(), TREE)
    assert owned.submit("ann", manifest(), TREE) == first
    assert owned.submit("ann", manifest(run="python3 bot.py"), TREE).version == 2
    qualify(owned, owned.submission("hosted", 2), "it cheats")
    assert owned.submit("ann", manifest(run="python3 bot.py"), TREE).version == 3


def test_names_belong_to_somebody(owned: Store) -> None:
    """Nobody submits a version of another's bot, and the organiser adds none to an owner's."""
    owned.add_owner("bea")
    owned.submit("ann", manifest(), TREE)
    for owner, name in (("bea", "hosted"), ("ann", "a")):
        with pytest.raises(NotAllowed, match="not yours; choose another name"):
            owned.submit(owner, manifest(name), TREE)
    with pytest.raises(BadSpec, match="belongs to owner 'ann'"):
        owned.add_bot("hosted", "python mine.py")
    owned.remove_bot("hosted")
    with pytest.raises(NotAllowed, match="the organiser has removed"):
        owned.submit("ann", manifest(), tree(2))


def test_limits_of_an_owner(owned: Store) -> None:
    """So many submissions an hour, so many bots: beyond it nothing is stored, and it is said when to come again."""
    owned.limit_owner("ann", most_bots=2, most_hourly=3)
    for number in range(3):
        owned.submit("ann", manifest(), tree(number), now=1000.0 + 600 * number)
    with pytest.raises(TooMany, match=r"3 times within an hour \(allowed: 3\); try again in 30 min") as caught:
        owned.submit("ann", manifest(), tree(4), now=2800.0)
    assert caught.value.retry_after == 1800.0
    with pytest.raises(TooMany):
        owned.check_submission("ann", manifest(), tree(4), now=2800.0)
    assert owned.submit("ann", manifest(), tree(2), now=2800.0).version == 3  # the same again costs nothing
    owned.submit("ann", manifest("other"), tree(4), now=4601.0)
    with pytest.raises(TooMany, match=r"2 bots already \(hosted, other; allowed: 2\)") as caught:
        owned.submit("ann", manifest("third"), tree(5), now=9000.0)
    assert caught.value.retry_after is None
    assert [one.name for one in owned.bots() if one.owner] == ["hosted", "other"]


# ---- qualification ----------------------------------------------------------------------------------------------------


def test_the_way_to_qualified(owned: Store) -> None:
    """Building, qualifying, qualified; the built files are what is played, and the version becomes the bot's."""
    found = owned.submit("ann", manifest(), TREE)
    claim = owned.claim_submission(found.id, 30, now=10.0)
    assert claim is not None
    assert owned.submission("hosted").state == "building"
    assert owned.claim_submission(found.id, 30, now=39.0) is None
    assert owned.submission_built(claim, tree("built"))
    assert owned.submission("hosted").state == "qualifying"
    assert owned.qualified(claim, [{"name": "check", "status": "passed", "detail": "x\0y"}], now=20.0)
    done = owned.submission("hosted")
    assert (done.state, done.built, done.ended_at, done.pending) == ("qualified", tree("built"), 20.0, False)
    assert done.report[0]["status"] == "passed"
    current = owned.bot("hosted").current
    assert current is not None
    assert (current.version, current.tree) == (1, tree("built"))
    assert owned.claim_submission(found.id, 30, now=99.0) is None


def test_a_worker_that_dies_is_replaced(owned: Store) -> None:
    """When a lease has run out another may take over, and whoever lost it changes nothing any more."""
    found = owned.submit("ann", manifest(), TREE)
    first = owned.claim_submission(found.id, 30, now=10.0)
    assert first is not None
    assert owned.waiting_submissions(now=39.0) == []
    assert owned.renew_submission(first, 30, now=39.0)
    assert owned.waiting_submissions(now=69.5) == [found.id]
    second = owned.claim_submission(found.id, 30, now=69.5)
    assert second is not None
    assert not owned.renew_submission(first, 30, now=70.0)
    assert not owned.qualified(first, [])
    assert not owned.unqualified(first, "no", [])
    assert not owned.unfinished(first, "no")
    assert owned.submission("hosted").state == "building"
    assert owned.qualified(second, []) is True


def test_one_of_several_workers_gets_it(url: str) -> None:
    """Workers that come at the same moment do not work on the same submission."""
    with Store(url) as store:
        store.add_owner("ann")
        found = store.submit("ann", manifest(), TREE)
    gate, got = threading.Barrier(4), []

    def work() -> None:
        with Store(url) as mine:
            gate.wait()
            got.append(mine.claim_submission(found.id, 30))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(claim is not None for claim in got) == 1


def test_what_is_not_the_bots_fault_is_tried_again(owned: Store) -> None:
    """It goes back with a note, later and later, and at once where the worker was only told to stop."""
    found = owned.submit("ann", manifest(), TREE)
    now, pauses = 100.0, []
    for _ in range(9):
        claim = owned.claim_submission(found.id, 30, now=now)
        assert claim is not None
        assert owned.unfinished(claim, "no sandbox here", now=now)
        assert owned.submission("hosted").note == "no sandbox here"
        assert owned.waiting_submissions(now=now) == []
        pause = next(step for step in range(1, 1000) if owned.waiting_submissions(now=now + step))
        pauses.append(pause)
        now += pause
    assert pauses == [5, 10, 20, 40, 80, 160, 320, 600, 600]
    claim = owned.claim_submission(found.id, 30, now=now)
    assert claim is not None
    assert owned.unfinished(claim, "told to stop", again_at_once=True, now=now)
    assert owned.waiting_submissions(now=now) == [found.id]
    qualify(owned, owned.submission("hosted"))
    assert owned.submission("hosted").note == ""


def test_a_report_that_is_too_long_is_cut(owned: Store) -> None:
    """What bots wrote is left out of a report that would fill the store; the steps and the reason stay."""
    found = owned.submit("ann", manifest(), TREE)
    claim = owned.claim_submission(found.id, 30)
    assert claim is not None
    steps = [{"name": "build", "status": "failed", "output": "x" * 1_000_000}]
    assert owned.unqualified(claim, "long " * 1000, steps)
    done = owned.submission("hosted")
    assert done.report == ({"name": "build", "status": "failed"},)
    assert len(done.reason) == 1000


# ---- which version plays ----------------------------------------------------------------------------------------------


def test_promotion_follows_qualification(owned: Store) -> None:
    """A version plays once it is qualified, unless it is held or a newer one plays already."""
    hand_in(owned, 1)
    assert owned.bot("hosted").promoted == 1
    hand_in(owned, 2, promote=False)
    assert owned.bot("hosted").promoted == 1
    slow = owned.submit("ann", manifest(), tree(3))
    hand_in(owned, 4)
    qualify(owned, slow)
    assert owned.bot("hosted").promoted == 4
    hand_in(owned, 5, good=False)
    assert owned.bot("hosted").promoted == 4


def test_promote_and_roll_back(owned: Store) -> None:
    """Any qualified version can be promoted; rolling back goes to the qualified one before."""
    for number, good in enumerate((True, False, True, True)):
        hand_in(owned, number, good=good)
    assert owned.roll_back("hosted").version == 3
    assert owned.roll_back("hosted").version == 1
    with pytest.raises(BadSpec, match="no qualified version before v1"):
        owned.roll_back("hosted")
    assert owned.promote("hosted", 4).version == 4
    with pytest.raises(BadSpec, match=r"hosted v2 did not qualify: it cheats \(allowed: .* there are: 1, 3, 4\)"):
        owned.promote("hosted", 2)
    with pytest.raises(NotFound, match=r"no version 9 \(it has: 1, 2, 3, 4\)"):
        owned.promote("hosted", 9)
    for change in (lambda: owned.promote("a", 1), lambda: owned.roll_back("a"), lambda: owned.withdraw("a")):
        with pytest.raises(BadSpec, match="added by the organiser"):
            change()
    assert owned.bot("hosted").promoted == 4


def test_withdraw(owned: Store) -> None:
    """A withdrawn version never plays again; the newest qualified one that is left takes its place."""
    for number in range(3):
        hand_in(owned, number)
    assert [one.version for one in owned.withdraw("hosted", 3)] == [3]
    assert owned.bot("hosted").promoted == 2
    assert owned.withdraw("hosted", 3) == []
    with pytest.raises(BadSpec, match="hosted v3 is withdrawn"):
        owned.promote("hosted", 3)
    assert [one.version for one in owned.withdraw("hosted")] == [2, 1]
    assert owned.bot("hosted").promoted is None
    with pytest.raises(BadSpec, match="'hosted' cannot enter a league: hosted v3 was withdrawn"):
        owned.create_league(spec(bots=("a", "b", "hosted")))
    hand_in(owned, 4)
    assert owned.bot("hosted").promoted == 4


def test_withdrawing_ends_a_qualification(owned: Store) -> None:
    """Whatever a worker finds out of a version that was withdrawn meanwhile, it stays withdrawn."""
    found = owned.submit("ann", manifest(), TREE)
    claim = owned.claim_submission(found.id, 30)
    assert claim is not None
    owned.withdraw("hosted", 1)
    assert not owned.renew_submission(claim, 30)
    assert not owned.qualified(claim, [])
    assert owned.submission("hosted").state == "withdrawn"
    assert owned.bot("hosted").promoted is None


def test_only_a_qualified_version_enters_a_league(owned: Store) -> None:
    """A bot without one is refused with the reason, and nothing of the league is stored; otherwise the promoted one enters."""
    wanted = spec(bots=("a", "b", "hosted"))
    owned.submit("ann", manifest(), TREE)
    with pytest.raises(BadSpec, match=r"hosted v1 is not qualified yet \(submitted\)"):
        owned.create_league(wanted)
    qualify(owned, owned.submission("hosted"), "the build failed")
    with pytest.raises(BadSpec, match="'hosted' cannot enter a league: hosted v1 did not qualify: the build failed"):
        owned.create_league(wanted)
    assert owned.leagues() == []
    hand_in(owned, 2, promote=False)
    with pytest.raises(BadSpec, match="hosted v2 is qualified, but not promoted"):
        owned.create_league(wanted)
    owned.promote("hosted", 2)
    hand_in(owned, 3, good=False)
    league = owned.create_league(wanted)
    assert [(bot.bot, bot.version, bot.tree) for bot in league.bots][-1] == ("hosted", 2, tree(2))


def test_a_league_of_a_variant_that_a_bot_does_not_play(owned: Store) -> None:
    """What a bot.toml does not name its bot is not asked to play."""
    found = owned.submit("ann", manifest(variants=["turn-up"]), TREE)
    qualify(owned, found)
    with pytest.raises(BadSpec, match=r"hosted v1 does not play ghost-hand \(its bot.toml says that it plays: turn-up\)"):
        owned.create_league(spec(bots=("a", "b", "hosted")))
    assert owned.create_league(spec(bots=("a", "hosted"), variants=[variant("turn-up")])).name == "summer"


def test_a_match_plays_the_versions_that_it_was_scheduled_with(owned: Store) -> None:
    """Promotions, roll-backs and withdrawals in mid-season change neither the matches made nor those still to be made."""
    hand_in(owned, 1)
    league = owned.create_league(spec(bots=("a", "b", "hosted")))
    plan = list(planned(league))
    owned.add_matches(plan[:1])
    hand_in(owned, 2)
    owned.withdraw("hosted", 1)
    assert owned.bot("hosted").promoted == 2
    owned.add_matches(planned(owned.league("summer")))
    lineups = [bot for match in owned.matches("summer") for bot in match.lineup if bot.bot == "hosted"]
    assert lineups
    assert {(bot.version, bot.tree) for bot in lineups} == {(1, tree(1))}
    fresh = owned.create_league(spec("autumn", bots=("a", "b", "hosted")))
    assert {(bot.version, bot.tree) for bot in fresh.bots if bot.bot == "hosted"} == {(2, tree(2))}
