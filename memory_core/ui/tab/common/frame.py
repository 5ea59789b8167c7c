"""The tab's header, which selects a namespace and a language, and the protocols of its panels."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import gradio as gr

from ....admin.administration import Administration
from ....domain.namespaces import Namespace
from ....text.locales import LANGUAGES, Words, tab_words
from . import visible_namespaces

Updates = list[Any]
InputValues = Mapping[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The language and namespace that a visitor has selected.

    `namespace` is None as long as there are no memories.
    """

    language: str
    namespace: Namespace | None

    @property
    def words(self) -> Words:
        return tab_words(self.language)


class Panel(Protocol):
    """A part of the tab. `show` returns a new value for each of `outputs`."""

    @property
    def outputs(self) -> Sequence[Any]: ...

    def show(self, view: Selection) -> Updates: ...


class LocalPanel(Panel, Protocol):
    """A panel whose actions change nothing outside it."""

    def wire(self) -> None: ...


class RefreshingPanel(Panel, Protocol):
    """A panel whose actions change other panels: it calls `refresh`, which updates `outputs`."""

    def wire(
        self, refresh: Callable[[InputValues, gr.Request], Updates], outputs: list[Any]
    ) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The panels of one of the tab's four tabs."""

    local: Sequence[LocalPanel] = ()
    refreshing: Sequence[RefreshingPanel] = ()


class Labels:
    """The translated texts of components, which follow the language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._bindings: list[tuple[Any, str, str]] = []

    def __getitem__(self, key: str) -> str:
        return tab_words(self.language)[key]

    def bind(self, component: Any, attribute: str, key: str) -> Any:  # noqa: ANN401
        """Makes an attribute of a component follow the language, and returns the component."""
        setattr(component, attribute, self[key])
        self._bindings.append((component, attribute, key))
        return component

    @property
    def components(self) -> list[Any]:
        return [component for component, _, _ in self._bindings]

    def updates(self, language: str) -> Updates:
        words = tab_words(language)
        changes: list[dict[str, Any]] = [{name: words[key]} for _, name, key in self._bindings]
        return [gr.update(**change) for change in changes]


class TabHeader:
    """The choices of namespace and language at the head of the tab."""

    def __init__(self, administration: Administration, labels: Labels) -> None:
        self.administration = administration
        self.hooks = administration.hooks
        self.labels = labels
        with gr.Row():
            self.namespace_choice = labels.bind(gr.Dropdown(choices=[], scale=3), "label", "who")
            radio = gr.Radio(list(LANGUAGES.items()), value=labels.language, scale=2)
            self.language = labels.bind(radio, "label", "language")
            with gr.Column(scale=1, min_width=120):  # beside a tall neighbour it would stretch
                self.refresh = labels.bind(gr.Button(size="sm"), "value", "refresh")

    def accordion(self, key: str) -> Any:  # noqa: ANN401
        """Returns a folded part of the tab with a translated title."""
        return self.labels.bind(gr.Accordion(self.labels[key], open=False), "label", key)

    def inputs(self, *others: Any) -> set[Any]:  # noqa: ANN401
        """Returns the inputs of a handler: the two choices and these components."""
        return {self.language, self.namespace_choice, *others}

    def read_selection(self, given: InputValues, request: gr.Request) -> Selection:
        """Returns the selection, limited to what this visitor may see, whatever the page sends."""
        namespace = visible_namespaces.namespace_by_key(
            self.visible_namespaces(request), given[self.namespace_choice]
        )
        return Selection(language=given[self.language], namespace=namespace)

    def visible_namespaces(self, request: gr.Request) -> list[Namespace]:
        return visible_namespaces.visible_namespaces(self.hooks, request.username)
