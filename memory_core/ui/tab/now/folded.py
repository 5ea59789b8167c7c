"""The folded parts of an answer: what was left out and why, the exact prompt, the scores."""

from typing import Any

import gradio as gr

from ....infra.unicode import well_formed
from ....memory.traces import Trace
from ....text.locales import Words
from ..common.frame import TabHeader, Updates
from ..common.gradio_compat import copy_button_options, max_height_options
from . import trace_rows


class FoldedParts:
    def __init__(self, frame: TabHeader) -> None:
        put = frame.labels.bind
        text: dict[str, Any] = {"interactive": False, "autoscroll": False, **copy_button_options()}
        table = {"type": "array", "interactive": False, "wrap": True, **max_height_options(420)}
        with frame.accordion("now_dropped_fold"):
            self._dropped = put(
                gr.Dataframe(
                    headers=list(trace_rows.DROPPED_COLUMNS),
                    datatype="str",
                    elem_id="ltm-dropped",
                    column_widths=["22%", "12%", "8%", "18%", "40%"],
                    **table,
                ),
                "label",
                "dropped",
            )
        with frame.accordion("now_exact_fold"):
            exact = gr.Textbox(lines=8, max_lines=24, elem_id="ltm-exact", **text)
            self._text = put(exact, "label", "injected_text")
            block = gr.Textbox(lines=4, max_lines=16, **text)
            self._block = put(block, "label", "system_block")
        with frame.accordion("now_scores_fold"):
            outcome = gr.Textbox(lines=2, elem_id="ltm-outcome", **text)
            self._outcome = put(outcome, "label", "notes")
            self._injected = put(
                gr.Dataframe(
                    headers=list(trace_rows.INJECTED_COLUMNS),
                    datatype="str",
                    elem_id="ltm-injected",
                    column_widths=["12%", "12%", "8%", "22%", "8%", "38%"],
                    **table,
                ),
                "label",
                "injected",
            )
        self.outputs = [self._dropped, self._text, self._block, self._outcome, self._injected]

    def show(self, trace: Trace | None, words: Words) -> Updates:
        injected, dropped = (
            [words[column] for column in columns]
            for columns in (trace_rows.INJECTED_COLUMNS, trace_rows.DROPPED_COLUMNS)
        )
        if trace is None:
            nothing = {"headers": dropped, "data": []}, {"headers": injected, "data": []}
            return [nothing[0], "", "", "", nothing[1]]
        gone = words["now_redacted"] if trace.is_redacted else ""
        return [
            {"headers": dropped, "data": trace_rows.dropped_rows(trace, words)},
            gone or well_formed(trace.injected_text),
            gone or well_formed(trace.system_block),
            trace_rows.outcome_text(trace, words),
            {"headers": injected, "data": trace_rows.injected_rows(trace, words)},
        ]
