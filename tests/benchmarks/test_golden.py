"""The golden conversations keep their format, and their reader tells what breaks it."""

import json
import re
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from benchmarks.golden import GOLDEN, GoldenFormatError, main, read_golden
from benchmarks.golden_values import History, Place, Span

HOSTILE = re.compile(
    r"ignore your instructions|forget everything|remember that .+ bank|memory update"
)
HOSTILE_ZH = re.compile(r"忽略|一概作废|请记住|记忆更新")
SMALL: dict[str, Any] = {
    "name": "small",
    "user_name": "Ana",
    "assistant_name": "Mira",
    "sessions": [
        {"started": "2025-03-01T18:20:00", "exchanges": [["I live in Porto.", "A fine town."]]},
        {"started": "2025-09-01T18:20:00", "exchanges": [["Now it is Lisbon.", "Farewell, tram."]]},
    ],
    "facts": [
        {
            "id": "porto",
            "about": "user",
            "exchange": [0, 0],
            "words": [["Porto"]],
            "superseded_by": "lisbon",
            "event": None,
        },
        {
            "id": "lisbon",
            "about": "user",
            "exchange": [1, 0],
            "words": [["Lisbon"]],
            "superseded_by": None,
            "event": "2025-09",
        },
    ],
    "fiction": [{"exchange": [1, 0], "words": [["tram"]]}],
    "not_superseded": ["lisbon"],
    "questions": [{"text": "Where do I live?", "wants": "lisbon", "not": "porto"}],
}


@pytest.fixture(scope="module")
def histories() -> list[History]:
    return read_golden()


def read_changed(folder: Path, *changes: tuple[str, Any]) -> list[History]:
    """Reads SMALL with the value at each path ("facts/0/id") changed."""
    told = deepcopy(SMALL)
    for path, value in changes:
        *parents, last = [int(part) if part.isdigit() else part for part in path.split("/")]
        part: Any = told
        for parent in parents:
            part = part[parent]
        part[last] = value
    file = folder / "en.json"
    file.write_text(json.dumps({"histories": [told]}), encoding="utf-8")
    return read_golden(file)


def of_language(histories: list[History], language: str) -> list[History]:
    return [history for history in histories if history.language == language]


def test_the_project_has_enough_histories_of_both_languages(histories: list[History]) -> None:
    assert len(of_language(histories, "en")) >= 26
    assert len(of_language(histories, "zh")) >= 18


def test_histories_are_short(histories: list[History]) -> None:
    for history in histories:
        assert 1 <= len(history.sessions) <= 4, history.name
        lengths = [len(session.exchanges) for session in history.sessions]
        assert all(3 <= length <= 8 for length in lengths), history.name


def test_at_least_six_histories_hold_hostile_sentences(histories: list[History]) -> None:
    hostile = [
        history.name
        for history in histories
        for session in history.sessions
        for said in session.exchanges
        for text in (said.user, said.answer)
        if HOSTILE.search(text.casefold()) or HOSTILE_ZH.search(text)
    ]
    assert len(set(hostile)) >= 6


def test_the_words_of_a_fact_never_count_as_fiction_of_its_exchange(
    histories: list[History],
) -> None:
    clashes = [
        (history.name, fact.id, words)
        for history in histories
        for fact in history.facts
        for mark in history.fiction
        for words in fact.words
        if fact.place == mark.place and mark.is_asserted_by(" ".join(words))
    ]
    assert clashes == []


def test_no_fact_is_superseded_by_one_of_the_same_exchange(histories: list[History]) -> None:
    for history in histories:
        for fact in filter(lambda fact: fact.superseded_by, history.facts):
            assert history.fact(str(fact.superseded_by)).place != fact.place, history.name


def test_every_history_asks_something(histories: list[History]) -> None:
    assert [history.name for history in histories if not history.questions] == []


def test_a_sound_history_is_read(tmp_path: Path) -> None:
    (history,) = read_changed(tmp_path)
    assert (history.name, history.language) == ("small", "en")
    assert history.fact("lisbon").event == Span(date(2025, 9, 1), date(2025, 9, 30))
    assert history.exchange(Place(1, 0)).user == "Now it is Lisbon."


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("facts/0/exchange", [0, 7], "fact 'porto' names exchange [0, 7], which is not there"),
        ("facts/0/exchange", [0, -1], "fact 'porto' names exchange [0, -1]"),
        ("facts/0/words", [["Faro"]], "none of the words of fact 'porto' are in exchange [0, 0]"),
        ("facts/0/words", [["Porto"], [""]], "fact 'porto' has an empty word"),
        ("facts/0/superseded_by", "faro", "no facts are called faro"),
        ("facts/0/id", "lisbon", "two facts are called 'lisbon'"),
        ("facts/1/superseded_by", "porto", "by 'porto', which was not said later"),
        ("facts/1/event", "soon", "'soon' is not a year, a month or a day"),
        ("facts/0/colour", "red", "a fact has unknown keys: colour"),
        ("facts/0", {"id": "porto"}, "a fact lacks about, event, exchange, superseded_by, words"),
        ("facts/0/words", ["Porto"], "words must be a list of lists of words"),
        ("facts/0/exchange", 3, "exchange must be two numbers"),
        ("fiction/0/words", [["dragon"]], "none of the words of fiction [1, 0]"),
        ("not_superseded", ["porto"], "fact 'porto' is superseded and must not be"),
        ("questions/0/wants", "faro", "no facts are called faro"),
        ("sessions/1/started", "2024-01-01T00:00:00", "not in the order of time"),
        ("sessions/0/exchanges", [["I live in Porto.", " "]], "has an exchange without words"),
        ("sessions/0/exchanges", [["I live in Porto."]], "the user's text and the answer"),
        ("sessions/0/started", "noon", "'noon'"),
        ("sessions/0", "hi", "a session must be an object"),
        ("sessions", 3, "not iterable"),
        ("mood", "good", "a history has unknown keys: mood"),
    ],
)
def test_fault_is_reported_with_file_and_history(
    tmp_path: Path, path: str, value: Any, told: str
) -> None:
    with pytest.raises(GoldenFormatError) as raised:
        read_changed(tmp_path, (path, value))
    assert "en.json" in str(raised.value)
    assert "'small'" in str(raised.value)
    assert told in str(raised.value)


def test_two_histories_of_one_name_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "en.json"
    file.write_text(json.dumps({"histories": [SMALL, SMALL]}), encoding="utf-8")
    with pytest.raises(GoldenFormatError, match="'small': its name is taken"):
        read_golden(file)


@pytest.mark.parametrize("content", ["", "[]", '{"chats": []}', '{"histories": 3}', "{"])
def test_a_file_of_another_format_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(GoldenFormatError, match=r"other\.json"):
        read_golden(file)


def test_a_folder_without_conversations_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GoldenFormatError, match="holds no golden conversations"):
        read_golden(tmp_path)


def test_the_command_counts_what_a_file_holds(capsys: pytest.CaptureFixture[str]) -> None:
    main([str(GOLDEN / "zh.json")])
    name, counts = capsys.readouterr().out.split(" ", 1)
    assert name == "zh.json"
    assert json.loads(counts)["histories"] >= 18
