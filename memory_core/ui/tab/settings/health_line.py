"""One sentence on the state of memory, and what to do about it."""

from collections.abc import Iterator

import gradio as gr

from ....domain.errors import LongTermMemoryError
from ....host.hooks import Hooks
from ....text.problem_text import failure_text
from ..common import status
from ..common.frame import Panel, Selection, TabHeader, Updates
from ..common.model_card import ModelStage, model_view
from ..common.open_state import open_state

_WORKING = (status.ALL_WELL, status.BY_WORDS)


class HealthLinePanel(Panel):
    def __init__(self, frame: TabHeader) -> None:
        self._hooks = frame.hooks
        self._html = gr.HTML(elem_id="ltm-health-line")
        self.outputs = [self._html]

    def show(self, view: Selection) -> Updates:
        return [health_line_html(self._hooks, view)]


def health_line_html(hooks: Hooks, view: Selection) -> str:
    """Returns the sentence; problems stand below it, each with its remedy."""
    words, found = view.words, status.problems(hooks, view.words)
    if found:
        line = words("health_problems", count=len(found))
        items = "".join(f"<li>{status.escaped(text)}</li>" for text in found)
        return f"{status.paragraph(line)}<ul>{items}</ul>"
    try:
        return status.paragraph(words["sentence_gap"].join(_sentences(hooks, view)))
    except LongTermMemoryError as exc:
        is_shared = hooks.host.is_multi_user()
        return status.paragraph(words["told_in_log"] if is_shared else failure_text(exc, words))


def _sentences(hooks: Hooks, view: Selection) -> Iterator[str]:
    runtime, words = hooks.runtime, view.words
    state = open_state(runtime, view)
    if state not in _WORKING:
        yield words[state]
        is_off = state.endswith("_off")
        if state != "health_incognito_off":
            yield words["health_do_off" if is_off else "health_do_paused"]
        return
    count = runtime.memory.counts(view.namespace)["live"] if view.namespace else 0
    yield words(
        f"health_line_{_found_by(hooks, state)}" if count else "health_none_yet", count=count
    )
    if model_view(runtime).stage is ModelStage.NONE:
        yield words["health_do_words"]


def _found_by(hooks: Hooks, state: str) -> str:
    """Returns the means by which memories are found, as the end of a key."""
    return "words" if state == status.BY_WORDS else "meaning"
