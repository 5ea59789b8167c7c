"""The recall check asks by rule for what the person said, and counts what is recalled."""

from collections import Counter

import pytest

from memory_core.admin.recall_check import check_recall, question_about
from memory_core.memory.long_term_memory import LongTermMemory
from tests.builders import SPACE, derive_all, said
from tests.cases import for_each
from tests.conftest import OpenMemory

SAID = (
    "My dog is called Bello and he loves cheese.",
    "I moved to a small flat in Lisbon last spring.",
    "What should I cook tonight for my sister?",
    "Nice weather.",
    "My sister Joana plays the accordion in a band.",
    "我妹妹住在杭州，她是一名护士。",
    "我老婆在医院干啥的来着",
    "我姐姐什么时候结婚",
    "remind me what my sister Joana plays in the band",
)


@pytest.fixture
def talked(opened: OpenMemory) -> LongTermMemory:
    memory = opened()
    for text in SAID:
        memory.remember(SPACE, "chat", said(text, "Good to know."))
    derive_all(memory)
    return memory


def test_only_statements_in_the_first_person_are_asked_for(talked: LongTermMemory) -> None:
    statements = {trial.statement for trial in check_recall(talked, SPACE)}
    assert statements == {SAID[0], SAID[1], SAID[4], SAID[5]}


def test_statement_is_found_by_the_question_about_it(talked: LongTermMemory) -> None:
    trials = check_recall(talked, SPACE)
    assert [trial.statement for trial in trials if not trial.rank] == []


def test_recall_check_asks_no_more_than_wanted(talked: LongTermMemory) -> None:
    assert len(check_recall(talked, SPACE, asked=2)) == 2


def test_question_names_the_rarest_words_in_the_language_of_the_statement() -> None:
    frequencies = Counter({"called": 9, "loves": 5, "Bello": 1, "cheese": 2})
    question = question_about("My dog is called Bello and he loves cheese.", frequencies)
    assert question == "What did I tell you about Bello and cheese?"


@for_each(
    ("sentence", "question"),
    [
        ("我妹妹住在杭州，她是一名护士。", "关于妹妹和杭州，我跟你说过什么？"),
        ("对了，游泳我放弃了，现在改练太极。", "关于游泳和太极，我跟你说过什么？"),
        ("我每次都要遛狗。", "关于遛狗，我跟你说过什么？"),
    ],
)
def test_question_in_chinese_names_whole_words(sentence: str, question: str) -> None:
    assert question_about(sentence, Counter()) == question


def test_recall_check_asks_nothing_without_memories(opened: OpenMemory) -> None:
    assert check_recall(opened(), SPACE) == []
