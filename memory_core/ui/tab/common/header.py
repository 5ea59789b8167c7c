"""The tab's header, which selects a namespace and a language, and the class of its panels."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import isgeneratorfunction
from itertools import compress
from typing import Any, Literal

import gradio as gr

from ....admin.administration import Administration
from ....domain.errors import LongTermMemoryError
from ....domain.namespaces import Namespace
from ....text.locales import LANGUAGES, Words, tab_words
from . import visible_namespaces
from .gradio_compat import quiet
from .markup import failure
from .open_chat import NO_CHAT, OpenChat, conversation_of
from .pulse import Clicks

Updates = list[Any]
InputValues = Mapping[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The language and namespace that a visitor has selected.

    `chosen` is the namespace of the selected character, who may have no memories yet. `chat` is
    open on the page; `conversation` is the chat that is open with this character, else the last
    active one; empty for a new one. `visible` are the namespaces of this visitor, `others` those
    of characters without memories.

    `is_refresh`: the room shows this namespace in this language already, so that what was typed or
    answered there stays. `is_opening`: its tab was just selected. `page` holds the values of the
    event's inputs, among them in a refresh the components given to `TabHeader.remember`.
    """

    language: str
    chosen: Namespace | None
    conversation: str = ""
    chat: OpenChat = NO_CHAT
    visible: tuple[Namespace, ...] = ()
    others: tuple[Namespace, ...] = ()
    is_refresh: bool = False
    is_opening: bool = False
    page: InputValues = field(default_factory=dict)

    @property
    def words(self) -> Words:
        return tab_words(self.language)

    @property
    def namespace(self) -> Namespace | None:
        """The namespace of the selected character once there are memories, else None."""
        return self.chosen if self.chosen in self.visible else None

    @property
    def is_chat_open(self) -> bool:
        """Whether the chat that is open on the page is with this character."""
        return self.chat.is_with(self.chosen)

    @property
    def is_incognito(self) -> bool:
        return self.is_chat_open and self.chat.is_incognito


@dataclass(frozen=True, slots=True, kw_only=True)
class Refresh:
    """Updates panels after an action in one of them: `show` returns a value for each output."""

    show: Callable[[InputValues, gr.Request], Updates]
    inputs: set[Any]
    outputs: Sequence[Any]

    def after(self, action: Any) -> None:  # noqa: ANN401  (an event of Gradio)
        action.then(self.show, self.inputs, self.outputs, **quiet())

    def excluding(self, own: Sequence[Any]) -> "Refresh":
        """Returns a refresh of the other panels: one keeps the message about its last action."""
        is_other = [not any(part is mine for mine in own) for part in self.outputs]

        def show(given: InputValues, request: gr.Request) -> Updates:
            return list(compress(self.show(given, request), is_other))

        return replace(self, show=show, outputs=list(compress(self.outputs, is_other)))


class Panel(ABC):
    """A part of the tab. It builds its components, connects them, and is shown again and again.

    A handler changes the memories and returns what to say about it. Then `refresh` shows the head
    and the panels of the open room as they are now.
    """

    outputs: Sequence[Any]

    @abstractmethod
    def show(self, view: Selection) -> Updates:
        """Returns a new value for each of `outputs`."""

    def wire(self, refresh: Refresh) -> None:  # noqa: B027  (many panels only show something)
        """Connects the components, once all panels are built."""


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
        return [*dict.fromkeys(component for component, _, _ in self._bindings)]

    def updates(self, language: str) -> Updates:
        """Returns one update for each of `components`."""
        words = tab_words(language)
        changes: dict[Any, dict[str, Any]] = {component: {} for component in self.components}
        for component, name, key in self._bindings:
            changes[component][name] = words[key]
        return [gr.update(**change) for change in changes.values()]


