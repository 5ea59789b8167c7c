"""The tab's layout: a head with the state of memory, and its panels."""

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from ...admin.administration import Administration
from ...domain.namespaces import Namespace
from ...memory.embedding import EmbeddingProgress, embedding_progress
from ...text.locales import DEFAULT, LANGUAGES
from .common import status, visible_namespaces
from .common.actions import install_script
from .common.frame import InputValues, Labels, Panel, Room, Selection, TabHeader, Updates
from .common.gradio_compat import open_events
from .common.style import add_style
from .memories import room as memories
from .now import room as now
from .settings import room as settings
from .settings.pauses import paused_text
from .transfer import room as transfer
from .transfer.rolling_backup import CopiesPanel


def build(administration: Administration) -> None:
    """Builds the tab inside the gr.Blocks or gr.Tab that is open now."""
    _Page(administration)


class _Page:
    def __init__(self, administration: Administration) -> None:
        self._hooks = administration.hooks
        wanted = self._hooks.runtime.settings.language
        self._labels = Labels(wanted if wanted in LANGUAGES.values() else DEFAULT)
        add_style()
        install_script()
        self._banner = gr.HTML(elem_id="ltm-banner")
        self._facts = gr.HTML(elem_id="ltm-facts")
        self._frame = TabHeader(administration, self._labels)
        copies = CopiesPanel(self._frame)
        with gr.Tabs():
            rooms = [
                self._room("now_tab", now.build),
                self._room("memories_tab", memories.build),
                self._room("transfer_tab", transfer.build),
                self._room("settings_tab", settings.build),
            ]
        local = [panel for room in rooms for panel in room.local]
        refreshing = [copies, *(panel for room in rooms for panel in room.refreshing)]
        self._panels: Sequence[Panel] = (*local, *refreshing)
        self._outputs = [self._banner, self._facts, self._frame.namespace_choice]
        self._outputs += [output for panel in self._panels for output in panel.outputs]
        for panel in local:
            panel.wire()
        for refreshing_panel in refreshing:
            refreshing_panel.wire(self._refresh, self._outputs)
        self._wire()

    def _room(self, title: str, build_room: Callable[[TabHeader], Room]) -> Room:
        with self._labels.bind(gr.Tab(self._labels[title]), "label", title):
            return build_room(self._frame)

    def _wire(self) -> None:
        frame = self._frame
        gr.on(
            open_events(),
            self._open_last_active,
            frame.inputs(),
            self._outputs,
            show_progress="hidden",
        )
        by_hand = [frame.refresh.click, frame.namespace_choice.input]
        gr.on(by_hand, self._refresh, frame.inputs(), self._outputs, show_progress="hidden")
        relabelled = frame.language.input(
            self._relabel, frame.inputs(), self._labels.components, show_progress="hidden"
        )
        relabelled.then(self._refresh, frame.inputs(), self._outputs, show_progress="hidden")

    def _open_last_active(self, given: InputValues, request: gr.Request) -> Updates:
        """Selects the character of the latest message."""
        spaces = self._frame.visible_namespaces(request)
        last = visible_namespaces.last_active_key(spaces, self._hooks.runtime.traces.latest())
        return self._show_all(
            given[self._frame.language], spaces, last or given[self._frame.namespace_choice]
        )

    def _refresh(self, given: InputValues, request: gr.Request) -> Updates:
        spaces = self._frame.visible_namespaces(request)
        return self._show_all(
            given[self._frame.language], spaces, given[self._frame.namespace_choice]
        )

    def _show_all(self, language: str, spaces: Sequence[Namespace], who: str | None) -> Updates:
        """Shows all panels for this namespace, or for the first one if it no longer exists."""
        namespace = visible_namespaces.namespace_by_key(spaces, who) or next(iter(spaces), None)
        view = Selection(language=language, namespace=namespace)
        shown = [update for panel in self._panels for update in panel.show(view)]
        return [*self._head(view), self._namespace_choice(view, spaces), *shown]

    def _relabel(self, given: InputValues) -> Updates:
        return self._labels.updates(given[self._frame.language])

    def _head(self, view: Selection) -> list[str]:
        runtime, words = self._hooks.runtime, view.words
        counts = runtime.memory.counts(view.namespace) if view.namespace else None
        facts = status.facts_html(
            counts,
            embedder=status.embedder_state(runtime.memory.embedder, words),
            folder=None if self._hooks.host.is_multi_user() else runtime.memory.root,
            words=words,
            paused=paused_text(self._hooks, view.namespace, words),
        )
        facts += status.progress_html(self._progress(view), words)
        return [status.banner_html(status.problems(self._hooks, words), words), facts]

    def _progress(self, view: Selection) -> EmbeddingProgress | None:
        if view.namespace is None:
            return None
        memory = self._hooks.runtime.memory
        with memory.open_namespace(view.namespace) as archive:
            return embedding_progress(archive, memory.embedder)

    def _namespace_choice(self, view: Selection, spaces: Sequence[Namespace]) -> Any:  # noqa: ANN401
        choices = [
            (
                visible_namespaces.namespace_label(space, view.words),
                visible_namespaces.namespace_key(space),
            )
            for space in spaces
        ]
        value = visible_namespaces.namespace_key(view.namespace) if view.namespace else None
        return gr.update(choices=choices, value=value)
