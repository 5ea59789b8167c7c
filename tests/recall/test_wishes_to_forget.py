"""A wish to forget in plain words is about the memory itself, and is no memory."""

from pathlib import Path

import pytest

from memory_core.storage.contract import Page
from tests.builders import SPACE, asked, derive_all, open_memory, recalled, said, user_sides

TOM = "My brother Tom plays the cello."
WISHES = [
    "forget that i told you about tom",
    "please forget what I said about Tom",
    "forget that my brother Tom drinks",
    "vergiss, was ich über Tom gesagt habe",
    "olvida lo que te dije de Tom",
    "忘掉我说过的Tom的事",
]
QUESTIONS = ["tell me about Tom", "what do you know about me?", "Tom the cello, forget"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_wish_to_forget_is_not_recalled(tmp_path: Path, question: str) -> None:
    memory = open_memory(tmp_path)
    for text in (TOM, *WISHES):
        memory.remember(SPACE, "one", said(text, "Nothing was forgotten."))
    derive_all(memory)
    assert recalled(memory.recall(SPACE, asked(question))) == [TOM]


@pytest.mark.parametrize(
    "more",
    [
        "forget what i said about Tom. His sister Ida plays the cello.",
        "forget what i said about Tom, it is Ida who plays the cello",
    ],
)
def test_message_that_says_more_than_a_wish_to_forget_is_recalled(
    tmp_path: Path, more: str
) -> None:
    memory = open_memory(tmp_path)
    memory.remember(SPACE, "one", said(more))
    derive_all(memory)
    assert recalled(memory.recall(SPACE, asked("who plays the cello?"))) == [more]


def test_wish_to_forget_stays_in_the_list_of_memories(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    memory.remember(SPACE, "one", said(WISHES[0]))
    derive_all(memory)
    assert user_sides(memory.latest(SPACE, Page(limit=9))) == [WISHES[0]]
