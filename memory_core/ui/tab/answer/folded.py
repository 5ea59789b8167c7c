"""The folded parts of an answer: dropped memories with reasons, the exact prompt, the scores."""

from collections.abc import Sequence
from typing import Any

import gradio as gr

from ....domain.unicode import well_formed
from ....memory.traces import Trace
from ....text.locales import Words
from ..common.gradio_compat import copy_button_options
from ..common.header import TabHeader, Updates
from ..common.markup import escaped
from . import trace_rows


class FoldedParts:
    def __init__(self, header: TabHeader) -> None:
        put = header.labels.bind
        text: dict[str, Any] = {"interactive": False, "autoscroll": False, **copy_button_options()}
        with header.accordion("answer_dropped_fold") as dropped:
            self._dropped = gr.HTML(elem_id="ltm-dropped")
        with header.accordion("answer_exact_fold") as prompt:
            exact = gr.Textbox(lines=8, max_lines=24, elem_id="ltm-exact", **text)
            self._text = put(exact, "label", "injected_text")
            block = gr.Textbox(lines=4, max_lines=16, elem_id="ltm-system-block", **text)
            self._block = put(block, "label", "system_block")
        with header.accordion("answer_scores_fold") as scores:
            outcome = gr.Textbox(lines=3, elem_id="ltm-outcome", **text)
            self._outcome = put(outcome, "label", "notes")
            self._injected = gr.HTML(elem_id="ltm-injected")
        parts = [self._dropped, self._text, self._block, self._outcome, self._injected]
        self._folds = [dropped, prompt, scores]
        self.outputs = [*parts, *self._folds]

    def show(self, trace: Trace | None, words: Words) -> Updates:
        """Shows the parts of this trace; a fold with nothing in it is hidden."""
        if trace is None:
            return [*[""] * (len(self.outputs) - len(self._folds)), *_visible(False, False, False)]
        gone = words["answer_redacted"] if trace.is_redacted else ""
        text = gone or well_formed(trace.injected_text)
        dropped = trace_rows.dropped_rows(trace, words)
        injected = trace_rows.injected_rows(trace, words)
        return [
            table_html(trace_rows.DROPPED_COLUMNS, dropped, words, title=words["dropped"]),
            text,
            _system_block(trace),
            trace_rows.outcome_text(trace, words),
            table_html(trace_rows.INJECTED_COLUMNS, injected, words, title=words["injected"]),
            *_visible(bool(dropped), bool(text or trace.system_block), True),
        ]


def _visible(*are_visible: bool) -> list[Any]:
    return [gr.update(visible=is_visible) for is_visible in are_visible]


def _system_block(trace: Trace) -> Any:  # noqa: ANN401  (Gradio's)
    """Shows the system block, unless the text above already contains it."""
    block = well_formed(trace.system_block)
    return gr.update(
        value=block, visible=bool(block) and block not in well_formed(trace.injected_text)
    )


def table_html(
    columns: Sequence[str], rows: Sequence[Sequence[str]], words: Words, *, title: str
) -> str:
    """Returns a table that scrolls, by keyboard too, or "" without rows; all is escaped."""
    if not rows:
        return ""
    head = "".join(f'<th scope="col">{escaped(words[column])}</th>' for column in columns)
    lines = "".join(
        f"<tr>{''.join(f'<td>{escaped(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return (
        f'<div class="ltm-scroll" tabindex="0" role="region" aria-label="{escaped(title)}">'
        f'<table class="ltm-table"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody>'
        "</table></div>"
    )
