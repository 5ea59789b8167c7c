"""Questions about how things were, told from questions about now."""

import pytest

from memory_core.text.past_cues import asks_how_things_were


@pytest.mark.parametrize(
    "text",
    [
        "Where did I live before?",
        "What was my previous job?",
        "Where did I use to swim, or used to run?",
        "我以前住在哪里？",
        "Wo habe ich früher gewohnt?",
        "¿Dónde vivía antes?",
        "Où est-ce que j'habitais avant ?",
        "Где я раньше жила?",
        "前にどこに住んでいた?",
    ],
)
def test_question_about_the_past_is_recognised(text: str) -> None:
    assert asks_how_things_were(text)


@pytest.mark.parametrize(
    "text", ["Where do I live?", "How is the beforehand list?", "我住在哪里？", "Wo wohne ich?", ""]
)
def test_question_about_now_is_none_about_the_past(text: str) -> None:
    assert not asks_how_things_were(text)
