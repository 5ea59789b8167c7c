"""The open page: its chat in the host's format, and the traces of changes to its rows."""

import html
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

HostDict = dict[str, Any]
GREETING_MARK = "<|BEGIN-VISIBLE-CHAT|>"


def empty() -> HostDict:
    return {"internal": [], "visible": [], "metadata": {}}


@dataclass
class Clock:
    now: float = 1_795_246_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Page:
    """The chat on the open page, with its rows, their metadata and their versions."""

    clock: Clock
    mode: str = "chat"
    character: str = "Mira"
    unique_id: str = ""
    history: HostDict = field(default_factory=empty)

    @property
    def incognito(self) -> bool:
        return self.unique_id.startswith("incognito-")

    @property
    def rows(self) -> list[list[Any]]:
        return self.history["internal"]

    @property
    def is_dated(self) -> bool:
        """Returns True if its messages have times; those of a foreign file may have none."""
        said = [at for at, row in enumerate(self.rows) if row[0] != GREETING_MARK]
        return all(f"user_{exchange}" in self.history["metadata"] for exchange in said)

    def stamp(self) -> str:
        return datetime.fromtimestamp(self.clock.now).strftime("%b %d, %Y %H:%M")

    def add_row(self, user: str, assistant: str) -> None:
        at = len(self.rows)
        self.rows.append([user, assistant])
        self.history["visible"].append([html.escape(user), html.escape(assistant)])
        self.history["metadata"][f"user_{at}"] = {"timestamp": self.stamp()}
        if assistant:
            self.meta("assistant")["timestamp"] = self.stamp()

    def answer(self, text: str, seen: str | None = None) -> None:
        self.rows[-1][1] = text
        self.history["visible"][-1][1] = html.escape(text) if seen is None else seen
        self.meta("assistant").update(timestamp=self.stamp(), model_name="tiny")

    def meta(self, side: str, at: int | None = None) -> HostDict:
        at = len(self.rows) - 1 if at is None else at
        return self.history["metadata"].setdefault(f"{side}_{at}", {})

    def keep_version(self, at: int, side: str = "assistant") -> None:
        """Saves the present text as the first version, if there is none yet."""
        meta = self.meta(side, at)
        if not meta.get("versions"):
            self.add_version(at, side)
            meta["versions"][0]["timestamp"] = meta.get("timestamp", self.stamp())

    def add_version(self, at: int, side: str = "assistant") -> None:
        """Adds a version. The message's own time stays unchanged."""
        cell = ("user", "assistant").index(side)
        versions = self.meta(side, at).setdefault("versions", [])
        versions.append(
            {
                "content": self.rows[at][cell],
                "visible_content": self.history["visible"][at][cell],
                "timestamp": self.stamp(),
            }
        )
        self.meta(side, at)["current_version_index"] = len(versions) - 1

    def swipe(self, at: int, side: str, step: int) -> bool:
        """Shows another version with its time. Returns False if there is no such version."""
        cell = ("user", "assistant").index(side)
        meta = self.meta(side, at)
        versions = meta.get("versions", [])
        chosen = meta.get("current_version_index", 0) + step
        if not 0 <= chosen < len(versions):
            return False
        self.rows[at][cell] = versions[chosen]["content"]
        self.history["visible"][at][cell] = versions[chosen]["visible_content"]
        meta.update(current_version_index=chosen, timestamp=versions[chosen]["timestamp"])
        return True

    def remove_last(self) -> None:
        self.rows.pop()
        self.history["visible"].pop()
        for side in ("user", "assistant"):
            self.history["metadata"].pop(f"{side}_{len(self.rows)}", None)
