"""Lets buttons in our HTML call Python.

A button names its action in `data-ltm`, and the hidden field that carries the action in
`data-ltm-to`. The script, page.js, sends the action with the button's other `data-` values, the
values of the named fields in the closest form, and the values of all ticked boxes in the list that
`data-ltm-list` names. The page may send anything: a handler trusts nothing of it.
"""

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import gradio as gr

from ....domain.namespaces import Namespace
from ....domain.unicode import visible_name
from ....infra.json_codec import UNUSABLE_JSON
from ....memory.runtime import Runtime
from ....text.locales import Words
from .gradio_compat import quiet
from .header import InputValues, Selection, TabHeader
from .markup import escaped

MEMORIES_TAB = "ltm-memories-tab-button"
State = TypeVar("State")
_LONGEST_FIELD = 100_000
_MAX_VALUES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A click on one of our buttons."""

    name: str
    values: Mapping[str, str]
    ticked: tuple[str, ...] = ()

    def value(self, name: str) -> str:
        return self.values.get(name, "")


@dataclass(frozen=True, kw_only=True)  # Python 3.11 makes no generic one with slots
class Click(Generic[State]):
    """An action of a visitor in a namespace, with the state of its panel before it."""

    action: Action
    namespace: Namespace
    state: State
    words: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """Undoes one action in one namespace. `run` may raise UnknownMemory, StorageFailed.

    `ids` are the forgotten memories that it brings back.
    """

    namespace: Namespace
    run: Callable[[Runtime], object]
    ids: tuple[str, ...] = ()


def undo_last(undo: Undo | None, runtime: Runtime, namespace: Namespace, words: Words) -> str:
    """Undoes the last action of this namespace, and returns the outcome in words."""
    if undo is None or undo.namespace != namespace:
        return words["nothing_to_undo"]
    undo.run(runtime)
    runtime.schedule(namespace)
    return words["undone"]


class ActionField:
    """The hidden field through which buttons of one room of the tab send their actions."""

    def __init__(self, elem_id: str) -> None:
        self.elem_id = elem_id
        self.box = gr.Textbox(
            elem_id=elem_id, elem_classes="ltm-hidden", show_label=False, container=False
        )

    def wire(
        self,
        header: TabHeader,
        act: Callable[[Selection, InputValues], Any],
        outputs: Sequence[Any],
        *inputs: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401  (an event of Gradio)
        """Calls `act` at each action, as TabHeader.on() does; read() returns the action."""
        # Gradio 6 sends no `input` for a value set by a script; nothing else changes this field.
        return header.on(self.box.change, act, outputs, self.box, *inputs, **quiet())

    def read(self, given: Mapping[Any, Any]) -> Action | None:
        """Returns the action that the page sent; None for anything that is not one."""
        return parse_action(given[self.box])

    def button(self, name: str, label: str, **values: str) -> str:
        """Returns a button as HTML that sends its action through this field."""
        return button_html(self.elem_id, name, label, **values)


def button_html(field_id: str, name: str, label: str, **values: str) -> str:
    """Returns a button as HTML; `values` arrive with its action.

    With `list_id`, the ticked boxes of that element arrive too. `title` and `aria_label` stay what
    HTML means by them. `style` is "primary" for a form's main button, "danger" for a warning.
    """
    style = f" ltm-{values.pop('style')}" if "style" in values else ""
    list_id = values.pop("list_id", "")
    described = {key: values.pop(key) for key in ("title", "aria_label") if key in values}
    data = {"ltm": name, "ltm_to": field_id, **values}
    data |= {"ltm_list": list_id} if list_id else {}
    named = described | {f"data-{key}": value for key, value in data.items()}
    marks = " ".join(f'{key.replace("_", "-")}="{escaped(value)}"' for key, value in named.items())
    return f'<button type="button" class="ltm-button{style}" {marks}>{escaped(label)}</button>'


def room_link(tab: str, label: str) -> str:
    """Returns a button as HTML that opens a room by the id of its tab."""
    return (
        f'<button type="button" class="ltm-button" data-ltm-open="{tab}">{escaped(label)}</button>'
    )


def drawn_anew(content: str) -> str:
    """Returns the HTML in an element with a name that no earlier drawing has.

    Gradio 6 updates the elements of a gr.HTML one by one, by their order. Ticks and typed texts
    would stay in place and belong to another memory. It replaces elements whose name changes.
    """
    name = f"ltm-{secrets.token_hex(6)}"
    return f'<{name} class="ltm-drawn">{content}</{name}>'


def parse_action(sent: object) -> Action | None:
    """Returns the action in the text that the page sent; None for anything that is not one."""
    try:
        found = json.loads(str(sent))
        values = {str(key): str(value)[:_LONGEST_FIELD] for key, value in found["values"].items()}
        ticked = tuple(str(value) for value in found["ticked"][:_MAX_VALUES])
        return Action(name=visible_name(str(found["name"])), values=values, ticked=ticked)
    except UNUSABLE_JSON:
        return None
