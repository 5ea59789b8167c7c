"""The panel *Test my memory*, and the outcome of the check in words."""

from collections.abc import Iterator, Sequence
from typing import Any

import gradio as gr

from ....admin.recall_check import Trial, check_recall
from ....domain.errors import LongTermMemoryError
from ....memory.runtime import Runtime
from ....text.locales import Words
from .header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from .markup import escaped, failure, paragraph
from .wording import day_text


def run_check(runtime: Runtime, view: Selection) -> str:
    """Runs the recall check on the selected namespace, and returns the outcome as HTML."""
    if view.namespace is None:
        return paragraph(view.words["nobody"])
    try:
        return report_html(check_recall(runtime.memory, view.namespace), view.words)
    except LongTermMemoryError as exc:
        return failure(exc, view.words)


def report_html(trials: Sequence[Trial], words: Words) -> str:
    """Returns the number of found memories, and each question with its expected memory."""
    if not trials:
        return paragraph(words["check_too_little"])
    found = sum(trial.rank > 0 for trial in trials)
    head = words("check_found", found=found, count=len(trials))
    items = "".join(_item(trial, words) for trial in trials)
    return (
        f'<div class="ltm-card" role="status"><p><b>{escaped(head)}</b></p>'
        f'<ul class="ltm-check">{items}</ul>{paragraph(words["check_honest"])}</div>'
    )


def _item(trial: Trial, words: Words) -> str:
    mark, key = ("✓", "check_hit") if trial.rank else ("✗", "check_miss")
    why = words[f"reason_{trial.reason}"] if trial.reason else ""
    outcome = words(key, place=trial.rank, why=why) if trial.rank or why else words["check_lost"]
    quote = f"{day_text(trial.ts, words)} · “{trial.statement}”"
    return (
        f'<li><span aria-hidden="true">{mark}</span> {escaped(trial.question)} '
        f'<span class="ltm-muted">{escaped(outcome)}<br>{escaped(quote)}</span></li>'
    )


class RecallCheckPanel(Panel):
    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._help = gr.HTML()
        self._button = header.button("check_run", "ltm-recall-check", scale=0, min_width=180)
        self._outcome = gr.HTML(elem_id="ltm-recall-checked")
        self.outputs: list[Any] = [self._help]

    def wire(self, refresh: Refresh) -> None:
        self._header.on(self._button.click, self._check, self._outcome)

    def show(self, view: Selection) -> Updates:
        return [paragraph(view.words["check_help"])]

    def _check(self, view: Selection, given: InputValues) -> Iterator[str]:
        yield paragraph(view.words["check_running"])
        yield run_check(self._header.runtime, view)
