"""The panel *Review*: memories that wait for a decision of the user."""

import gradio as gr

from ....domain.errors import LongTermMemoryError
from ....domain.namespaces import Namespace
from ....domain.records import Memory
from ....memory.doubts import Doubts
from ....memory.held_inbox import HeldInbox
from ....memory.inbox import Proposal
from ....storage.log.projection import MemoryStatus
from ....text.locales import Words
from ....text.problem_text import failure_text
from ..common.actions import ActionField, drawn_anew
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import paragraph
from .review_clicks import (
    FIRST_REVIEW,
    ReviewClick,
    ReviewState,
    after_review_click,
    inbox_of,
)
from .review_html import ReviewContent, review_html

_MAX_SOURCES = 8  # shown of one proposal
_MAX_PROPOSALS = 20


class ReviewPanel(Panel):
    """A fold with the number of waiting items in its title, and a button for each decision.

    It is shown above the list of memories while something waits. Otherwise a fold below the list,
    which the keyboard reaches after it, says that nothing waits.
    """

    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._runtime = header.runtime
        self._fold = gr.Accordion(
            header.labels["review_tab"], open=False, elem_id="ltm-review", visible=False
        )
        with self._fold:
            self._html = gr.HTML(elem_id="ltm-review-content")
        self._actions = ActionField("ltm-review-action")
        self._state = gr.State(FIRST_REVIEW)
        header.remember(self._state)
        self.outputs = [self._fold, self._html, self._state]

    def build_idle(self) -> None:
        """Builds the fold for the time when nothing waits, below the list."""
        title = self._header.labels["review_tab"]
        self._idle = gr.Accordion(title, open=False, elem_id="ltm-review-idle")
        with self._header.labels.bind(self._idle, "label", "review_tab"):
            self._nothing = gr.HTML()
        self.outputs = [*self.outputs, self._idle, self._nothing]

    def wire(self, refresh: Refresh) -> None:
        self._actions.wire(self._header, self._act, self.outputs, self._state)

    def show(self, view: Selection) -> Updates:
        """Shows the waiting items; the Undo of the last decision stays."""
        kept = view.page.get(self._state, FIRST_REVIEW) if view.is_refresh else FIRST_REVIEW
        return self._draw(view, kept)

    def _act(self, view: Selection, given: InputValues) -> Updates:
        action = self._actions.read(given)
        state: ReviewState = given[self._state]
        if action is None or view.namespace is None:
            return self._draw(view, state)
        click = ReviewClick(action=action, namespace=view.namespace, state=state, words=view.words)
        return self._draw(view, after_review_click(self._runtime, click))

    def _draw(self, view: Selection, state: ReviewState) -> Updates:
        words = view.words
        if view.namespace is None:
            return _idle_fold_updates("", words)
        try:
            content = self._content(view.namespace)
        except LongTermMemoryError as exc:
            return _idle_fold_updates(failure_text(exc, words), words)
        if not is_shown(content.count, state):
            return _idle_fold_updates(words["review_nothing"], words)
        html = review_html(content, state, words, self._actions.button)
        fold = gr.update(label=fold_title(content.count, words), visible=True)
        return [fold, drawn_anew(html), state, gr.update(visible=False), gr.skip()]

    def _content(self, namespace: Namespace) -> ReviewContent:
        proposals = inbox_of(self._runtime).proposals(namespace)
        return ReviewContent(
            proposals=proposals,
            doubts=Doubts(self._runtime.memory).open(namespace),
            held=HeldInbox(self._runtime.memory, self._runtime.pauses).waiting(namespace),
            sources=self._sources(namespace, proposals[:_MAX_PROPOSALS]),
        )

    def _sources(self, namespace: Namespace, proposals: list[Proposal]) -> dict[str, Memory]:
        ids = [name for one in proposals for name in one.memory.sources[:_MAX_SOURCES]]
        records = self._runtime.memory.get_records(namespace, ids) if ids else {}
        live = (one for one in records.values() if one.status is MemoryStatus.LIVE)
        return {one.memory.id: one.memory for one in live}


def is_shown(count: int, state: ReviewState) -> bool:
    """Returns whether something waits, or the last decision can still be undone there."""
    return bool(count or state.message)


def fold_title(count: int, words: Words) -> str:
    return words("review_tab_count", count=count) if count else words["review_tab"]


def _idle_fold_updates(text: str, words: Words) -> Updates:
    """Returns updates that only show the fold below the list, with this text if there is one."""
    idle = gr.update(label=words["review_tab"], visible=bool(text))
    return [gr.update(visible=False), "", FIRST_REVIEW, idle, paragraph(text)]
