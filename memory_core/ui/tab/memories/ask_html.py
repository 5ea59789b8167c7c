"""Draws the answer to a question, with its source memories."""

from collections.abc import Sequence

from ....consolidation.answers import NO_MODEL, UNANSWERED
from ....domain.records import Memory
from ....memory.questions import Answer
from ....text.locales import Words
from ....text.problem_text import problem_text
from ..common.actions import button_html
from ..common.status import escaped
from .cards import CardParts, plain_card

_MAX_CARDS = 10


def answer_html(answer: Answer, words: Words) -> str:
    """Returns the answer, or the reason why there is none, above the memories."""
    used = answer.used or (() if answer.text else answer.sources)
    cards = _cards([source.memory for source in used], words)
    said = f'<p class="ltm-answer-text">{escaped(answer.text)}</p>' if answer.text else ""
    note = f'<p class="ltm-muted">{escaped(_note(answer, words))}</p>'
    return f'<section class="ltm-card ltm-answer" role="status">{said}{note}{cards}</section>'


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
