"""The panels that list and forget memories whose chat or message was deleted."""

from collections.abc import Callable, Sequence
from functools import partial

import gradio as gr

from ....domain.namespaces import Namespace
from ....domain.records import Memory
from ....host.chat_sync.deletions import count_removed, forget_removed, removed_memories
from ....text.locales import Words
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import paragraph
from ..common.wording import one_line_label, undo_minutes, undo_text

_MAX_SHOWN = 20
_KINDS = {"deleted": "chats", "removed": "messages"}


def deleted_panels(header: TabHeader) -> list[Panel]:
    """Builds a panel for the memories of deleted chats, then one for those of removed messages."""
    hooks = header.hooks

    def left_of_chats(namespace: Namespace, words: Words) -> str:
        left = hooks.synchronizer.deleted_chat_stats(namespace)
        message = words("left_of_deleted", chats=left.chats, memories=left.memories)
        return paragraph(message) if left.memories else ""

    def left_of_messages(namespace: Namespace, words: Words) -> str:
        memory = hooks.runtime.memory
        if not count_removed(memory, namespace):
            return ""
        return _memory_list_html(removed_memories(memory, namespace), words)

    of_chats, of_messages = (
        hooks.synchronizer.forget_deleted,
        partial(forget_removed, hooks.runtime),
    )
    return [
        DeletedPanel(header, "deleted", left=left_of_chats, forget=of_chats),
        DeletedPanel(header, "removed", left=left_of_messages, forget=of_messages),
    ]


class DeletedPanel(Panel):
    """One kind of leftover memories: the first click asks, the second one forgets.

    `left` returns the memories as HTML, or ""; `name` is part of the names of words and elements.
    """

    def __init__(
        self,
        header: TabHeader,
        name: str,
        *,
        left: Callable[[Namespace, Words], str],
        forget: Callable[[Namespace], int],
    ) -> None:
        self._header, self._name, self._left, self._forget = header, name, left, forget
        self._remaining = gr.HTML(elem_id=f"ltm-{name}-{_KINDS[name]}")
        self._ask = header.button(f"forget_{name}", f"ltm-forget-{name}", is_visible=False)
        self._confirm = header.button(
            "forget_deleted_sure", f"ltm-forget-{name}-sure", variant="stop", is_visible=False
        )
        self._message = gr.HTML(elem_id=f"ltm-{name}-forgotten")
        self.outputs = [self._remaining, self._ask, self._confirm, self._message]

    def wire(self, refresh: Refresh) -> None:
        self._ask.click(lambda: gr.update(visible=True), None, self._confirm)
        refresh.after(self._header.on(self._confirm.click, self._forget_now, self._message))

    def show(self, view: Selection) -> Updates:
        """Updates the panel; the message about the last action stays, and so does a question
        about memories that are still there.
        """
        left = self._left(view.namespace, view.words) if view.namespace else ""
        message = left or paragraph(view.words.get(f"nothing_{self._name}", ""))
        question = gr.skip() if view.is_refresh and left else gr.update(visible=False)
        return [message, gr.update(visible=bool(left)), question, gr.skip()]

    def _forget_now(self, view: Selection, given: InputValues) -> str:
        if view.namespace is None:
            return paragraph(view.words["nobody"])
        count = self._forget(view.namespace)
        minutes = undo_minutes(self._header.runtime)
        message = undo_text(view.words, minutes, "did_forget_deleted", count=count)
        return paragraph(message)


def _memory_list_html(memories: Sequence[Memory], words: Words) -> str:
    message = words("left_of_removed", count=len(memories), shown=min(_MAX_SHOWN, len(memories)))
    return paragraph(message) + "".join(
        paragraph(one_line_label(memory, words)) for memory in memories[:_MAX_SHOWN]
    )
