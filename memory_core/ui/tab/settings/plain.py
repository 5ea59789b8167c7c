"""Panels of plain choices. A choice applies at once and can be undone."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import gradio as gr

from ....domain.errors import LongTermMemoryError
from ..common.actions import ActionField
from ..common.gradio_compat import quiet
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import failure, paragraph
from . import basic_choices, saving
from .basic_choices import Choice

REMEMBERED = (Choice.REMEMBER, Choice.DELETED)
FACTS = (Choice.FACTS,)
RECALLED = (Choice.RECALL, Choice.AMOUNT, Choice.STRICTNESS)


class PlainPanel(Panel):
    """Some of the choices; `group` tells its elements from those of other panels."""

    def __init__(self, header: TabHeader, group: str, choices: Sequence[Choice]) -> None:
        self._header = header
        self._choices = choices
        self._runtime = header.runtime
        self._actions = ActionField(f"ltm-plain-action-{group}")
        self._before = gr.State({})
        self._radios = dict(self._build())
        self._message = gr.HTML(elem_id=f"ltm-plain-saved-{group}")
        self.outputs = [*self._radios.values()]

    def _build(self) -> Iterator[tuple[Choice, Any]]:
        with gr.Row(elem_classes="ltm-plain"):
            for choice in self._choices:
                yield choice, gr.Radio([], label=choice, elem_id=f"ltm-plain-{choice}")

    def wire(self, refresh: Refresh) -> None:
        radios, outputs = self._radios.values(), [self._before, self._message]
        changed = partial(gr.on, [radio.input for radio in radios])
        refresh.after(self._header.on(changed, self._save, outputs, *radios, **quiet()))
        refresh.after(self._actions.wire(self._header, self._undo, outputs, self._before))

    def show(self, view: Selection) -> Updates:
        """Updates the choices; the last message stays."""
        settings = self._runtime.settings
        return [
            self._radio(choice, basic_choices.chosen_option(choice, settings), view)
            for choice in self._choices
        ]

    def _radio(self, choice: Choice, option: str | None, view: Selection) -> Any:  # noqa: ANN401
        words = view.words
        elsewhere = basic_choices.overriding_sources(choice, self._runtime.installation)
        info = [basic_choices.effect(choice, self._runtime.settings, words)]
        info += [words("elsewhere", where=words["list_comma"].join(elsewhere))] if elsewhere else []
        info += [words["plain_by_hand"]] if option is None else []
        offered = basic_choices.offered_options(
            choice, shown=option, has_host_model=self._runtime.models.has_host_model
        )
        is_shared = self._header.is_shared
        info += [words["shared_page"]] if is_shared and choice is self._choices[0] else []
        return gr.update(
            choices=[
                (words[f"plain_{choice}_{name}"], basic_choices.radio_value(name, option))
                for name in offered
            ],
            value=basic_choices.radio_value(option, option) if option else None,
            label=words[f"plain_{choice}"],
            info=words["sentence_gap"].join(info),
            interactive=not (elsewhere or is_shared),
        )

    def _save(self, view: Selection, given: InputValues) -> Updates:
        if self._header.is_shared:
            return [{}, paragraph(view.words["shared_page"])]
        changes: dict[str, object] = {}
        for choice, radio in self._radios.items():
            option = basic_choices.picked_option(given[radio])
            if option is not None and option in basic_choices.options(choice):
                changes |= basic_choices.changes_of(choice, option)
        if not changes:
            return [gr.skip(), gr.skip()]
        missing = "llm.kind" in changes and saving.missing_model(self._runtime, changes, view.words)
        if missing:
            return [{}, paragraph(view.words("setting_refused", reason=missing))]
        try:
            before = saving.save(self._runtime, changes)
        except LongTermMemoryError as exc:
            return [{}, failure(exc, view.words)]
        return [before, saving.saved_html(view.words, field_id=self._actions.elem_id)]

    def _undo(self, view: Selection, given: InputValues) -> Updates:
        words = view.words
        before = {} if self._header.is_shared else given[self._before]
        return [*saving.undo(self._runtime, before, words)]
