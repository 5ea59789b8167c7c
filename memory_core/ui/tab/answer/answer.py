"""The panel of the last answer: its question, the memories in its prompt, and the budget."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from ....domain.unicode import well_formed
from ....memory.traces import Trace
from ....text.locales import Words
from ..common.actions import ActionField
from ..common.gradio_compat import copy_button_options, quiet
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import escaped
from . import trace_rows
from .answer_view import view_of
from .card_actions import NOTHING_DONE, CardClick, Outcome, execute
from .card_html import FIELD
from .cards import shown_ids


class FoldedParts:
    """The folded parts: dropped memories with reasons, the exact prompt, the scores."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answers:
    """The keys of the newest answer at the last update, and of the one that is shown."""

    newest: str = ""
    chosen: str = ""


_NO_ANSWERS = _Answers()


class AnswerPanel(Panel):
    """Shows an answer's memories as cards whose buttons change them."""

    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._hooks = header.hooks
        self._field = ActionField(FIELD)
        choice = gr.Dropdown(choices=[], elem_id="ltm-turn", show_label=False, container=False)
        self._choice = header.labels.bind(choice, "label", "turn")
        self._answer = gr.HTML(elem_id="ltm-last-answer")
        self._done = gr.State(NOTHING_DONE)
        self._answers = gr.State(_NO_ANSWERS)
        self._folded = FoldedParts(header)
        self._shown = [self._answers, self._done, self._answer, *self._folded.outputs]
        self.outputs = [self._choice, *self._shown]
        header.remember(self._answers, self._done)

    def wire(self, refresh: Refresh) -> None:
        inputs = (self._choice, self._done, self._answers)
        on = self._header.on
        on(self._choice.input, self._show_chosen, self._shown, *inputs, **quiet())
        acted = self._field.wire(self._header, self._act, self._shown, *inputs)
        self._header.counted_after.append(acted)

    def show(self, view: Selection) -> Updates:
        """Shows the newest answer, of the open chat if it has one.

        A chosen answer stays, with the outcome of an action, until there is a newer one.
        """
        traces = self._traces(view)
        here = (trace for trace in traces if trace.conversation == view.conversation)
        first = next(here, None) or next(iter(traces), None)
        newest = _key(first)
        before: _Answers = view.page.get(self._answers, _NO_ANSWERS)
        is_kept = view.is_refresh and before.newest == newest
        shown = trace_rows.trace_by_key(traces, before.chosen) if is_kept else first
        done = view.page[self._done] if is_kept else NOTHING_DONE
        choices = gr.update(
            choices=trace_rows.trace_choices(traces, view.words),
            value=_key(shown) or None,
            visible=len(traces) > 1,
        )
        answers = _Answers(newest=newest, chosen=_key(shown))
        return [choices, answers, *self._updates(view, shown, done)]

    def _show_chosen(self, view: Selection, given: InputValues) -> Updates:
        trace = self._chosen(view, given)
        answers = replace(given[self._answers], chosen=_key(trace))
        return [answers, *self._updates(view, trace)]

    def _act(self, view: Selection, given: InputValues) -> Updates:
        action = self._field.read(given)
        trace = self._chosen(view, given)
        if action is None or trace is None or view.namespace is None:
            return [gr.skip() for _ in self._shown]
        click = CardClick(
            action=action,
            namespace=view.namespace,
            conversation=trace.conversation,
            state=given[self._done],
            words=view.words,
        )
        known = click.memory_id in shown_ids(trace)
        done = execute(self._hooks, click) if known else NOTHING_DONE
        updates = self._updates(view, self._chosen(view, given), done)
        return [gr.skip(), *updates]

    def _updates(
        self, view: Selection, trace: Trace | None, done: Outcome = NOTHING_DONE
    ) -> list[Any]:
        shown = view_of(self._hooks, view.namespace, trace, view.words, done)
        return [done, shown.html, *self._folded.show(shown.trace, view.words)]

    def _chosen(self, view: Selection, given: InputValues) -> Trace | None:
        return trace_rows.trace_by_key(self._traces(view), given[self._choice])

    def _traces(self, view: Selection) -> list[Trace]:
        if view.namespace is None:
            return []
        return self._hooks.runtime.traces.latest(view.namespace)


def _key(trace: Trace | None) -> str:
    return trace_rows.trace_key(trace) if trace else ""
