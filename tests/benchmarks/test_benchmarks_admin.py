"""The administrative crash benchmark counts correctly, and would notice a loss."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.admin_crash import ACTS
from benchmarks.admin_model import FORGOTTEN, GONE, LIVE, NEVER, Event, Ledger, Operation, Verdict
from benchmarks.file_calls import CHANGING, CountCalls, FailAt, met
from tests.cases import for_each

PROJECT = Path(__file__).resolve().parents[2]
KEYS = "kills acknowledged lost corrupt failed_opens phases seconds"
NOTHING = Operation(act="", kind="other", name="")

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the processes are forked")


@pytest.mark.slow
@on_linux
def test_administrative_kills_hit_each_operation_while_it_runs() -> None:
    command = [sys.executable, "benchmarks/crash.py", "--administrative", "--kills", "7", "--json"]
    ended = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    assert list(found) == KEYS.split()
    assert found["phases"] == dict.fromkeys(ACTS, 1), ended.stdout
    assert found["kills"] == len(ACTS)
    assert found["acknowledged"] > 0
    wrong = {name: found[name] for name in ("lost", "corrupt", "failed_opens")}
    assert wrong == {"lost": 0, "corrupt": 0, "failed_opens": 0}, ended.stdout


def said(word: str, name: str, *, tried: float, done: float = NEVER) -> Event:
    return Event(act="say", name=name, word=word, tried=tried, done=done)


def ledger_of(*events: Event, operation: Operation = NOTHING) -> Ledger:
    """Returns a ledger of two characters, k0 and k1, after this operation."""
    ledger = Ledger()
    ledger.new_name()
    ledger.new_name()
    ledger.take(events, operation)
    return ledger


def seen(ledger: Ledger, live: dict[str, list[str]], **meant: str) -> Verdict:
    names = {name: name for name in ledger.names} | meant
    places = {place: live.get(place, []) for place in sorted(set(names.values()))}
    return ledger.compare({"meant": names, "live": places, "doctor": [], "strangers": []})


def test_ledger_counts_a_missing_acknowledged_word_as_lost() -> None:
    ledger = ledger_of(said("a", "k0", tried=1, done=2), said("b", "k0", tried=3, done=4))
    found = seen(ledger, {"k0": ["a"]})
    assert (len(found.lost), found.corrupt) == (1, [])


@for_each("live", [[], ["a"]])
def test_ledger_lets_an_unacknowledged_word_be_there_or_not(live: list[str]) -> None:
    assert seen(ledger_of(said("a", "k0", tried=1)), {"k0": live}) == Verdict()


def test_ledger_counts_a_word_under_another_name_or_twice_as_corrupt() -> None:
    event = said("a", "k0", tried=1, done=2)
    assert len(seen(ledger_of(event), {"k0": ["a", "a"]}).corrupt) == 1
    found = seen(ledger_of(event), {"k1": ["a"]})
    assert found.corrupt == ["a is under k1"]


@for_each(("is_done", "may"), [(True, {GONE}), (False, {GONE, LIVE})])
def test_ledger_lets_destroying_take_words_away(is_done: bool, may: set[str]) -> None:
    destroyed = Operation(
        act="destroy", kind="destroy", name="k0", began=5, ended=6, is_done=is_done
    )
    ledger = ledger_of(
        said("old", "k0", tried=1, done=2),
        said("new", "k0", tried=7, done=8),
        said("other", "k1", tried=1, done=2),
        operation=destroyed,
    )
    assert ledger.may == {"old": frozenset(may), "new": {LIVE}, "other": {LIVE}}


def test_ledger_keeps_what_is_said_while_it_is_destroyed_open() -> None:
    destroyed = Operation(act="destroy", kind="destroy", name="k0", began=5, ended=9, is_done=True)
    ledger = ledger_of(said("a", "k0", tried=6, done=7), operation=destroyed)
    assert ledger.may == {"a": {LIVE, GONE}}


@for_each("act", ["merge", "rename"])
def test_ledger_moves_words_with_their_name(act: str) -> None:
    moved = Operation(
        act=act, kind="other", name="k0", other="k1", began=5, ended=6, is_done=True
    )  # fmt: skip
    ledger = ledger_of(said("a", "k0", tried=1, done=2), operation=moved)
    assert seen(ledger, {"k1": ["a"]}, k0="k1") == Verdict()
    found = seen(ledger, {"k0": ["a"]})
    assert any("k0 means k0, not k1" in it for it in found.corrupt)


def test_ledger_restores_removed_but_not_forgotten_words_by_a_merging_restore() -> None:
    ledger = ledger_of(
        said("hidden", "k0", tried=1, done=2),
        Event(act="forget", name="k0", word="hidden", tried=3, done=4),
    )
    brings = ledger.offer("k0", ["gone"]) | {"hidden": frozenset([LIVE])}
    restored = Operation(
        act="restore", kind="add", name="k0", brings=brings, began=5, ended=6, is_done=True
    )
    ledger.take([], restored)
    assert ledger.may == {"gone": {LIVE}, "hidden": {FORGOTTEN}}


def test_met_counts_the_calls_of_this_thread_and_gives_the_functions_back(tmp_path: Path) -> None:
    before, counter = (os.replace, open), CountCalls()
    with met((*CHANGING, "open", "write"), counter):
        (tmp_path / "a").write_text("one")
        os.replace(tmp_path / "a", tmp_path / "b")
        (tmp_path / "b").read_text()
    assert counter.names == ["open", "write", "replace", "open"]
    assert (os.replace, open) == before


def test_fail_at_fails_that_call_alone(tmp_path: Path) -> None:
    fault = FailAt(1)
    with met(("mkdir",), fault):
        (tmp_path / "a").mkdir()
        with pytest.raises(OSError, match="No space left"):
            (tmp_path / "b").mkdir()
        (tmp_path / "c").mkdir()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "c"]
    assert fault.failed == "mkdir in a library"
