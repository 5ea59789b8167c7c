"""The panel that searches, reads, corrects and forgets memories."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import gradio as gr

from ....admin.backup.atomic_output import atomic_file
from ....admin.exporters.markdown import markdown_lines, title_of
from ....domain.errors import LongTermMemoryError
from ....domain.namespaces import Namespace
from ....domain.records import Memory
from ..common.actions import Action, ActionField, drawn_anew
from ..common.downloads import Downloads
from ..common.gradio_compat import page_waits_for_answers, quiet
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import failure, paragraph
from .changes import ListClick, changes_memories, execute, move_targets
from .list_reader import Viewpoint, live_memories, room_html
from .list_state import (
    FIRST_STATE,
    ListState,
    Notice,
    OpenForm,
    after_click,
    without_question,
)

_FIELD = "ltm-memories-action"
_NO_FILE = {"visible": False, "value": None, "__type__": "update"}


class BrowserPanel(Panel):
    """One HTML element with the list, and a hidden field for its clicks."""

    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._hooks = header.hooks
        self._search = header.search
        self._html = gr.HTML(elem_id="ltm-browser")
        self._file = header.labels.bind(
            gr.DownloadButton(size="sm", visible=False, elem_id="ltm-ticked-file"),
            "label",
            "export_download",
        )
        self._actions = ActionField(_FIELD)
        self._state = gr.State(FIRST_STATE)
        self._downloads = Downloads(Path(self._file.GRADIO_CACHE))
        self._downloads.delete_with(header.runtime)
        self._drawn = [self._html, self._state]
        self._changed_by_clicks = [*self._drawn, self._file]
        self.outputs = self._changed_by_clicks
        header.remember(self._search, self._state)

    def wire(self, refresh: Refresh) -> None:
        inputs = (self._search, self._state)
        # Gradio 6 sends no `input` for a text that is pasted.
        self._header.on(
            self._search.change,
            self._search_typed,
            self._drawn,
            *inputs,
            **quiet(),
            trigger_mode="always_last",
            # Outside of it, a keystroke waits for nothing else, and Gradio draws less.
            queue=not page_waits_for_answers(),
        )
        clicked = self._actions.wire(self._header, self._act, self._changed_by_clicks, *inputs)
        self._header.counted_after.append(clicked)

    def show(self, view: Selection) -> Updates:
        """Shows the results of the search; a form that is being filled in stays."""
        state: ListState = view.page.get(self._state, FIRST_STATE)
        search = view.page.get(self._search) or ""
        is_typing = state.searched != search  # then `_search_typed` draws the list
        if (view.is_opening and is_typing) or (view.is_refresh and _is_busy(state, search)):
            return [gr.skip() for _ in self.outputs]
        if not view.is_refresh:
            state = FIRST_STATE
        file = gr.skip() if view.is_refresh else _NO_FILE
        return [*self._draw(view, search, state), file]

    def _search_typed(self, view: Selection, given: InputValues) -> Updates:
        state = replace(without_question(given[self._state]), page=0, about_open=False)
        return self._redraw(view, given, state)

    def _act(self, view: Selection, given: InputValues) -> Updates:
        action, state = self._actions.read(given), given[self._state]
        hidden = gr.update(visible=False)
        if action is None or view.namespace is None:
            return [*self._redraw(view, given, state), hidden]
        if action.name == "export":
            notice, file = self._export(view, view.namespace, action)
            return [*self._redraw(view, given, replace(state, notice=notice)), file]
        if changes_memories(action):
            state = self._apply_change(view, view.namespace, action, given[self._state])
        else:
            state = after_click(state, action)
        return [*self._redraw(view, given, state), hidden]

    def _apply_change(
        self, view: Selection, namespace: Namespace, action: Action, state: ListState
    ) -> ListState:
        click = ListClick(
            action=action,
            namespace=namespace,
            state=state,
            targets=move_targets(view.visible, namespace),
            words=view.words,
        )
        return replace(without_question(state), notice=execute(self._hooks, click))

    def _redraw(self, view: Selection, given: InputValues, state: ListState) -> Updates:
        return self._draw(view, given[self._search] or "", state)

    def _draw(self, view: Selection, search: str, state: ListState) -> Updates:
        drawn = replace(state if view.namespace else FIRST_STATE, searched=search)
        return [self._room(view, search, drawn), drawn]

    def _room(self, view: Selection, search: str, state: ListState) -> str:
        if view.namespace is None:
            return paragraph(view.words["nobody"])
        viewpoint = Viewpoint(
            namespace=view.namespace,
            search=search,
            targets=move_targets(view.visible, view.namespace),
            words=view.words,
            button=self._actions.button,
            is_chat_open=view.is_chat_open,
        )
        try:
            return drawn_anew(room_html(self._hooks, viewpoint, state))
        except LongTermMemoryError as exc:
            return failure(exc, view.words)

    def _export(self, view: Selection, namespace: Namespace, action: Action) -> tuple[Notice, Any]:
        """Writes the ticked memories into a document, and offers it."""
        memories = self._ticked(namespace, action.ticked)
        if not memories:
            return Notice(text=view.words["tick_first"]), gr.update(visible=False)
        path = self._downloads.new_path(namespace, ".md")
        with atomic_file(path) as file:
            for line in markdown_lines(memories, title=title_of(namespace)):
                file.write(line.encode())
        notice = Notice(text=view.words("ticked_exported", count=len(memories)))
        return notice, gr.update(value=str(path), visible=True)

    def _ticked(self, namespace: Namespace, ids: Sequence[str]) -> list[Memory]:
        live = live_memories(self._hooks, namespace, ids)
        return sorted(live, key=lambda memory: memory.ts or 0.0)


def _is_busy(state: ListState, search: str) -> bool:
    """Returns whether a form is open, or a running search will draw the list itself."""
    return state.open_form is not OpenForm.NONE or state.searched != search
