"""The list of the recent activity of memory."""

import time
from collections.abc import Sequence
from typing import Any

import gradio as gr

from ....host.hooks import Hooks
from ....memory.journal import JournalEntry
from ....text.locales import Words
from ..common import visible_namespaces
from ..common.header import Panel, Selection, TabHeader, Updates
from ..common.markup import escaped, paragraph

_SHOWN = 60


def entries(hooks: Hooks, view: Selection) -> list[JournalEntry]:
    """Returns the newest entries: all, or on a shared page those of the selected namespace."""
    if not hooks.host.is_multi_user():
        return hooks.runtime.journal.latest()[:_SHOWN]
    return hooks.runtime.journal.latest(view.namespace)[:_SHOWN] if view.namespace else []


def activity_html(found: Sequence[JournalEntry], words: Words) -> str:
    """Returns the entries as a list, the newest first."""
    head = paragraph(words["activity_help" if found else "activity_none"])
    items = "".join(_item(entry, words) for entry in found)
    return f'{head}<ul class="ltm-activity">{items}</ul>' if items else head


def _item(entry: JournalEntry, words: Words) -> str:
    moment = time.localtime(entry.ts)
    who = visible_namespaces.character_label(entry.namespace, words)
    text = words(f"activity_{entry.kind}", count=entry.count, who=who)
    took = words("activity_took", ms=f"{entry.ms:.0f}") if entry.ms else ""
    return (
        f'<li><time datetime="{time.strftime("%Y-%m-%dT%H:%M:%S", moment)}">'
        f"{time.strftime('%H:%M:%S', moment)}</time> <span>{escaped(text)}</span> "
        f'<span class="ltm-muted">{escaped(took)}</span></li>'
    )


class ActivityPanel(Panel):
    def __init__(self, header: TabHeader) -> None:
        self._hooks = header.hooks
        self._list = gr.HTML(elem_id="ltm-activity")
        self.outputs: list[Any] = [self._list]

    def show(self, view: Selection) -> Updates:
        return [activity_html(entries(self._hooks, view), view.words)]
