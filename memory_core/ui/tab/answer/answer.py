"""The panel of the last answer: its question, the memories in its prompt, and the budget."""

from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from ....memory.traces import Trace
from ..common.actions import ActionField
from ..common.gradio_compat import quiet
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from . import trace_rows
from .answer_view import view_of
from .card_actions import NOTHING_DONE, CardClick, Outcome, execute
from .card_html import FIELD
from .cards import shown_ids
from .folded import FoldedParts


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
