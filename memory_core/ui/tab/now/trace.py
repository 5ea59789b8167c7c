"""The panel that shows the memories used for the last messages."""

from typing import Any

import gradio as gr

from ....infra.unicode import well_formed
from ....memory.traces import Trace
from ..common.frame import InputValues, Selection, TabHeader, Updates
from ..common.gradio_compat import copy_button_options, max_height_options
from . import trace_rows


class UsedPanel:
    def __init__(self, frame: TabHeader) -> None:
        self._frame = frame
        put = frame.labels.bind
        text: dict[str, Any] = {"interactive": False, "autoscroll": False, **copy_button_options()}
        self._trace_choice = put(gr.Dropdown(choices=[], elem_id="ltm-turn"), "label", "turn")
        self._outcome = put(gr.Textbox(lines=2, **text), "label", "notes")
        table = {"type": "array", "interactive": False, "wrap": True, **max_height_options(420)}
        self._injected = put(
            gr.Dataframe(
                headers=list(trace_rows.INJECTED_COLUMNS),
                datatype="str",
                elem_id="ltm-injected",
                column_widths=["9%", "9%", "7%", "13%", "7%", "33%", "12%", "10%"],
                **table,
            ),
            "label",
            "injected",
        )
        self._dropped = put(
            gr.Dataframe(
                headers=list(trace_rows.DROPPED_COLUMNS),
                datatype="str",
                elem_id="ltm-dropped",
                column_widths=["17%", "9%", "7%", "13%", "32%", "12%", "10%"],
                **table,
            ),
            "label",
            "dropped",
        )
        self._text = put(gr.Textbox(lines=8, max_lines=24, **text), "label", "injected_text")
        self._block = put(gr.Textbox(lines=4, max_lines=16, **text), "label", "system_block")
        self._details = [self._outcome, self._injected, self._dropped, self._text, self._block]
        self.outputs = [self._trace_choice, *self._details]

    def wire(self) -> None:
        self._trace_choice.input(
            self._show_chosen, self._frame.inputs(self._trace_choice), self._details
        )

    def show(self, view: Selection) -> Updates:
        """Shows the newest turn."""
        traces = self._traces(view)
        choices = trace_rows.trace_choices(traces)
        first = choices[0][1] if choices else None
        return [gr.update(choices=choices, value=first), *self._show_trace(view, first)]

    def _show_chosen(self, given: InputValues, request: gr.Request) -> Updates:
        return self._show_trace(
            self._frame.read_selection(given, request), given[self._trace_choice]
        )

    def _show_trace(self, view: Selection, turn: str | None) -> Updates:
        words, trace = view.words, trace_rows.trace_by_key(self._traces(view), turn)
        injected, dropped = (
            [words[column] for column in columns]
            for columns in (trace_rows.INJECTED_COLUMNS, trace_rows.DROPPED_COLUMNS)
        )
        if trace is None:
            nothing = [{"headers": injected, "data": []}, {"headers": dropped, "data": []}]
            return [words["no_turns"], *nothing, "", ""]
        return [
            trace_rows.outcome_text(trace, words),
            {"headers": injected, "data": trace_rows.injected_rows(trace, words)},
            {"headers": dropped, "data": trace_rows.dropped_rows(trace, words)},
            well_formed(trace.injected_text),
            well_formed(trace.system_block),
        ]

    def _traces(self, view: Selection) -> list[Trace]:
        if view.namespace is None:
            return []
        return self._frame.hooks.runtime.traces.latest(view.namespace)
