"""The panel that searches, edits, pins, forgets and restores memories."""

from collections.abc import Callable

import gradio as gr

from ....domain.errors import LongTermMemoryError, UnknownMemory, WordsErased
from ....domain.namespaces import Namespace
from ....domain.records import Memory
from ....storage.log.projection import MemoryStatus
from ....text.locales import Words
from ..common import retention_preview, status
from ..common.frame import InputValues, Selection, TabHeader, Updates
from ..common.gradio_compat import max_height_options, selected_row
from . import browser_rows

Handler = Callable[[InputValues, gr.Request], Updates]
Action = Callable[[Namespace, InputValues, Words], str]


class BrowserPanel:
    def __init__(self, frame: TabHeader) -> None:
        self._frame = frame
        self._runtime = frame.hooks.runtime
        put = frame.labels.bind
        search = gr.Textbox(elem_id="ltm-search", max_lines=1)
        self._search = put(search, "label", "search")
        with gr.Row():
            self._newer = put(gr.Button(size="sm"), "value", "newer")
            self._older = put(gr.Button(size="sm"), "value", "older")
        self._page = gr.State(1)
        self._page_line = gr.HTML()
        table = gr.Dataframe(
            headers=list(browser_rows.COLUMNS),
            datatype="str",
            type="array",
            interactive=False,
            wrap=True,
            elem_id="ltm-memories",
            column_widths=["10%", "7%", "32%", "32%", "11%", "8%"],
            **max_height_options(460),
        )
        self._table = put(table, "label", "memories")
        self._selected = gr.State("")
        self._message = gr.HTML(elem_id="ltm-told")
        self._build_editor(frame)
        self._build_forgotten(frame)
        self._editor_outputs = [
            self._selected,
            self._id,
            self._user,
            self._character,
            self._details,
        ]
        self._list_outputs = [self._page, self._page_line, self._table, self._forgotten]
        self.outputs = [self._message, *self._list_outputs, *self._editor_outputs]

    def _build_editor(self, frame: TabHeader) -> None:
        put = frame.labels.bind
        with gr.Row():
            user = gr.Textbox(lines=3, max_lines=12, elem_id="ltm-user-side")
            self._user = put(user, "label", "user_said")
            character = gr.Textbox(lines=3, max_lines=12, elem_id="ltm-character-side")
            self._character = put(character, "label", "character_said")
        self._id = put(gr.Textbox(interactive=False, max_lines=1), "label", "id")
        self._details = gr.HTML(elem_id="ltm-details")
        with gr.Row():
            names = ("save_edit", "pin", "unpin", "forget")
            self._buttons = {name: put(gr.Button(size="sm"), "value", name) for name in names}

    def _build_forgotten(self, frame: TabHeader) -> None:
        put = frame.labels.bind
        dropdown = gr.Dropdown(choices=[], elem_id="ltm-forgotten")
        self._forgotten = put(dropdown, "label", "forgotten")
        with gr.Row():
            self._unforget = put(gr.Button(size="sm"), "value", "unforget")
            self._erase = put(gr.Button(size="sm", variant="stop"), "value", "erase_now")

    def wire(self) -> None:
        inputs = self._frame.inputs
        where = inputs(self._search, self._page)
        for event, step in (
            (self._search.submit, None),
            (self._newer.click, -1),
            (self._older.click, 1),
        ):
            event(self._page_handler(step), where, self._list_outputs)
        self._table.select(self._select, inputs(self._table), self._editor_outputs)
        one = where | {self._selected, self._user, self._character, self._forgotten}
        for name, act in (
            ("save_edit", self._save),
            ("pin", self._pin),
            ("unpin", self._unpin),
            ("forget", self._forget),
        ):
            self._buttons[name].click(self._action_handler(act), one, self.outputs)
        self._unforget.click(self._action_handler(self._unforget_selected), one, self.outputs)
        self._erase.click(self._action_handler(self._erase_now), one, self.outputs)

    def show(self, view: Selection) -> Updates:
        """Shows the first page with nothing selected."""
        return ["", *self._list_updates(view, "", 1), *self._editor_updates(view, "")]

    def _page_handler(self, step: int | None) -> Handler:
        """Returns a handler that turns pages; None as a step goes to a search's first page."""

        def turn(given: InputValues, request: gr.Request) -> Updates:
            page = given[self._page] + step if step else 1
            return self._list_updates(
                self._frame.read_selection(given, request), given[self._search], page
            )

        return turn

    def _action_handler(self, act: Action) -> Handler:
        """Returns a handler that runs an action and shows its outcome and the new list."""

        def do(given: InputValues, request: gr.Request) -> Updates:
            view = self._frame.read_selection(given, request)
            try:
                message = act(view.namespace, given, view.words) if view.namespace else ""
            except WordsErased:
                message = view.words["words_erased"]
            except UnknownMemory:
                message = view.words["none_selected"]
            except LongTermMemoryError as exc:
                message = view.words("failed", reason=exc)
            listed = self._list_updates(view, given[self._search], given[self._page])
            return [
                status.paragraph(message),
                *listed,
                *self._editor_updates(view, given[self._selected]),
            ]

        return do

    def _save(self, space: Namespace, given: InputValues, words: Words) -> str:
        memory = self._runtime.memory.get_record(space, given[self._selected]).memory
        fields = browser_rows.edited_fields(memory, given[self._user], given[self._character])
        self._runtime.memory.edit(space, memory.id, fields)
        self._runtime.schedule(space)
        return words["saved_edit"]

    def _pin(self, space: Namespace, given: InputValues, words: Words) -> str:
        self._runtime.memory.pin(space, given[self._selected])
        return words["did_pin"]

    def _unpin(self, space: Namespace, given: InputValues, words: Words) -> str:
        self._runtime.memory.unpin(space, given[self._selected])
        return words["did_unpin"]

    def _forget(self, space: Namespace, given: InputValues, words: Words) -> str:
        self._frame.hooks.forget(space, given[self._selected])
        minutes = self._runtime.settings.ltm_writes.undo_forget_s / 60
        return words("did_forget", minutes=f"{minutes:g}")

    def _unforget_selected(self, space: Namespace, given: InputValues, words: Words) -> str:
        self._runtime.memory.unforget(space, given[self._forgotten] or "")
        return words["did_unforget"]

    def _erase_now(self, space: Namespace, given: InputValues, words: Words) -> str:
        return words("did_erase", count=self._runtime.memory.erase_all_forgotten(space))

    def _select(self, given: InputValues, request: gr.Request, event: gr.SelectData) -> Updates:
        view = self._frame.read_selection(given, request)
        return self._editor_updates(view, selected_row(event, given[self._table])[-1])

    def _list_updates(self, view: Selection, search: str, number: int) -> Updates:
        number = max(1, number)
        found: list[Memory] = []
        forgotten: list[tuple[str, str]] = []
        if view.namespace:
            memory = self._runtime.memory
            found = memory.latest(view.namespace, browser_rows.page_of(number, search))
            forgotten = browser_rows.forgotten_choices(memory.forgotten(view.namespace))
        headers = [view.words[name] for name in browser_rows.COLUMNS]
        return [
            number,
            status.paragraph(view.words("page_of", page=number, count=len(found)))
            + status.paragraph(
                retention_preview.removed_text(self._runtime, view.namespace, view.words)
            ),
            {"headers": headers, "data": browser_rows.rows(found, view.words)},
            gr.update(choices=forgotten, value=forgotten[0][1] if forgotten else None),
        ]

    def _editor_updates(self, view: Selection, memory_id: str) -> Updates:
        """Fills the editor with the selected memory, or empties it if there is none."""
        known = view.namespace and self._runtime.memory.get_records(view.namespace, [memory_id])
        entry = known.get(memory_id) if known else None
        if entry is None or entry.status is not MemoryStatus.LIVE:
            return ["", "", "", "", ""]
        user, character = browser_rows.sides(entry.memory)
        details = "".join(map(status.paragraph, browser_rows.details(entry.memory, view.words)))
        return [memory_id, memory_id, user, character, details]
