"""The tab's layout: a head with the state of memory, and its panels."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from ...admin.administration import Administration
from ...domain.namespaces import Namespace
from ...text.locales import DEFAULT, LANGUAGES
from .common import visible_namespaces
from .common.assets import add_script, add_style
from .common.gradio_compat import open_events, quiet
from .common.header import (
    InputValues,
    Labels,
    Panel,
    Refresh,
    Selection,
    TabHeader,
    Updates,
)
from .common.model_panel import ModelCardPanel
from .common.open_chat import page_components, read_open_chat
from .common.pulse import Pulse, drawn_now
from .header_panel import HeaderPanel
from .rooms import ROOMS
from .settings.facts_offer import FactsOffer
from .transfer.backup_offer import BackupOffer

_LANGUAGE_KEY = "ltm-language"
_KEEP_LANGUAGE = f"""language => {{
    try {{ localStorage.setItem('{_LANGUAGE_KEY}', language); }} catch (error) {{ }}
    const tab = document.querySelector('#ltm-tab [role=tab][id^=ltm-][aria-selected=true]');
    window.ltmRoom = tab ? tab.id : '';
    return [language];
}}"""
# Gradio 4 shows the first of its tabs when their labels change.
_STAY_IN_ROOM = """() => {
    const tab = document.getElementById(window.ltmRoom);
    if (tab && tab.getAttribute('aria-selected') !== 'true') tab.click();
}"""
_OPEN_MEMORIES = """() => {
    const tab = document.getElementById('ltm-memories-tab-button');
    if (tab && tab.getAttribute('aria-selected') !== 'true') tab.click();
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Room:
    """One of the tab's four tabs, by the name of its label; it is drawn while it is open."""

    name: str
    tab: Any
    panels: Sequence[Panel]

    @property
    def outputs(self) -> list[Any]:
        return [output for panel in self.panels for output in panel.outputs]

    @property
    def no_updates(self) -> Updates:
        """Returns updates that leave this room as it is."""
        return [gr.skip() for _ in self.outputs]


def build(administration: Administration) -> None:
    """Builds the tab inside the gr.Blocks or gr.Tab that is open now."""
    _Page(administration)


class _Page:
    def __init__(self, administration: Administration) -> None:
        self._hooks = administration.hooks
        wanted = self._hooks.runtime.settings.language
        self._labels = Labels(wanted if wanted in LANGUAGES.values() else DEFAULT)
        add_style()
        add_script()
        with gr.Column(elem_id="ltm-tab"):
            header = self._header = TabHeader(administration, self._labels)
            self._pulse = Pulse(self._hooks.runtime)
            self._header_panel = HeaderPanel(header)
            cards = (ModelCardPanel(header), BackupOffer(header), FactsOffer(header))
            self._around = (self._header_panel, *cards)
            self._rooms = self._build_rooms()
        self._header_outputs = [header.namespace_choice, header.open_chat, header.shown]
        self._header_outputs += [header.open_room, self._pulse.drawn]
        self._header_outputs += [output for panel in self._around for output in panel.outputs]
        in_rooms = [output for room in self._rooms for output in room.outputs]
        self._outputs = [*self._header_outputs, *in_rooms]
        given = header.refresh_inputs()
        refresh = Refresh(show=self._refresh, inputs=given, outputs=self._outputs)
        for panel in self._around:
            panel.wire(refresh)
        for room in self._rooms:
            self._wire_room(room)
        self._wire()

    def _build_rooms(self) -> list[_Room]:
        with gr.Tabs():
            return [self._build_room(*named) for named in ROOMS.items()]

    def _build_room(self, name: str, build_panels: Callable[[TabHeader], list[Panel]]) -> _Room:
        tab = gr.Tab(self._labels[name], elem_id=f"ltm-{name.replace('_', '-')}")
        with self._labels.bind(tab, "label", name):
            return _Room(name=name, tab=tab, panels=build_panels(self._header))

    def _wire_room(self, room: _Room) -> None:
        outputs = [*self._header_outputs, *room.outputs]

        def refresh_room(given: InputValues, request: gr.Request) -> Updates:
            return self._show_opened_room(room, self._select(given, request))

        def open_room(given: InputValues, request: gr.Request) -> Updates:
            return self._open_room(room, given, request)

        given = self._header.refresh_inputs()
        refresh = Refresh(show=refresh_room, inputs=given, outputs=outputs)
        for panel in room.panels:
            panel.wire(refresh)
        room.tab.select(open_room, given, outputs, **quiet())

    def _wire(self) -> None:
        header = self._header
        quietly = quiet()
        self._page_parts = page_components(self._hooks)
        shown = header.refresh_inputs(*self._page_parts.values())
        begun = gr.on(
            open_events(),
            self._begin,
            [header.language],
            self._labels.components,
            js=browser_language(self._hooks.runtime.settings.language),
            **quietly,
        )
        begun.then(self._open, shown, self._outputs, **quietly)
        given = header.refresh_inputs()
        header.namespace_choice.input(self._show_all, given, self._outputs, **quietly)
        header.refresh.click(self._refresh, given, self._outputs, **quietly)
        changed = self._pulse.wire().change
        changed(self._refresh_unless_clicked, given, self._outputs, **quietly)
        for counted in header.counted_after:
            header.on(counted.then, self._recount, [header.facts, self._pulse.drawn], **quietly)
        header.search.input(None, None, None, js=_OPEN_MEMORIES)
        relabelled = header.language.input(
            self._labels.updates,
            [header.language],
            self._labels.components,
            js=_KEEP_LANGUAGE,
            **quietly,
        )
        shown_again = relabelled.then(self._show_all, given, self._outputs, **quietly)
        shown_again.then(None, None, None, js=_STAY_IN_ROOM)

    def _recount(self, view: Selection, given: InputValues) -> Updates:
        """Shows the new number of memories. The page has drawn this change itself."""
        return [*self._header_panel.recount(view), drawn_now(self._hooks.runtime, view.chosen)]

    def _begin(self, language: str) -> Updates:
        """Shows the labels in the browser's language."""
        known = language if language in LANGUAGES.values() else self._labels.language
        changes = zip(self._labels.components, self._labels.updates(known), strict=True)
        return [
            gr.update(**{**change, "value": known}) if part is self._header.language else change
            for part, change in changes
        ]

    def _open(self, given: InputValues, request: gr.Request) -> Updates:
        """Selects the character of the open chat, else that of the latest message."""
        chat = read_open_chat(self._hooks, self._page_parts, given)
        key = chat.key or self._first_key(given, self._header.visible_namespaces(request))
        return self._show_opened(self._header.select(given, request, key, chat))

    def _first_key(self, given: InputValues, spaces: Sequence[Namespace]) -> str | None:
        traces = self._hooks.runtime.traces.latest()
        last = visible_namespaces.last_active_key(spaces, traces)
        key = last or given[self._header.namespace_choice]
        if visible_namespaces.namespace_by_key(spaces, key) is None:
            return next(map(visible_namespaces.namespace_key, spaces), None)
        return key

    def _refresh(self, given: InputValues, request: gr.Request) -> Updates:
        """Shows the head and the open room."""
        return self._show_opened(self._select(given, request))

    def _refresh_unless_clicked(self, given: InputValues, request: gr.Request) -> Updates:
        """Does as _refresh() after a change elsewhere, if nobody clicks meanwhile.

        Otherwise it changes nothing, and the page asks again.
        """
        clicks, page = self._header.clicks, request.session_hash
        before = clicks.count(page)
        updates = self._refresh(given, request)
        is_current = before is not None and clicks.count(page) == before
        return updates if is_current else [gr.skip() for _ in updates]

    def _show_all(self, given: InputValues, request: gr.Request) -> Updates:
        """Shows the head and all rooms, of another character or in another language."""
        with self._header.clicks.handling(request.session_hash):
            view = self._select(given, request)
            opened = self._opened(view)
            updates = self._show_header(view, opened)
            for room in self._rooms:
                updates += self._show_room(replace(view, is_opening=room is not opened), room)
            return updates

    def _show_opened_room(self, room: _Room, view: Selection) -> Updates:
        """Returns updates of the head and of this room, which is the open one."""
        return [*self._show_header(view, room), *self._show_room(view, room)]

    def _open_room(self, room: _Room, given: InputValues, request: gr.Request) -> Updates:
        """Returns updates of the head and of a room just opened.

        Changes nothing while the page is being built, which shows the room itself.
        """
        if not given[self._header.shown]:
            place = self._header_outputs.index(self._header.open_room)
            updates = [gr.skip() for _ in self._header_outputs]
            return [*updates[:place], room.name, *updates[place + 1 :], *room.no_updates]
        with self._header.clicks.handling(request.session_hash):
            view = replace(self._select(given, request), is_opening=True)
            return self._show_opened_room(room, view)

    def _select(self, given: InputValues, request: gr.Request) -> Selection:
        """Keeps the selected character under its present name; selects none if it was deleted.

        A browser that has not received the selection yet sends none; then it is the one shown.
        """
        header = self._header
        _, shown = given[header.shown].get(given[header.open_room], ("", ""))
        aliases = self._hooks.runtime.memory.aliases
        key = visible_namespaces.present_key(aliases, given[header.namespace_choice] or shown)
        return header.select(given, request, key, given[header.open_chat])

    def _show_opened(self, view: Selection) -> Updates:
        """Returns an update for each output; those of rooms that are not open change nothing."""
        opened = self._opened(view)
        updates = self._show_header(view, opened)
        for room in self._rooms:
            updates += self._show_room(view, room) if room is opened else room.no_updates
        return updates

    def _opened(self, view: Selection) -> _Room:
        name = view.page[self._header.open_room]
        return next((room for room in self._rooms if room.name == name), self._rooms[0])

    def _show_room(self, view: Selection, room: _Room) -> Updates:
        return _show_panels(room.panels, self._view_of_room(view, room))

    def _view_of_room(self, view: Selection, room: _Room) -> Selection:
        """Returns the selection with a mark if the room shows it already."""
        shown = view.page[self._header.shown].get(room.name)
        return replace(view, is_refresh=shown == _content_of(view))

    def _show_header(self, view: Selection, room: _Room) -> Updates:
        shown = {**view.page[self._header.shown], room.name: _content_of(view)}
        choices = visible_namespaces.namespace_choices(view.visible, view.others, view.words)
        value = visible_namespaces.namespace_key(view.chosen) if view.chosen else None
        choice = gr.update(choices=choices, value=value, visible=bool(choices))
        drawn = drawn_now(self._hooks.runtime, view.chosen)
        panels = _show_panels(self._around, self._view_of_room(view, room))
        return [choice, view.chat, shown, room.name, drawn, *panels]


def _content_of(view: Selection) -> tuple[str, str]:
    """Returns the language of a room, and the key of the namespace that it shows."""
    key = visible_namespaces.namespace_key(view.chosen) if view.chosen else ""
    return view.language, key


def _show_panels(panels: Sequence[Panel], view: Selection) -> Updates:
    return [update for panel in panels for update in panel.show(view)]


def browser_language(configured: str) -> str:
    """Returns a script: the language chosen before on this browser, else the configured one or
    the browser's. It takes the place of the first input; the others stay.
    """
    wanted = json.dumps(configured) if configured in LANGUAGES.values() else "''"
    return f"""(_, ...others) => {{
        let kept = '';
        try {{ kept = localStorage.getItem('{_LANGUAGE_KEY}') || ''; }} catch (error) {{ }}
        const found = kept || {wanted} || navigator.language || '';
        return [found.slice(0, 2).toLowerCase(), ...others];
    }}"""
