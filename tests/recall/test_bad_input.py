"""Recall answers unusual messages within the usual time."""

import time
from pathlib import Path

import pytest

from memory_core.config.schema import Settings
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.recall.query import Query, local_time
from tests.builders import NOW, SPACE, derive_all, open_memory, recalled, said
from tests.in_time import within
from tests.storage.index.scene import FAKE

LIMIT_S = Settings().recall.time_limit_s
LARGE = 1_000_000  # letters
DATES = " ".join(
    f"{day} May 20{year:02}, 20{year:02}-05-{day:02}, yesterday, 去年5月{day}日"
    for year in range(20)
    for day in range(1, 29)
)
SCRIPTS = "Привет my dog 犬はいぬ कुत्ता كلب chien 개 我的狗 σκύλος หมา "


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    found = open_memory(tmp_path, embedder=FAKE)
    for number in range(40):
        found.remember(SPACE, "talk", said(f"My dog Bruno chased {number} bees on the beach"))
    derive_all(found)
    return found


def kept(memory: LongTermMemory, text: str) -> list[str]:
    """Returns the memories kept by a recall within the time limit."""
    query = Query(
        text=text,
        names=("Ana", "Mira"),
        context=(text,),
        now=local_time(NOW),
        is_explicit_request=True,
    )
    with within(LIMIT_S, clock=time.process_time):
        found = memory.recall(SPACE, query)
    assert not found.degraded_reasons
    return recalled(found)


@pytest.mark.parametrize(
    "word", ["Bruno ", "dog\n", "Did Bruno chase bees? ", "我的狗很喜欢海滩", "1", "x"]
)
def test_recall_answers_a_megabyte_long_message_in_time(memory: LongTermMemory, word: str) -> None:
    kept(memory, word * (LARGE // len(word)))


def test_recall_answers_a_megabyte_of_different_words_in_time(memory: LongTermMemory) -> None:
    text = " ".join(f"w{number}x" for number in range(LARGE // 8))
    assert kept(memory, f"What did Bruno chase on the beach? {text}")


def test_recall_answers_a_message_of_dates_alone_in_time(memory: LongTermMemory) -> None:
    kept(memory, DATES)


@pytest.mark.parametrize("text", ["\N{DOG FACE}", "\N{DOG FACE}\N{THUMBS UP SIGN}\u200d" * 2_000])
def test_recall_answers_a_message_of_emoji_alone_in_time(memory: LongTermMemory, text: str) -> None:
    kept(memory, text)


@pytest.mark.parametrize("times", [1, 200, LARGE // len(SCRIPTS)])
def test_recall_answers_a_message_in_mixed_scripts_in_time(
    memory: LongTermMemory, times: int
) -> None:
    assert kept(memory, SCRIPTS * times)
