"""mem0's memories become notes of their users and agents."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_core.domain.records import MemoryKind, Note
from tests.admin.importers.foreign import OWNER, read, read_as, write_json


def fact(text: Any, **more: Any) -> dict[str, Any]:
    told = {"id": "f4cb", "memory": text, "hash": "x", "user_id": "alex", "metadata": None}
    return told | {"created_at": "2024-07-01T12:00:00Z", "updated_at": None} | more


def notes(path: Path) -> list[Note]:
    return [note for chat in read(path) for note in chat.notes]


@pytest.mark.parametrize("shape", ["results", "memories", "list", "pages"])
def test_every_shape_of_the_answer_is_read(tmp_path: Path, shape: str) -> None:
    facts = [fact("Alex is vegetarian"), fact("Alex lives in Rome")]
    shapes = {"list": facts, "pages": [{"results": [fact], "next": None} for fact in facts]}
    path = write_json(tmp_path / "mem0.json", shapes.get(shape, {"count": 2, shape: facts}))
    assert [note.text for note in notes(path)] == ["Alex is vegetarian", "Alex lives in Rome"]


def test_a_fact_is_a_note_and_no_exchange(tmp_path: Path) -> None:
    path = write_json(tmp_path / "mem0.json", {"results": [fact("Alex is vegetarian")]})
    (chat,) = read(path)
    assert (chat.exchanges, chat.conversation) == ((), "")
    assert chat.notes[0].kind is MemoryKind.OBSERVATION
    assert chat.notes[0].ts == datetime(2024, 7, 1, 12, tzinfo=UTC).timestamp()


def test_the_last_change_dates_a_fact(tmp_path: Path) -> None:
    changed = fact("Alex moved", updated_at="2024-08-01T05:00:00.000000-07:00")
    (note,) = notes(write_json(tmp_path / "mem0.json", [changed]))
    assert note.ts == datetime(2024, 8, 1, 12, tzinfo=UTC).timestamp()


def test_mem0_facts_go_to_their_users_and_agents(tmp_path: Path) -> None:
    facts = [fact("a"), fact("b", user_id=None, agent_id="Rei"), fact("c", user_id=None)]
    found = {
        (chat.namespace.user, chat.namespace.character): [note.text for note in chat.notes]
        for chat in read(write_json(tmp_path / "mem0.json", facts))
    }
    assert found == {("alex", OWNER.character): ["a"], (OWNER.user, "Rei"): ["b"]} | {
        (OWNER.user, OWNER.character): ["c"]
    }


def test_the_same_fact_is_noted_once(tmp_path: Path) -> None:
    path = write_json(tmp_path / "mem0.json", [fact("a"), fact(" a "), fact("a", id="other")])
    assert [note.text for note in notes(path)] == ["a"]


@pytest.mark.parametrize("odd", [None, 3, [], {}, {"memory": []}, {"memory": "<think>x</think>"}])
def test_a_fact_of_another_shape_is_passed_over(tmp_path: Path, odd: Any) -> None:
    path = write_json(tmp_path / "mem0.json", {"results": [odd, fact("a")]})
    assert [note.text for chat in read_as("mem0", path) for note in chat.notes] == ["a"]
