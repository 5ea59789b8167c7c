"""The crash benchmark runs, and would notice lost or corrupt memories."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.crash_child import CHAT, SPACES, TALK
from benchmarks.crash_model import Model

PROJECT = Path(__file__).resolve().parents[2]
KEYS = "kills acknowledged lost corrupt failed_opens phases seconds"
SPACE = "mira"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="slow where a child cannot be forked")
def test_crash_benchmark_with_few_kills_loses_nothing() -> None:
    command = [sys.executable, "benchmarks/crash.py", "--kills", "6", "--json"]
    ended = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    assert list(found) == KEYS.split()
    assert found["kills"] == sum(found["phases"].values()) == 6
    assert found["acknowledged"] > 0
    assert (found["lost"], found["corrupt"], found["failed_opens"]) == (0, 0, 0), ended.stdout


def seen(texts: list[str], forgotten: list[str]) -> dict[str, Any]:
    """Returns a child's answer about one namespace, with the word as id."""
    live = [[text.split()[0], text] for text in texts]
    recalled = [[memory[0], [memory[0]]] for memory in live[:1]]
    empty: dict[str, Any] = {
        "live": {TALK: [], CHAT: []}, "notes": [], "forgotten": [], "recalled": []
    }  # fmt: skip
    own = empty | {
        "live": {TALK: live, CHAT: []}, "forgotten": forgotten, "recalled": recalled
    }  # fmt: skip
    return {"spaces": {space: own if space == SPACE else empty for space in SPACES}}


class Told:
    """A model with recorded operations, each with a word of its own."""

    def __init__(self) -> None:
        self.model = Model(random.Random(1))

    def append(self, *, is_done: bool = True) -> str:
        op = self.model.next_op("append")
        while op["space"] != SPACE:
            op = self.model.next_op("append")
        self._do(op, {"id": op["word"]}, is_done=is_done)
        return str(op["text"])

    def forget(self, text: str, *, is_done: bool = True) -> str:
        word = text.split()[0]
        self._do({"op": "forget", "space": SPACE, "word": word, "id": word}, {}, is_done=is_done)
        return word

    def erase(self) -> None:
        self._do({"op": "erase", "space": SPACE}, {}, is_done=True)

    def _do(self, op: dict[str, Any], answer: dict[str, Any], *, is_done: bool) -> None:
        settle = self.model.begin(op)
        if is_done:
            settle()
            self.model.learn(op, answer)


def test_acknowledged_word_that_is_missing_counts_as_lost() -> None:
    told = Told()
    kept, gone = told.append(), told.append()
    lost, corrupt = told.model.compare(seen([kept], []))
    assert ([gone.split()[0] in it for it in lost], corrupt) == ([True], [])


def test_unacknowledged_word_may_be_present_or_missing() -> None:
    for texts in (0, 1):
        told = Told()
        text = told.append(is_done=False)
        assert told.model.compare(seen([text][:texts], [])) == ([], [])


def test_forgotten_word_that_is_present_counts_as_corrupt() -> None:
    told = Told()
    text = told.append()
    word = told.forget(text)
    assert told.model.compare(seen([], [word])) == ([], [])
    lost, corrupt = told.model.compare(seen([text], []))
    assert (lost, len(corrupt)) == ([], 1)


def test_another_text_twice_or_unknown_is_corrupt() -> None:
    told = Told()
    text = told.append()
    word = text.split()[0]
    for wrong in ([f"{word} otherwise"], [text, text], [text, "stranger said this"]):
        told = Told()
        assert told.append() == text
        lost, corrupt = told.model.compare(seen(wrong, []))
        assert (lost, len(corrupt)) == ([], 1)


def test_erased_words_left_in_a_file_are_noticed(tmp_path: Path) -> None:
    told = Told()
    word = told.forget(told.append())
    folder = SPACES[SPACE].folder(tmp_path)
    folder.mkdir(parents=True)
    (folder / "left.tmp").write_text(f"say {word} again")
    assert told.model.left_words(tmp_path) == []
    told.erase()
    assert told.model.left_words(tmp_path) == [f"left.tmp still has {word}"]
