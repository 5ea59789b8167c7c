"""The panel that shows the language model's background work, and starts or pauses it."""

import math
import time
from collections.abc import Iterator
from typing import Any

import gradio as gr

from ....consolidation.service import Consolidation
from ....consolidation.status import WorkPace, WorkState, WorkStatus
from ....domain.errors import StorageError
from ....domain.namespaces import Namespace
from ....storage.job_queue import RESTS
from ....text.locales import Words
from ....text.problem_text import problem_text
from ..common.gradio_compat import quiet
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import paragraph

_MINUTE = 60.0
_BARELY_S = 90.0  # shorter times are told in seconds


def consolidation_text(work: Consolidation, namespace: Namespace | None, words: Words) -> str:
    """Returns what the work does or waits for, with the queue of the namespace that is shown."""
    unknown = WorkStatus(state=work.state(), unread=1)
    if namespace is None:
        return _state_text(work, unknown, words)
    try:
        status = work.status(namespace)
    except StorageError as exc:
        return f"{_state_text(work, unknown, words)}\n{exc}"
    return "\n".join([_state_text(work, status, words), *_lines(status, words)])


def _state_text(work: Consolidation, status: WorkStatus, words: Words) -> str:
    if status.state is WorkState.LEFT_ALONE:
        return words("work_left_alone", reason=problem_text(work.fault(), words))
    if status.state is not WorkState.WAITING:
        return words[f"work_{status.state}"]
    if status.due or status.unread:
        return _waiting_text(work, words)
    is_put_off = status.counts.later or status.counts.resting
    return words["work_put_off_all" if is_put_off else "work_done"]


def _waiting_text(work: Consolidation, words: Words) -> str:
    """Returns when the work begins; a clock time stays true until the page is drawn again."""
    missing, quiet = work.missing_quiet_s(), work.quiet_s
    if not missing:
        return words["work_soon"]
    key, unit = ("seconds", 1.0) if quiet < _BARELY_S else ("minutes", _MINUTE)
    length = words(key, count=round(quiet / unit))
    return words("work_when_quiet", length=length, time=_clock_time(time.time() + missing))


def _clock_time(ts: float) -> str:
    return time.strftime("%H:%M", time.localtime(ts))


def _lines(status: WorkStatus, words: Words) -> list[str]:
    lines = [*_queue_lines(status, words)]
    usage = status.usage
    if usage.calls:
        lines.append(
            words(
                "work_usage",
                count=usage.calls,
                read=usage.prompt_tokens,
                written=usage.completion_tokens,
            )
        )
    return lines + _pace_lines(status.pace, words)


def _queue_lines(status: WorkStatus, words: Words) -> Iterator[str]:
    """Yields what is to be done, what was not looked at yet, and what was put off, and why."""
    if status.due:
        jobs = words["list_comma"].join(
            words("work_job_count", job=words.get(f"work_job_{worker}", worker), count=count)
            for worker, count in status.due.items()
        )
        yield words("work_due", jobs=jobs)
    if status.unread and status.state not in (WorkState.OFF, WorkState.NO_MODEL):
        yield words("work_unread", count=status.unread)
    counts = status.counts
    if counts.later:
        is_known = status.next_time < RESTS
        when = _clock_time(status.next_time) if is_known else ""
        yield words(
            "work_later" if is_known else "work_later_unknown", count=counts.later, time=when
        )
    if counts.resting:
        yield words("work_resting", count=counts.resting)
    for reason in counts.reasons:
        yield words("work_put_off", reason=problem_text(reason, words))


def _pace_lines(pace: WorkPace | None, words: Words) -> list[str]:
    """Returns lines on the time for the due jobs, and on a model that seems unfit for them."""
    if pace is None:
        return []
    lines = []
    if pace.s_left:
        minutes = math.ceil(pace.s_left / _MINUTE)
        lines.append(words("work_pace", seconds=math.ceil(pace.s_per_answer), count=minutes))
    if pace.is_unfit:
        lines.append(words("work_unfit", failures=pace.failures, count=pace.calls))
    return lines


_IDLE_FOR_GOOD = frozenset((WorkState.OFF, WorkState.NO_MODEL))


class WorkPanel(Panel):
    """Shows the work. A pause lasts until somebody resumes the work, or the program ends."""

    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._work = header.administration.consolidation
        self._html = gr.HTML(elem_id="ltm-work")
        with gr.Row():
            self._now = header.button("work_run_now", "ltm-work-now")
            self._pause = gr.Button(size="sm", elem_id="ltm-work-pause")
        self.outputs = [self._html, self._now, self._pause]

    def wire(self, refresh: Refresh) -> None:
        self._header.on(self._now.click, self._run_now, self.outputs, **quiet())
        self._header.on(self._pause.click, self._toggle, self.outputs, **quiet())

    def show(self, view: Selection) -> Updates:
        return self._draw(view, "")

    def _run_now(self, view: Selection, given: InputValues) -> Updates:
        if self._header.is_shared:
            return self._draw(view, view.words["shared_page"])
        has_begun = self._work.run_now()
        is_possible = has_begun or self._work.state() in (WorkState.WORKING, WorkState.NOT_LOADED)
        return self._draw(view, "" if is_possible else view.words["work_cannot_begin"])

    def _toggle(self, view: Selection, given: InputValues) -> Updates:
        if self._header.is_shared:
            return self._draw(view, view.words["shared_page"])
        if self._work.is_paused:
            self._work.resume()
        else:
            self._work.pause()
        return self._draw(view, "")

    def _draw(self, view: Selection, message: str) -> list[Any]:
        lines = consolidation_text(self._work, view.namespace, view.words).split("\n")
        sentences = [f"{line[:1].upper()}{line[1:]}" for line in lines]
        html = "".join(map(paragraph, [*sentences, message]))
        key = "work_resume" if self._work.is_paused else "work_pause"
        is_shared = self._header.is_shared
        can_work = self._work.state() not in _IDLE_FOR_GOOD and not is_shared
        pause = gr.update(value=view.words[key], visible=can_work)
        return [html, gr.update(visible=can_work), pause]
