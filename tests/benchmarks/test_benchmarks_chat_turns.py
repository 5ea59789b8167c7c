"""Questions become messages of a chat by a rule that adds a related exchange before."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.chat_turns import ELLIPTIC, IN_CONTEXT, PLAIN, UNRELATED, chat_turns, elliptic
from benchmarks.locomo import Conversation, conversation_of
from benchmarks.product import Product
from benchmarks.recall import measure, own_questions, ranking_settings, report
from memory_core.text.search_terms import terms
from tests.cases import for_each

FILLER = [f"Something else, number {number}." for number in range(36)]
SESSIONS = (
    ["The red canoe lies at the pier.", "Rope it well.", "Ana, the shed is locked.", "Ok."],
    ["I mended the canoe and the shed.", "With what?", "Good night, Ana.", "Sleep well."],
    ["We went to the market.", "What for?", *FILLER],
)


def conversation(*, question: str) -> Conversation:
    """Returns a conversation of three sessions with the evidence in the first."""
    talk: dict[str, Any] = {"speaker_a": "Ana", "speaker_b": "Mira"}
    for number, said in enumerate(SESSIONS, start=1):
        talk[f"session_{number}_date_time"] = f"9:00 am on {number} March, 2026"
        talk[f"session_{number}"] = [
            {
                "speaker": ("Ana", "Mira")[index % 2],
                "dia_id": f"D{number}:{index + 1}",
                "text": text,
            }
            for index, text in enumerate(said)
        ]
    asked = [{"question": question, "evidence": ["D1:1"], "category": 4}]
    return conversation_of({"sample_id": "small", "conversation": talk, "qa": asked})


def test_question_follows_an_exchange_with_its_words_outside_the_evidence() -> None:
    asked = {
        chat_turn.category: chat_turn
        for chat_turn in chat_turns(conversation(question="Is Ana's canoe red?"))
    }
    assert list(asked) == [PLAIN, UNRELATED, ELLIPTIC, IN_CONTEXT]
    assert asked[PLAIN].text == asked[UNRELATED].text == "Is Ana's canoe red?"
    assert asked[ELLIPTIC].text == asked[IN_CONTEXT].text == "Is Ana's red?"
    assert asked[IN_CONTEXT].context == ("I mended the canoe and the shed.", "With what?")
    assert asked[UNRELATED].context in [("Good night, Ana.", "Sleep well."), tuple(FILLER[-2:])]
    assert asked[PLAIN].context == asked[ELLIPTIC].context == ()


def test_question_without_shared_specific_words_is_left_out() -> None:
    assert not list(chat_turns(conversation(question="Is the pier safe, Ana?")))
    assert not list(chat_turns(conversation(question="Is something else at the pier?")))


@for_each(
    ("text", "said", "left"),
    [
        ("Where did the ducks go?", "a duck", "Where did the go?"),
        ("Who keeps bees, and why?", "Bee keeping", "Who, and why?"),
        ("罗教练的嗓门有多大？", "教练来了", "罗 的嗓门有多大？"),
    ],
)
def test_elliptic_question_lacks_the_words_just_said(text: str, said: str, left: str) -> None:
    assert elliptic(text, set(terms(said))) == left


def test_exchange_just_said_is_not_recalled(tmp_path: Path) -> None:
    talk = conversation(question="Is the canoe in the shed red?")
    with Product(tmp_path, settings=ranking_settings(gate=False), embedder=None) as product:
        product.tell(talk)
        kept = {
            chat_turn.category: [found.memory.text for found in product.put(talk, chat_turn).kept]
            for chat_turn in chat_turns(talk)
        }
    assert any("mended" in memory for memory in kept[PLAIN])
    assert any("pier" in memory for memory in kept[IN_CONTEXT])
    assert not any("mended" in memory for memory in kept[IN_CONTEXT])


def test_chat_turn_benchmark_reports_the_four_forms_separately(tmp_path: Path) -> None:
    talk = conversation(question="Is Ana's canoe red?")
    with Product(tmp_path, settings=ranking_settings(gate=True), embedder=None) as product:
        question, *ways = measure(product, [talk], (own_questions, chat_turns))
    found = report([replace(question, ms=1.0), *(replace(way, ms=1000.0) for way in ways)])
    assert found["questions"] == 1
    assert list(found["in_chat"]) == [PLAIN, UNRELATED, ELLIPTIC, IN_CONTEXT]
    assert [entry["questions"] for entry in found["in_chat"].values()] == [1, 1, 1, 1]
    assert found["query_ms_p95"] == 1.0
