"""The panel for renames, merges and other names."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gradio as gr

from ....admin import names
from ....admin.administration import merge, rename
from ....domain.errors import ConfigError, LongTermMemoryError
from ....domain.namespaces import NAMED_SCOPES, Namespace, Scope
from ....host.hooks import Hooks
from ....text.locales import Words
from ....text.problem_text import failure_text
from ..common import visible_namespaces
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import paragraph, section_head


def merge_targets(spaces: Sequence[Namespace], namespace: Namespace | None) -> list[Namespace]:
    """Returns the namespaces with which this one can be merged."""
    if namespace is None or namespace.scope not in NAMED_SCOPES:
        return []
    return [space for space in spaces if space != namespace and space.scope in NAMED_SCOPES]


def rename_character(hooks: Hooks, namespace: Namespace | None, name: str, words: Words) -> str:
    """Renames a character and returns a message. Raises ConfigError if the name is taken."""
    if namespace is None or namespace.scope is not Scope.CHARACTER or not name.strip():
        return words["rename_nobody"]
    new = Namespace(namespace.user, name.strip())
    if new == namespace:
        return words["rename_nobody"]
    rename(hooks, namespace, new)
    return words("renamed", old=namespace.character, new=new.character)


def merge_question(hooks: Hooks, namespace: Namespace, other: Namespace, words: Words) -> str:
    """Returns the question by which a merge has to be confirmed."""
    count, has = (hooks.runtime.memory.counts(space)["live"] for space in (namespace, other))
    label = _labels(hooks, words)
    return words("merge_question", count=count, others=has, old=label(namespace), new=label(other))


def merge_characters(hooks: Hooks, namespace: Namespace, other: Namespace, words: Words) -> str:
    """Merges one namespace into another and returns a message.

    Raises StorageFailed, StorageLocked.
    """
    count = hooks.runtime.memory.counts(namespace)["live"]
    saved = merge(hooks, namespace, other)
    label = _labels(hooks, words)
    return words("merged", count=count, old=label(namespace), new=label(other), path=saved)


def alias_choices(hooks: Hooks, words: Words) -> dict[str, str]:
    """Returns the label of each alias, by the key that the page sends back."""
    known = hooks.runtime.memory.aliases
    users = {_key(alias): (alias, name) for alias, name in known.users.items()}
    label = _labels(hooks, words)
    spaces = {_key(alias): (label(alias), label(name)) for alias, name in known.namespaces.items()}
    return {key: words("alias_means", alias=a, name=b) for key, (a, b) in (users | spaces).items()}


def drop_alias(hooks: Hooks, key: str | None, words: Words) -> str:
    """Removes an alias and returns a message. Raises ConfigError if there is no such alias."""
    memory = hooks.runtime.memory
    known: list[Namespace | str] = [*memory.aliases.users, *memory.aliases.namespaces]
    for name in known:
        if _key(name) == key:
            names.drop_alias(memory, name)
            label = name if isinstance(name, str) else _labels(hooks, words)(name)
            return words("alias_dropped", alias=label)
    raise ConfigError("nobody has that name", key="name")


def _labels(hooks: Hooks, words: Words) -> Callable[[Namespace], str]:
    memory = hooks.runtime.memory
    spaces = [*memory.namespaces(), *memory.aliases.namespaces]
    return visible_namespaces.labels_among(spaces, words)


def _key(name: Namespace | str) -> str:
    return json.dumps(name) if isinstance(name, str) else visible_namespaces.namespace_key(name)


class NamesPanel(Panel):
    """Shows names, unless several people share the page."""

    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._moved_text = gr.HTML(elem_id="ltm-names-elsewhere")
        with gr.Column(visible=not header.is_shared):
            self._build_names()
        self._message = gr.HTML(elem_id="ltm-names-told")
        self.outputs = [self._moved_text, self._moved, self._rename_help, self._name]
        self.outputs += [self._merge_help, self._other]
        self.outputs += [self._question, self._sure, self._alias_part, self._aliases, self._alias]
        header.remember(self._other, self._alias)

    def _build_names(self) -> None:
        header, put = self._header, self._header.labels.bind
        self._rename_help, self._moved = gr.HTML(), gr.HTML(elem_id="ltm-moved")
        name = gr.Textbox(max_lines=1, elem_id="ltm-rename-name")
        self._name = put(name, "label", "rename_label")
        self._rename = header.button("rename_run", "ltm-rename")
        self._merge_help = gr.HTML()
        self._other = put(gr.Dropdown(elem_id="ltm-merge-other"), "label", "merge_other")
        self._ask = header.button("merge_ask", "ltm-merge")
        self._question = gr.HTML(elem_id="ltm-merge-question")
        self._sure = header.button("merge_sure", "ltm-merge-sure", variant="stop", is_visible=False)
        with gr.Column(visible=False) as self._alias_part:
            self._aliases = gr.HTML(elem_id="ltm-aliases")
            self._alias = put(gr.Dropdown(elem_id="ltm-alias"), "label", "alias_which")
            self._drop_button = header.button("alias_drop", "ltm-alias-drop")

    def wire(self, refresh: Refresh) -> None:
        on, asked = self._header.on, [self._question, self._sure]
        on(self._ask.click, self._ask_to_merge, [*asked, self._message], self._other)
        # The confirmation of another target is not valid for this one.
        self._other.input(lambda: ["", gr.update(visible=False)], None, asked)
        for button, act, used in (
            (self._rename, self._rename_now, self._name),
            (self._sure, self._merge_now, self._other),
            (self._drop_button, self._drop_alias, self._alias),
        ):
            refresh.after(on(button.click, act, self._message, used))

    def show(self, view: Selection) -> Updates:
        """Updates the panel; the last message, typed text and choices that still exist stay."""
        hooks, words = self._header.hooks, view.words
        if hooks.host.is_multi_user():
            return [paragraph(words["names_elsewhere"]), *[gr.skip()] * 10]
        return ["", *self._show_names(view)]

    def _show_names(self, view: Selection) -> Updates:
        hooks, words = self._header.hooks, view.words
        spaces = hooks.runtime.memory.namespaces()
        label = visible_namespaces.labels_among(spaces, words)
        found = merge_targets(spaces, view.namespace)
        new, moved, first = "", "", None
        if view.namespace and (new := hooks.synchronizer.renamed_to(view.namespace)):
            same = Namespace(view.namespace.user, new)
            first = visible_namespaces.namespace_key(same) if same in found else None
            key = "moved_merge" if first else "moved_rename"
            moved = words(key, old=view.namespace.character, new=new)
        aliases = alias_choices(hooks, words)
        listed = words("aliases_help", names=words["why_join"].join(aliases.values()))
        targets = {visible_namespaces.namespace_key(space): label(space) for space in found}
        question = ["", gr.update(visible=False)]
        if self._is_kept(self._other, targets, view):
            question = [gr.skip(), gr.skip()]
        return [
            paragraph(moved),
            section_head(words["rename_title"], words["rename_help"]),
            gr.skip() if view.is_refresh else "" if first else new,
            section_head(words["merge_names_title"], words["merge_names_help"]),
            self._choice(self._other, targets, first, view),
            *question,
            gr.update(visible=bool(aliases)),
            section_head(words["aliases_title"], listed),
            self._choice(self._alias, aliases, None, view),
        ]

    @staticmethod
    def _is_kept(dropdown: gr.Dropdown, offered: Mapping[str, str], view: Selection) -> bool:
        """Returns whether the visitor's choice stays: a refresh keeps what is still offered."""
        return view.is_refresh and view.page.get(dropdown) in offered

    def _choice(
        self, dropdown: gr.Dropdown, offered: Mapping[str, str], first: str | None, view: Selection
    ) -> Any:  # noqa: ANN401
        """Returns the update of a dropdown; `offered` are the labels by key."""
        choices = [(label, key) for key, label in offered.items()]
        if self._is_kept(dropdown, offered, view):
            return gr.update(choices=choices)
        return gr.update(choices=choices, value=first)

    def _ask_to_merge(self, view: Selection, given: InputValues) -> Updates:
        other = self._other_namespace(view, given)
        if view.namespace is None or other is None:
            return [paragraph(view.words["merge_nobody"]), gr.update(visible=False), ""]
        try:
            message = merge_question(self._header.hooks, view.namespace, other, view.words)
        except LongTermMemoryError as exc:
            message = failure_text(exc, view.words)
        return [paragraph(message), gr.update(visible=True), ""]

    def _other_namespace(self, view: Selection, given: InputValues) -> Namespace | None:
        found = merge_targets(view.visible, view.namespace)
        return visible_namespaces.namespace_by_key(found, given[self._other])

    def _rename_now(self, view: Selection, given: InputValues) -> str:
        hooks = self._header.hooks
        name = str(given[self._name] or "")
        return self._change_names(
            view, lambda: rename_character(hooks, view.namespace, name, view.words)
        )

    def _merge_now(self, view: Selection, given: InputValues) -> str:
        hooks = self._header.hooks
        one, other = view.namespace, self._other_namespace(view, given)
        if one is None or other is None:
            return paragraph(view.words["merge_nobody"])
        return self._change_names(view, lambda: merge_characters(hooks, one, other, view.words))

    def _drop_alias(self, view: Selection, given: InputValues) -> str:
        hooks = self._header.hooks
        return self._change_names(view, lambda: drop_alias(hooks, given[self._alias], view.words))

    def _change_names(self, view: Selection, act: Callable[[], str]) -> str:
        """Runs a change of names, unless several people share the page."""
        return paragraph(view.words["names_elsewhere"] if self._header.is_shared else act())