class TabHeader:
    """The header of the tab: the state of memory, the search, and the choices of this visitor."""

    def __init__(self, administration: Administration, labels: Labels) -> None:
        self.administration = administration
        self.hooks = administration.hooks
        self.runtime = administration.hooks.runtime
        self.labels = labels
        self.open_chat = gr.State(NO_CHAT)
        self.shown = gr.State({})  # the name of each room → language and namespace shown
        self.open_room = gr.State("")
        self.counted_after: list[Any] = []  # events after which the number of memories may differ
        self._remembered: list[Any] = []
        self.clicks = Clicks()
        bare: dict[str, Any] = {"show_label": False, "container": False, "min_width": 100}
        with gr.Row(elem_id="ltm-head"):
            self.health = gr.HTML(elem_id="ltm-banner")
            search = gr.Textbox(elem_id="ltm-search", max_lines=1, scale=3, **bare)
            self.search = labels.bind(search, "placeholder", "search_hint")
            labels.bind(search, "label", "search_label")
            namespaces = gr.Dropdown(choices=[], elem_id="ltm-who", scale=2, min_width=100)
            self.namespace_choice = labels.bind(namespaces, "label", "who")
            self.facts = gr.HTML(elem_id="ltm-facts")
            self.pause = gr.Button(size="sm", elem_id="ltm-pause", scale=1, min_width=90)
            refresh = gr.Button(size="sm", elem_id="ltm-refresh", scale=1, min_width=80)
            self.refresh = labels.bind(refresh, "value", "refresh")
            languages = gr.Dropdown(
                choices=list(LANGUAGES.items()),
                value=labels.language,
                elem_id="ltm-language",
                scale=1,
                **bare,
            )
            self.language = labels.bind(languages, "label", "language")

    @property
    def is_shared(self) -> bool:
        """Returns whether several people share the page; then nobody may change what all have."""
        return self.hooks.host.is_multi_user()

    def accordion(self, key: str, style: str | None = None) -> Any:  # noqa: ANN401
        """Returns a folded part of the tab with a translated title; `style` is a CSS class."""
        fold = gr.Accordion(self.labels[key], open=False, elem_classes=style)
        return self.labels.bind(fold, "label", key)

    def button(
        self,
        key: str,
        elem_id: str,
        *,
        variant: Literal["primary", "secondary", "stop"] = "secondary",
        is_visible: bool = True,
        scale: int | None = None,
        min_width: int | None = None,
    ) -> Any:  # noqa: ANN401
        """Returns a small button with a translated text."""
        button = gr.Button(
            size="sm",
            elem_id=elem_id,
            variant=variant,
            visible=is_visible,
            scale=scale,
            min_width=min_width,
        )
        return self.labels.bind(button, "value", key)

    def remember(self, *components: Any) -> None:  # noqa: ANN401
        """Passes the values of these components to `Panel.show`, as `Selection.page`."""
        self._remembered += components

    def inputs(self, *others: Any) -> set[Any]:  # noqa: ANN401
        """Returns the inputs of a handler: the visitor's choices and these components."""
        return {self.language, self.namespace_choice, self.open_chat, *others}

    def refresh_inputs(self, *others: Any) -> set[Any]:  # noqa: ANN401
        """Returns the inputs of a refresh, which include the present content of the page."""
        return self.inputs(self.shown, self.open_room, *self._remembered, *others)

    def read_selection(self, given: InputValues, request: gr.Request) -> Selection:
        """Returns the selection, limited to what this visitor may see, whatever the page sends."""
        return self.select(given, request, given[self.namespace_choice], given[self.open_chat])

    def select(
        self, given: InputValues, request: gr.Request, key: str | None, chat: OpenChat
    ) -> Selection:
        """Returns the selection of the namespace with this key, if the visitor may see it."""
        spaces = self.visible_namespaces(request)
        others = visible_namespaces.without_memories(
            self.hooks, request.username, spaces, chat.namespace
        )
        chosen = visible_namespaces.namespace_by_key([*spaces, *others], key)
        return Selection(
            language=given[self.language],
            chosen=chosen,
            conversation=conversation_of(self.hooks, chat, chosen),
            chat=chat,
            visible=tuple(spaces),
            others=tuple(others),
            page=given,
        )

    def on(
        self,
        event: Callable[..., Any],
        act: Callable[[Selection, InputValues], Any],
        outputs: Any,  # noqa: ANN401  (a component or a list of them)
        *inputs: Any,  # noqa: ANN401
        **options: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401  (an event of Gradio)
        """Calls `act` at an event with the visitor's selection and the values of the inputs.

        `event` is Gradio's method, such as `button.click`. The outputs get what `act` returns, or
        each thing that it yields. A single output shows the LongTermMemoryError that it raises.
        """
        is_single = outputs is not None and not (isinstance(outputs, list) and len(outputs) > 1)
        handler = self._handler(act, shows_failure=is_single)
        return event(handler, self.inputs(*inputs), outputs, **options)

    def _handler(
        self, act: Callable[[Selection, InputValues], Any], *, shows_failure: bool
    ) -> Callable[[InputValues, gr.Request], Any]:
        def run_in_steps(given: InputValues, request: gr.Request) -> Iterator[Any]:
            view = self.read_selection(given, request)
            with self.clicks.handling(request.session_hash):
                try:
                    found = act(view, given)
                    yield from found if isgeneratorfunction(act) else [found]
                except LongTermMemoryError as exc:
                    if not shows_failure:
                        raise
                    yield failure(exc, view.words)

        def run(given: InputValues, request: gr.Request) -> Any:  # noqa: ANN401
            [found] = run_in_steps(given, request)
            return found

        handler = run_in_steps if isgeneratorfunction(act) else run
        handler.__name__ = getattr(act, "__name__", handler.__name__)
        return handler

    def visible_namespaces(self, request: gr.Request) -> list[Namespace]:
        return visible_namespaces.visible_namespaces(self.hooks, request.username)
