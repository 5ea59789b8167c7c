"""The tab's layout: a head with the state of memory, and its panels."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import gradio as gr

from ...admin.administration import Administration
from ...domain.namespaces import Namespace
from ...text.locales import DEFAULT, LANGUAGES
from .common import visible_namespaces
from .common.actions import install_script
from .common.frame import (
    NOTHING_SHOWN,
    InputValues,
    Labels,
    PageContent,
    Panel,
    RefreshingPanel,
    Room,
    Selection,
    TabHeader,
    Updates,
)
from .common.gradio_compat import open_events
from .common.model_panel import ModelCardPanel
from .common.open_chat import OpenChat, page_components, read_open_chat
from .common.style import add_style
from .first_run import FirstRunPanel, install_links
from .head import HeadPanel
from .memories import room as memories
from .now import room as now
from .settings import room as settings
from .transfer import room as transfer
from .transfer.rolling_backup import CopiesPanel

_LANGUAGE_KEY = "ltm-language"
_KEEP_LANGUAGE = f"""language => {{
    try {{ localStorage.setItem('{_LANGUAGE_KEY}', language); }} catch (error) {{ }}
    return [language];
}}"""
# Gradio's tabs are reached one by one; the arrows go between them as in other programs.
_ARROWS = """() => {
    if (window.ltmArrows) return;
    window.ltmArrows = true;
    document.addEventListener('keydown', event => {
        const tab = event.target.closest && event.target.closest('[role=tab][id^=ltm-]');
        if (!tab) return;
        const tabs = [...tab.parentElement.querySelectorAll('[role=tab]')];
        const here = tabs.indexOf(tab);
        const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -here, End: -1 - here };
        if (!(event.key in steps)) return;
        event.preventDefault();
        const next = tabs[(here + steps[event.key] + tabs.length) % tabs.length];
        next.focus();
        next.click();
    });
}"""
_OPEN_MEMORIES = """() => {
    const tab = document.getElementById('ltm-memories-tab-button');
    if (tab && tab.getAttribute('aria-selected') !== 'true') tab.click();
}"""


def build(administration: Administration) -> None:
    """Builds the tab inside the gr.Blocks or gr.Tab that is open now."""
    _Page(administration)


class _Page:
    def __init__(self, administration: Administration) -> None:
        self._hooks = administration.hooks
        wanted = self._hooks.runtime.settings.language
        self._labels = Labels(wanted if wanted in LANGUAGES.values() else DEFAULT)
        add_style()
        install_script()
        install_links()
        with gr.Column(elem_id="ltm-tab"):
            self._frame = TabHeader(administration, self._labels)
            self._head = HeadPanel(self._frame)
            first_run, model_card = FirstRunPanel(self._frame), ModelCardPanel(self._frame)
            copies = CopiesPanel(self._frame)
            rooms = self._rooms()
        local = [panel for room in rooms for panel in room.local]
        refreshing: list[RefreshingPanel] = [first_run, model_card, copies]
        refreshing += [panel for room in rooms for panel in room.refreshing]
        self._panels: Sequence[Panel] = (self._head, *local, *refreshing)
        frame = self._frame
        self._outputs = [frame.namespace_choice, frame.open_chat, frame.content]
        self._outputs += [output for panel in self._panels for output in panel.outputs]
        for panel in local:
            panel.wire()
        for refreshing_panel in refreshing:
            refreshing_panel.wire(self._refresh, self._outputs)
        self._wire()

    def _rooms(self) -> list[Room]:
        with gr.Tabs():
            return [
                self._room("now_tab", now.build),
                self._room("memories_tab", memories.build),
                self._room("transfer_tab", transfer.build),
                self._room("settings_tab", settings.build),
            ]

    def _room(self, title: str, build_room: Callable[[TabHeader], Room]) -> Room:
        tab = gr.Tab(self._labels[title], elem_id=f"ltm-{title.replace('_', '-')}")
        with self._labels.bind(tab, "label", title):
            return build_room(self._frame)

    def _wire(self) -> None:
        frame = self._frame
        quiet: dict[str, Any] = {"show_progress": "hidden"}
        self._page_parts = page_components(self._hooks)
        shown = frame.refresh_inputs(*self._page_parts.values())
        gr.on(open_events(), None, None, None, js=_ARROWS)
        begun = gr.on(
            open_events(),
            self._begin,
            [frame.language],
            self._labels.components,
            js=browser_language(self._hooks.runtime.settings.language),
            **quiet,
        )
        begun.then(self._open, shown, self._outputs, **quiet)
        given = frame.refresh_inputs()
        frame.namespace_choice.input(self._refresh, given, self._outputs, **quiet)
        frame.refresh.click(self._show_anew, given, self._outputs, **quiet)
        paused = frame.pause.click(self._head.toggle_pause, frame.inputs(), None, **quiet)
        paused.then(self._refresh, given, self._outputs, **quiet)
        frame.search.input(None, None, None, js=_OPEN_MEMORIES)
        relabelled = frame.language.input(
            self._relabel, [frame.language], self._labels.components, js=_KEEP_LANGUAGE, **quiet
        )
        relabelled.then(self._refresh, given, self._outputs, **quiet)

    def _begin(self, language: str) -> Updates:
        """Shows the labels in the browser's language."""
        known = language if language in LANGUAGES.values() else self._labels.language
        changes = zip(self._labels.components, self._labels.updates(known), strict=True)
        return [
            gr.update(**{**change, "value": known}) if part is self._frame.language else change
            for part, change in changes
        ]

    def _open(self, given: InputValues, request: gr.Request) -> Updates:
        """Selects the character of the open chat, else that of the latest message."""
        spaces = self._frame.visible_namespaces(request)
        chat = read_open_chat(self._hooks, self._page_parts, given)
        key = chat.key or self._last_active(spaces) or given[self._frame.namespace_choice]
        if not chat.key and visible_namespaces.namespace_by_key(spaces, key) is None:
            key = next(map(visible_namespaces.namespace_key, spaces), None)
        return self._show_all(given, spaces, key, chat)

    def _last_active(self, spaces: Sequence[Namespace]) -> str | None:
        return visible_namespaces.last_active_key(spaces, self._hooks.runtime.traces.latest())

    def _refresh(self, given: InputValues, request: gr.Request) -> Updates:
        """Keeps the character; nobody is selected in place of one that is gone."""
        frame, spaces = self._frame, self._frame.visible_namespaces(request)
        return self._show_all(given, spaces, given[frame.namespace_choice], given[frame.open_chat])

    def _show_anew(self, given: InputValues, request: gr.Request) -> Updates:
        """Shows all panels as on a page just opened; the search stays."""
        frame = self._frame
        forgotten = {frame.content: NOTHING_SHOWN, frame.page_settings: {}}
        return self._refresh({**given, **forgotten}, request)

    def _show_all(
        self, given: InputValues, spaces: Sequence[Namespace], who: str | None, chat: OpenChat
    ) -> Updates:
        frame, language = self._frame, given[self._frame.language]
        namespace = visible_namespaces.namespace_by_key(spaces, who)
        key = visible_namespaces.namespace_key(namespace) if namespace else ""
        content = PageContent(language=language, key=key)
        view = replace(
            frame.selection(language, namespace, chat),
            is_refresh=given[frame.content] == content,
            page=given,
            page_settings=given[frame.page_settings],
        )
        shown = [update for panel in self._panels for update in panel.show(view)]
        return [self._namespace_choice(view, spaces), chat, content, *shown]

    def _relabel(self, language: str) -> Updates:
        return self._labels.updates(language)

    def _namespace_choice(self, view: Selection, spaces: Sequence[Namespace]) -> Any:  # noqa: ANN401
        choices = [
            (
                visible_namespaces.namespace_label(space, view.words),
                visible_namespaces.namespace_key(space),
            )
            for space in spaces
        ]
        value = visible_namespaces.namespace_key(view.namespace) if view.namespace else None
        return gr.update(choices=choices, value=value)


def browser_language(configured: str) -> str:
    """Returns a script: the language chosen before on this browser, else the configured one or
    the browser's.
    """
    wanted = json.dumps(configured) if configured in LANGUAGES.values() else "''"
    return f"""() => {{
        let kept = '';
        try {{ kept = localStorage.getItem('{_LANGUAGE_KEY}') || ''; }} catch (error) {{ }}
        const found = kept || {wanted} || navigator.language || '';
        return [found.slice(0, 2).toLowerCase()];
    }}"""
