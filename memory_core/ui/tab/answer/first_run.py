"""The card of the first run. Only new installations show it, until it is dismissed."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import gradio as gr

from ....domain.errors import LongTermMemoryError, StorageFailed
from ....infra import durable_files
from ....memory.runtime import Runtime
from ....text.locales import Words
from ..common.actions import ActionField, room_link
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import escaped, failure, paragraph
from ..common.model_card import model_view
from ..common.recall_check import run_check

_CHECK, _DISMISS = "check_memory", "dismiss_first_run"
_DISMISSED = "first_run.done"
TRANSFER_TAB, SETTINGS_TAB = "ltm-transfer-tab-button", "ltm-settings-tab-button"


class FirstRun:
    """Decides whether the card is shown; remembers in a file that it was dismissed."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        installation = runtime.installation
        self._mark: Path = installation.folder / installation.data_folder / _DISMISSED
        self._began_empty = False

    def is_due(self) -> bool:
        """Returns whether this installation is new: it had no memories at the first check."""
        if self._mark.exists():
            return False
        self._began_empty = self._began_empty or not self.has_memories()
        return self._began_empty

    def has_memories(self) -> bool:
        memory = self._runtime.memory
        with suppress(LongTermMemoryError):  # the head reports it
            return any(memory.count_memories(space).memories for space in memory.namespaces())
        return True

    def dismiss(self) -> None:
        """Hides the card for good. Raises StorageFailed."""
        durable_files.make_folder(self._mark.parent)
        durable_files.replace(self._mark, b"")


class FirstRunPanel(Panel):
    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._first_run = FirstRun(header.runtime)
        self._actions = ActionField("ltm-first-run-action")
        self._card = gr.HTML(elem_id="ltm-first-run")
        self._outcome = gr.HTML(elem_id="ltm-first-run-outcome")
        self.outputs: list[Any] = [self._card]

    def wire(self, refresh: Refresh) -> None:
        self._actions.wire(self._header, self._act, [self._card, self._outcome])

    def show(self, view: Selection) -> Updates:
        return [self._html(view.words)]

    def _html(self, words: Words) -> str:
        if self._header.is_shared or not self._first_run.is_due():
            return ""
        title, text = (escaped(words[key]) for key in ("first_title", "first_help"))
        items = "".join(f"<li>{step}</li>" for step in self._steps(words))
        leave = self._actions.button(_DISMISS, words["first_dismiss"])
        return (
            f'<section class="ltm-card ltm-first-run"><h3>{title}</h3><p>{text}</p>'
            f'<ul>{items}</ul><p class="ltm-quiet">{leave}</p></section>'
        )

    def _steps(self, words: Words) -> Iterator[str]:
        """Yields what can be done now; a model that is not ready has a card of its own."""
        yield _step(words["first_import"]) + room_link(TRANSFER_TAB, words["first_import_go"])
        if (key := f"first_model_{model_view(self._header.runtime).state}") in words:
            yield _step(words[key]) + room_link(SETTINGS_TAB, words["first_model_go"])
        if self._first_run.has_memories():
            yield _step(words["first_ask"]) + self._actions.button(_CHECK, words["check_run"])

    def _act(self, view: Selection, given: InputValues) -> Iterator[Updates]:
        action = self._actions.read(given)
        if action is None or self._header.is_shared:
            return
        if action.name == _CHECK:
            yield [gr.skip(), paragraph(view.words["check_running"])]
            yield [gr.skip(), run_check(self._header.runtime, view)]
        elif action.name == _DISMISS:
            yield [self._dismissed(view.words), ""]

    def _dismissed(self, words: Words) -> str:
        try:
            self._first_run.dismiss()
        except (StorageFailed, OSError) as exc:
            return failure(exc, words)
        return ""


def _step(text: str) -> str:
    return f"<span>{escaped(text)}</span> "
