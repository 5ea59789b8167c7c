"""Answers in the demo: quotes of the memories in the prompt, or a language model."""

import time
from collections.abc import Sequence

import pytest

from memory_core.config.model_settings import BackendSettings
from memory_core.domain.errors import LLMUnavailable
from memory_core.domain.records import Exchange, Memory, MemoryKind, Role
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.text.prompt_fence import fence
from memory_core.ui.demo.given import Given
from memory_core.ui.demo.prompt import Message
from memory_core.ui.demo.responder import MemoryResponder, MemoryState, ModelResponder

JULY = time.mktime((2026, 7, 12, 12, 0, 0, 0, 0, -1))


class Holds:
    """The memories in a prompt, as somebody names them."""

    def __init__(self, *given: Given) -> None:
        self._given = given

    def latest(self) -> Sequence[Given]:
        return self._given


def turn(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def said(user: str, assistant: str = "", *, ts: float | None = JULY) -> Given:
    exchange = Exchange(user=user, assistant=assistant, ts=ts)
    text = f"{user}\n{assistant}"
    return Given(
        memory=Memory(id=user, kind=MemoryKind.EXCHANGE, text=text, ts=ts, exchange=exchange)
    )


def note(text: str) -> Given:
    memory = Memory(id=text, kind=MemoryKind.KNOWLEDGE, text=text, ts=JULY)
    return Given(memory=memory, is_recalled=False)


def answer(question: str, *given: Given) -> str:
    return "".join(MemoryResponder(given=Holds(*given)).reply([turn("user", question)]))


def test_the_best_memory_is_quoted_with_its_date_and_answer() -> None:
    found = answer(
        "What is the canoe called?",
        said("The canoe leaks a little."),
        said("My canoe is called Marguerite.", "A fine name."),
    )
    assert found.startswith("(No language model is configured. I looked through our past talks.)")
    quoted = (
        "On 12 July 2026 you told me: “My canoe is called Marguerite.” I answered: “A fine name.”"
    )
    assert quoted in found


def test_a_message_in_chinese_is_answered_in_chinese() -> None:
    found = answer("我对什么过敏？", said("我对芒果过敏。", "记住了。"))
    assert found.startswith("（没有配置语言模型")
    assert "2026年7月12日，你告诉过我：“我对芒果过敏。”" in found


def test_memories_that_share_few_words_with_the_question_are_not_quoted() -> None:
    found = answer(
        "Does the red canoe leak?",
        said("The red canoe is in the shed."),
        said("The canoe does leak, red or not."),
        said("A red cup."),
    )
    assert "I also remember: 12 July 2026: “The red canoe is in the shed.”" in found
    assert "cup" not in found


def test_a_rare_word_counts_more_than_several_common_ones() -> None:
    found = answer(
        "When are we going to Norway?",
        said("It is going well, and we are going to the printer."),
        said("I plan a trip to Norway with Tom."),
    )
    assert "told me: “I plan a trip to Norway with Tom.”" in found


@pytest.mark.parametrize("asked", ["Where do I live", "Where do I live?"])
def test_an_earlier_question_without_an_answer_is_not_quoted(asked: str) -> None:
    found = answer("Where do I live now?", said(asked), said("I live in Oslo."))
    assert "told me: “I live in Oslo.”" in found


def test_a_memory_found_by_meaning_is_quoted_without_a_common_word() -> None:
    assert "Biscuit" in answer("How is your pet?", said("Biscuit slept on the sofa."))


def test_a_note_counts_as_remembered_if_it_shares_a_word() -> None:
    assert "Noted on 12 July 2026: “My canoe leaks.”" in answer(
        "Does the canoe leak?", note("My canoe leaks.")
    )
    assert "I found nothing that fits." in answer("How are you?", note("My canoe leaks."))


def test_words_of_the_prompt_that_are_no_memory_are_never_quoted() -> None:
    block = fence("What Mira remembers of the canoe:\nToday is canoe day.")
    asked = f"{block}\n\nWhat do you remember of the canoe?"
    assert "I found nothing that fits." in answer(asked)


def test_a_memory_of_unknown_time_is_quoted_without_a_date() -> None:
    assert "On an unknown day you told me" in answer("The canoe?", said("My canoe leaks.", ts=None))


def test_responder_says_that_nothing_was_recalled() -> None:
    assert "I found nothing that fits." in answer("My canoe is called Marguerite.")


def test_responder_promises_nothing_while_paused() -> None:
    asked = [turn("user", "My canoe leaks.")]
    assert "I will not remember" in "".join(MemoryResponder(MemoryState(writes=False)).reply(asked))
    assert "Recall is paused" in "".join(MemoryResponder(MemoryState(recalls=False)).reply(asked))


def test_an_earlier_quote_is_not_quoted_again() -> None:
    question = "What is the canoe called?"
    assert "you told me" not in answer(question, said(question, answer(question)))


def test_responder_quotes_the_message_but_not_its_own_answer() -> None:
    fact = "My canoe is called Marguerite."
    found = answer("What is the canoe called?", said(fact, answer(fact)))
    assert found.endswith("On 12 July 2026 you told me: “My canoe is called Marguerite.”")


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
