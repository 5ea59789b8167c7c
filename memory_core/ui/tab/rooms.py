"""The rooms of the tab: each is drawn while it is open, the others once they are opened."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import gradio as gr

from .common.frame import InputValues, Panel, Room, Updates


@dataclass(frozen=True, slots=True, kw_only=True)
class TabRoom:
    """A room with its gr.Tab, by the name of its label."""

    name: str
    tab: Any
    room: Room

    @property
    def panels(self) -> Sequence[Panel]:
        return (*self.room.local, *self.room.refreshing)

    @property
    def outputs(self) -> list[Any]:
        return [output for panel in self.panels for output in panel.outputs]

    @property
    def no_updates(self) -> Updates:
        """Returns updates that leave this room as it is."""
        return [gr.skip() for _ in self.outputs]


class RoomPage(Protocol):
    """The page around the rooms; each update is one of its head and of one room."""

    def refresh_room(self, room: TabRoom, given: InputValues, request: gr.Request) -> Updates: ...

    def open_room(self, room: TabRoom, given: InputValues, request: gr.Request) -> Updates: ...


class RoomUpdates:
    """The handlers of one room, for Gradio's events."""

    def __init__(self, page: RoomPage, room: TabRoom) -> None:
        self._page = page
        self._room = room

    def refresh(self, given: InputValues, request: gr.Request) -> Updates:
        """Shows the head and this room again after an action in it."""
        return self._page.refresh_room(self._room, given, request)

    def open(self, given: InputValues, request: gr.Request) -> Updates:
        """Shows this room when its tab is selected, as other rooms may have changed its data."""
        return self._page.open_room(self._room, given, request)
