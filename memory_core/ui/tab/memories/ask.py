"""Answers the question in the search field, with the source memories of the answer."""

from collections.abc import Iterator, Sequence
from typing import Any

import gradio as gr

from ....consolidation.answers import NO_MODEL, UNANSWERED
from ....domain.namespaces import Namespace
from ....domain.records import Memory
from ....memory.questions import Answer, Question
from ....text.locales import Words
from ....text.problem_text import problem_text
from ....text.questions import asks
from ..common.actions import ActionField, button_html, drawn_anew
from ..common.gradio_compat import quiet
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import escaped, paragraph
from .cards import CardParts, plain_card

FIELD = "ltm-ask-action"
_MAX_CARDS = 10


def ask_offer_html(text: str, words: Words) -> str:
    """Returns the button that answers the text of the search; nothing for an empty one."""
    if not text:
        return ""
    if not asks(text):
        return f'<p class="ltm-row">{button_html(FIELD, "ask", words["ask_button"])}</p>'
    button = button_html(FIELD, "ask", words["ask_button"], style="primary")
    hint = escaped(words["ask_enter"])
    return f'<p class="ltm-row">{button}<span class="ltm-muted">{hint}</span></p>'


def answer_html(question: str, answer: Answer, words: Words) -> str:
    """Returns the question with its answer, or why there is none, above the memories."""
    used = answer.used or (() if answer.text else answer.sources)
    cards = _cards([source.memory for source in used], words)
    asked = paragraph(words("quoted", text=question), "ltm-muted")
    said = paragraph(answer.text, "ltm-answer-text")
    note = paragraph(_note(answer, words), "ltm-muted")
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


_LONGEST = 2_000


class AskPanel(Panel):
    """Asking changes nothing. Gradio runs the handler in a thread of its own."""

    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._search = header.search
        self._actions = ActionField(FIELD)
        self._html = gr.HTML(elem_id="ltm-ask-answer")
        self.outputs = [self._html]

    def wire(self, refresh: Refresh) -> None:
        self._actions.wire(self._header, self._ask, [self._html], self._search)
        submitted, ask = self._search.submit, self._ask_if_question
        self._header.on(submitted, ask, self._html, self._search, **quiet())

    def show(self, view: Selection) -> Updates:
        """Removes the answer if it was about another character's memories."""
        return [gr.skip() if view.is_refresh else ""]

    def _ask_if_question(self, view: Selection, given: InputValues) -> Iterator[Any]:
        """Removes the last answer for a search for words, whose results the list shows already."""
        if asks(self._question(given)):
            yield from self._ask(view, given)
        else:
            yield ""

    def _ask(self, view: Selection, given: InputValues) -> Iterator[str]:
        text = self._question(given)
        if view.namespace is None or not text:
            yield ""
            return
        yield paragraph(view.words["ask_waiting"])
        yield drawn_anew(self._answer(view.namespace, text, view.words))

    def _question(self, given: InputValues) -> str:
        return str(given[self._search] or "")[:_LONGEST].strip()

    def _answer(self, namespace: Namespace, text: str, words: Words) -> str:
        asked = Question(text=text, namespaces=(namespace,))
        return answer_html(text, self._header.runtime.memory.answer(asked), words)
