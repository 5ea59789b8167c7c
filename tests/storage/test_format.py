"""A folder written in format v1 opens and recalls, in this version and in every later one."""

import shutil
from pathlib import Path

import pytest

from memory_core.domain.records import Exchange, Memory, Role
from memory_core.memory.long_term_memory import LongTermMemory
from tests.builders import SPACE, asked, recalled, user_sides
from tests.conftest import OpenMemory

FORMAT_1 = Path(__file__).resolve().parents[1] / "data" / "format-v1"


@pytest.fixture
def old(opened: OpenMemory, tmp_path: Path) -> LongTermMemory:
    shutil.copytree(FORMAT_1, tmp_path / "memories")
    return opened()


def best(memory: LongTermMemory, question: str) -> str:
    """Returns the best recalled memory; its neighbours may follow it."""
    return recalled(memory.recall(SPACE, asked(question)))[0]


def exchange(memory: Memory) -> Exchange:
    assert memory.exchange is not None
    return memory.exchange


def test_folder_of_format_1_is_listed_and_undamaged(old: LongTermMemory) -> None:
    assert old.namespaces() == [SPACE]
    assert old.counts(SPACE) == {
        "live": 5, "removed": 1, "forgotten": 1, "conversations": 2, "last_seq": 12,
        "vectors": 9, "embedded": 0, "lacking": 9,
    }  # fmt: skip
    assert old.problems() == []


def test_folder_of_format_1_is_recalled_from(old: LongTermMemory) -> None:
    assert best(old, "my dog") == "My dog is called Brunello"
    assert best(old, "我的猫叫什么") == "我的猫叫小黑"
    assert best(old, "beekeeper") == "I work as a beekeeper"
    assert user_sides(old.always_in_prompt(SPACE)) == ["Ana must not eat nuts"]


def test_folder_of_format_1_keeps_channels_metadata_and_turns(old: LongTermMemory) -> None:
    cat = exchange(old.conversation(SPACE, "monday", 1)[0])
    assert (cat.channel, cat.metadata, cat.ts) == ("chat", {"origin": {"page": 1}}, 1790000002.0)
    weather = exchange(old.conversation(SPACE, "tuesday", 9)[0])
    assert [(turn.role, turn.text) for turn in weather.turns] == [
        (Role.USER, "What is the weather?"), (Role.TOOL, "sunny"), (Role.ASSISTANT, "It is sunny."),
    ]  # fmt: skip


def test_chats_of_a_format_1_folder_show_no_difference(old: LongTermMemory) -> None:
    monday = [
        Exchange(user="My dog is called Bruno", assistant="What a fine name!"),
        Exchange(user="我的猫叫小黑", assistant="真好听！"),
    ]
    tuesday = [
        Exchange(user="What is the weather?", assistant="It is sunny."),
        Exchange(user="I work as a beekeeper", assistant="Since when?"),
        Exchange(user="My PIN is 1234", assistant="I shall keep it."),
    ]
    assert not old.reconcile(SPACE, "monday", monday, whole=True)
    assert not old.reconcile(SPACE, "tuesday", tuesday, whole=True)


def test_folder_of_format_1_can_be_written_to(old: LongTermMemory) -> None:
    old.remember(SPACE, "monday", Exchange(user="Good night", assistant="Sleep well"))
    (last,) = old.conversation(SPACE, "monday", 1)
    assert old.get_record(SPACE, last.id).seq == 14
    assert last.turn_id == 3
