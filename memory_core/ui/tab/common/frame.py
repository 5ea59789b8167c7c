"""What all panels of the tab share: whose memories are looked at, and in which language."""

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
    """What is looked at. `namespace` is None where there are no memories yet."""

    language: str
    namespace: Namespace | None

    @property
    def words(self) -> Words:
        return tab_words(self.language)


class Panel(Protocol):
    """A part of the tab. `show` gives a new value for each of `outputs`."""

    @property
    def outputs(self) -> Sequence[Any]: ...

    def show(self, view: Selection) -> Updates: ...


class LocalPanel(Panel, Protocol):
    """What is done in it is seen in it alone."""

    def wire(self) -> None: ...


class RefreshingPanel(Panel, Protocol):
    """What is done in it is seen everywhere: `refresh` shows everything anew, in `outputs`."""

    def wire(
        self, refresh: Callable[[InputValues, gr.Request], Updates], outputs: list[Any]
    ) -> None: ...


class Labels:
    """Which words stand where, so that they can change with the language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._bindings: list[tuple[Any, str, str]] = []

    def __getitem__(self, key: str) -> str:
        return tab_words(self.language)[key]

    def bind(self, component: Any, attribute: str, key: str) -> Any:  # noqa: ANN401
        """Has this attribute of a component follow the language. Returns the component."""
        setattr(component, attribute, self[key])
        self._bindings.append((component, attribute, key))
        return component

    @property
    def components(self) -> list[Any]:
        return [component for component, _, _ in self._bindings]

    def updates(self, language: str) -> Updates:
        words = tab_words(language)
        changes: list[dict[str, Any]] = [{at: words[key]} for _, at, key in self._bindings]
        return [gr.update(**change) for change in changes]


class TabHeader:
    """The two choices at the tab's head; `view` reads them for whoever asks."""

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

    def inputs(self, *others: Any) -> set[Any]:  # noqa: ANN401
        """What a handler gets as Given: the two choices and these components."""
        return {self.language, self.namespace_choice, *others}

    def read_selection(self, given: InputValues, request: gr.Request) -> Selection:
        """Only of what this visitor may see, whatever the page sends."""
        namespace = visible_namespaces.namespace_by_key(
            self.visible_namespaces(request), given[self.namespace_choice]
        )
        return Selection(language=given[self.language], namespace=namespace)

    def visible_namespaces(self, request: gr.Request) -> list[Namespace]:
        return visible_namespaces.visible_namespaces(self.hooks, request.username)
