"""Answers in the demo: quotes of injected memories, or a language model."""

import pytest

from memory_core.config.model_settings import BackendSettings
from memory_core.domain.errors import LLMUnavailable
from memory_core.domain.records import Role
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.text.prompt_fence import fence
from memory_core.ui.demo.prompt import Message
from memory_core.ui.demo.responder import MemoryResponder, ModelResponder


def turn(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def answer(*messages: Message) -> str:
    return "".join(MemoryResponder().reply(messages))


def test_a_replayed_exchange_is_quoted_with_its_date() -> None:
    said = answer(
        turn("user", "[2026-07-12] My canoe is called Marguerite."),
        turn("assistant", "A fine name."),
        turn("user", "What is the canoe called?"),
    )
    assert said.startswith("(No language model is configured. I looked through our past talks.)")
    assert "On 2026-07-12 you told me: “My canoe is called Marguerite.”" in said


def test_a_message_in_chinese_is_answered_in_chinese() -> None:
    said = answer(
        turn("user", "[2026-07-12] 我对芒果过敏。"),
        turn("assistant", "记住了。"),
        turn("user", "我对什么过敏？"),
    )
    assert said.startswith("（没有配置语言模型")
    assert "2026-07-12，你告诉过我：“我对芒果过敏。”" in said


def test_block_lines_are_quoted_if_they_share_words_with_the_question() -> None:
    block = fence(
        'Mira\'s log:\n3 days ago, Alex said:\n"The canoe leaks."\ntoday, Alex said:\n"Hi."'
    )
    said = answer(turn("user", f"{block}\n\nDoes the canoe leak?"))
    assert 'I also remember: 3 days ago, Alex said: "The canoe leaks."' in said
    assert "Hi." not in said


def test_the_system_block_counts_as_remembered() -> None:
    block = fence("What Mira remembers:\n- (2026-01-02) Alex: My canoe leaks.")
    said = answer(turn("system", f"Mira.\n{block}"), turn("user", "Does the canoe leak?"))
    assert "(2026-01-02) Alex: My canoe leaks." in said


def test_responder_says_that_nothing_was_recalled() -> None:
    said = answer(turn("user", "My canoe is called Marguerite."))
    assert "I found nothing that fits." in said


def test_an_earlier_quote_is_not_quoted_again() -> None:
    earlier = answer(turn("user", "What is the canoe called?"))
    said = answer(
        turn("user", "[2026-07-12] What is the canoe called?"),
        turn("assistant", earlier),
        turn("user", "What is the canoe called?"),
    )
    assert "you told me" not in said


def test_responder_quotes_the_message_but_not_its_own_answer() -> None:
    said = answer(
        turn("user", "[2026-07-12] My canoe is called Marguerite."),
        turn("assistant", answer(turn("user", "My canoe is called Marguerite."))),
        turn("user", "What is the canoe called?"),
    )
    assert said.endswith("On 2026-07-12 you told me: “My canoe is called Marguerite.”")


def test_a_language_model_gets_the_messages_and_streams() -> None:
    llm = ScriptedLLM(["It leaks, as ever."])
    responder = ModelResponder(llm, BackendSettings(), timeout_s=1.0)
    pieces = list(responder.reply([turn("system", "You are Mira."), turn("user", "The canoe?")]))
    assert "".join(pieces) == "It leaks, as ever."
    assert len(pieces) > 1
    assert [(turn.role, turn.text) for turn in llm.asked[0]] == [
        (Role.SYSTEM, "You are Mira."),
        (Role.USER, "The canoe?"),
    ]


def test_model_that_returns_nothing_is_unavailable() -> None:
    class Silent(ScriptedLLM):
        def stream(self, *args: object, **kwargs: object):  # type: ignore[no-untyped-def,override]
            return iter(())

    responder = ModelResponder(Silent([]), BackendSettings(), timeout_s=1.0)
    with pytest.raises(LLMUnavailable):
        list(responder.reply([turn("user", "Hello?")]))
