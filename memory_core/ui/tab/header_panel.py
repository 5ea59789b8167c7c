"""The line in the header: health, number of memories, Pause."""

from collections.abc import Mapping
from typing import Any

import gradio as gr

from ...domain.errors import LongTermMemoryError
from ...domain.namespaces import Namespace
from ...host.hooks import Hooks
from ...memory.embedding import EmbeddingProgress, embedding_progress
from ...storage.pauses import PauseState
from ...text.locales import Words
from ...text.problem_text import failure_text
from .common import status
from .common.gradio_compat import quiet
from .common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from .common.markup import paragraph
from .common.status import open_state, pause_of_chat

_PAUSED = PauseState(is_writing_paused=True, is_recall_paused=True)


def paused_elsewhere(hooks: Hooks, namespace: Namespace | None, chat: str, words: Words) -> str:
    """Returns the pause of the character and the number of other paused chats, or ""."""
    if namespace is None:
        return ""
    try:
        paused = hooks.runtime.pauses.paused_chats(namespace)
        never = hooks.runtime.pauses.is_never_remembered(namespace)
    except LongTermMemoryError as exc:
        return failure_text(exc, words)
    paused.pop(chat, None)
    parts = [words["paused_character"]] if never else []
    parts += [words("paused_others", count=len(paused))] if paused else []
    return words["list_comma"].join(parts)


class HeaderPanel(Panel):
    """Shows the state of memory, and pauses or resumes the open chat."""

    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._runtime = header.runtime
        self.outputs = [header.health, header.facts, header.pause]

    def show(self, view: Selection) -> Updates:
        found = self._counts(view.namespace)
        return [self._health_html(view, found), self._facts_html(view, found), self._button(view)]

    def recount(self, view: Selection) -> Updates:
        """Shows the number of memories after one of them was changed."""
        return [self._facts_html(view, self._counts(view.namespace))]

    def wire(self, refresh: Refresh) -> None:
        clicked = self._header.pause.click
        refresh.after(self._header.on(clicked, self._toggle_pause, None, **quiet()))

    def _toggle_pause(self, view: Selection, given: InputValues) -> None:
        """Pauses the open chat, or resumes it if its writing or recall is paused."""
        if view.chosen is not None and view.conversation:
            wanted = PauseState() if pause_of_chat(self._runtime, view).is_paused else _PAUSED
            executor = self._header.hooks.command_executor
            if not executor.set_pause(view.chosen, view.conversation, wanted):
                gr.Warning(view.words["switch_later"])

    def _counts(self, namespace: Namespace | None) -> Mapping[str, int] | None:
        return self._runtime.memory.counts(namespace) if namespace else None

    def _health_html(self, view: Selection, counts: Mapping[str, int] | None) -> str:
        hooks, words = self._header.hooks, view.words
        facts = status.fact_rows(
            counts,
            embedder=status.embedder_state(self._runtime.memory.embedder, words),
            folder=None if hooks.host.is_multi_user() else self._runtime.memory.root,
            words=words,
        )
        return status.banner_html(
            status.problems(hooks, words),
            facts,
            words,
            state=open_state(self._runtime, view),
            off=status.off_since(self._runtime.remember_switch, words),
        )

    def _facts_html(self, view: Selection, counts: Mapping[str, int] | None) -> str:
        paused = paused_elsewhere(self._header.hooks, view.chosen, view.conversation, view.words)
        line = status.count_line(counts, view.words, paused=paused)
        return paragraph(line) + status.progress_html(self._progress(view), view.words)

    def _button(self, view: Selection) -> Any:  # noqa: ANN401
        key = "resume_chat" if pause_of_chat(self._runtime, view).is_paused else "pause_chat"
        return gr.update(value=view.words[key], visible=bool(view.conversation))

    def _progress(self, view: Selection) -> EmbeddingProgress | None:
        if view.namespace is None:
            return None
        memory = self._runtime.memory
        with memory.open_namespace(view.namespace) as opened:
            return embedding_progress(opened, memory.embedder)
