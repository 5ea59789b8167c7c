"""Draws the offer to answer what was typed, and the answer with its source memories."""

from collections.abc import Sequence

from ....consolidation.answers import NO_MODEL, UNANSWERED
from ....domain.records import Memory
from ....memory.questions import Answer
from ....text.locales import Words
from ....text.problem_text import problem_text
from ....text.questions import asks
from ..common.actions import button_html, primary
from ..common.status import escaped
from .cards import CardParts, plain_card

FIELD = "ltm-ask-action"
_MAX_CARDS = 10


def ask_offer_html(text: str, words: Words) -> str:
    """Returns the button that answers the text of the search; nothing for an empty one."""
    if not text:
        return ""
    button = button_html(FIELD, "ask", words["ask_button"])
    if not asks(text):
        return f'<p class="ltm-row">{button}</p>'
    hint = escaped(words["ask_enter"])
    return f'<p class="ltm-row">{primary(button)}<span class="ltm-muted">{hint}</span></p>'


def answer_html(question: str, answer: Answer, words: Words) -> str:
    """Returns the question with its answer, or why there is none, above the memories."""
    used = answer.used or (() if answer.text else answer.sources)
    cards = _cards([source.memory for source in used], words)
    asked = f'<p class="ltm-muted">{escaped(words("quoted", text=question))}</p>'
    said = f'<p class="ltm-answer-text">{escaped(answer.text)}</p>' if answer.text else ""
    note = f'<p class="ltm-muted">{escaped(_note(answer, words))}</p>'
    return (
        f'<section class="ltm-card ltm-answer" role="status">{asked}{said}{note}{cards}</section>'
    )


def _note(answer: Answer, words: Words) -> str:
    if not answer.sources:
        return words["ask_nothing_found"]
    if answer.text:
        return words["ask_drawn_from" if answer.used else "ask_drawn_from_none"]
    if answer.fault == NO_MODEL:
        return words["ask_no_model"]
    return words("ask_failed", reason=problem_text(answer.fault.removeprefix(UNANSWERED), words))


def _cards(memories: Sequence[Memory], words: Words) -> str:
    parts = CardParts(words=words, button=button_html)
    items = "".join(plain_card(one, parts, with_tick=False) for one in memories[:_MAX_CARDS])
    return f"<ul>{items}</ul>" if items else ""
