"""Recited memories are removed from answers, and everything else stays."""

import pytest

from memory_core.text.cleaning import clean_answer, clean_user_message
from memory_core.text.recited_memory import OPENING, OPENING_ZH


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        (f"{OPENING}\n\nOn 2026-07-12 you told me: “My canoe.”\n\nI also remember: a.", ""),
        (f"{OPENING_ZH}\n\n没有找到相关的回忆。你刚才说的，我会记住。", ""),
        ("I also remember: 3 days ago, Ana: “The canoe leaks.”", ""),
        ("A fine name.\n\nI also remember: today, Ana: “Hi.”", "A fine name."),
        ("Here is what I remember:\n- You keep bees.\n- You live in Porto.", ""),
        (
            "Sure!\n\nHere's what I remember about you:\n\n1. You keep bees.\n\n2. You swim.\n\n"
            "Is that right?",
            "Sure!\n\nIs that right?",
        ),
        ("**Here is everything I remember:**\n* bees", ""),
        ("这是我记得的：\n1、你养蜜蜂。", ""),
        ("我还记得：你养蜜蜂。", ""),
    ],
)
def test_a_recited_list_of_memories_is_removed(answer: str, left: str) -> None:
    assert clean_answer(answer) == left
    assert clean_answer(left) == left


@pytest.mark.parametrize(
    "answer",
    [
        "I remember: you keep bees.",
        "I also remember that summer in Porto.",
        "Here is what I remember of it best, the smell of the sea.",
        "我还记得你养蜜蜂。",
        "Remember: two eggs.\n\n- one onion",
    ],
)
def test_a_memory_told_in_conversation_stays(answer: str) -> None:
    assert clean_answer(answer) == answer


def test_a_list_in_a_persons_message_stays() -> None:
    listed = "Here is what I remember:\n- the bees"
    assert clean_user_message(listed) == listed
