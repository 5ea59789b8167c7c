"""The panel that shows what memory did for the last messages."""

from typing import Any

import gradio as gr

from ....infra.unicode import well_formed
from ....memory.traces import Trace
from ..common.frame import Frame, Given, Updates, View
from ..common.gradio_compat import at_most, copyable
from . import trace_rows


class UsedPanel:
    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        put = frame.labels.put
        text: dict[str, Any] = {"interactive": False, "autoscroll": False, **copyable()}
        self._turn = put(gr.Dropdown(choices=[], elem_id="ltm-turn"), "label", "turn")
        self._happened = put(gr.Textbox(lines=2, **text), "label", "notes")
        table = {"type": "array", "interactive": False, "wrap": True, **at_most(420)}
        self._injected = put(
            gr.Dataframe(
                headers=list(trace_rows.INJECTED),
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
                headers=list(trace_rows.DROPPED),
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
        self._details = [self._happened, self._injected, self._dropped, self._text, self._block]
        self.outputs = [self._turn, *self._details]

    def wire(self) -> None:
        self._turn.input(self._choose, self._frame.inputs(self._turn), self._details)

    def show(self, view: View) -> Updates:
        """The newest turn."""
        traces = self._traces(view)
        choices = trace_rows.turns(traces)
        first = choices[0][1] if choices else None
        return [gr.update(choices=choices, value=first), *self._shown(view, first)]

    def _choose(self, given: Given, request: gr.Request) -> Updates:
        return self._shown(self._frame.view(given, request), given[self._turn])

    def _shown(self, view: View, turn: str | None) -> Updates:
        words, trace = view.words, trace_rows.chosen(self._traces(view), turn)
        injected, dropped = (
            [words[it] for it in head] for head in (trace_rows.INJECTED, trace_rows.DROPPED)
        )
        if trace is None:
            nothing = [{"headers": injected, "data": []}, {"headers": dropped, "data": []}]
            return [words["no_turns"], *nothing, "", ""]
        return [
            trace_rows.happened(trace, words),
            {"headers": injected, "data": trace_rows.injected_rows(trace, words)},
            {"headers": dropped, "data": trace_rows.dropped_rows(trace, words)},
            well_formed(trace.injected_text),
            well_formed(trace.system_block),
        ]

    def _traces(self, view: View) -> list[Trace]:
        if view.namespace is None:
            return []
        return self._frame.hooks.runtime.traces.latest(view.namespace)
