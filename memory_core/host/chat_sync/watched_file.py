"""Chat files whose changes are saved as memories."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ...infra.lru_cache import LRUCache
from ...prompt.window import ChatRow
from ..chat.chat_file import FileStamp, file_stamp
from ..chat.turn_request import ChatRef

_MAX_ASKED = 8


@dataclass(slots=True)
class WatchedFile:
    """The chat of a file, and the states of the file that were saved and seen last.

    `asked` are the latest messages that may not be stored yet, with whether Remember was off when
    they were said.
    """

    chat: ChatRef
    synced_stamp: FileStamp | None = None
    last_stamp: FileStamp | None = None
    unchanged_since: float = 0.0
    is_registered: bool = False
    changing_since: float | None = None
    asked: LRUCache[str, bool] = field(default_factory=lambda: LRUCache(_MAX_ASKED))

    def observe(self, stamp: FileStamp, now: float) -> tuple[float, float]:
        """Returns for how many seconds the file is unchanged, and for how many it is changing."""
        if stamp != self.last_stamp:
            self.last_stamp, self.unchanged_since = stamp, now
        if self.changing_since is None:
            self.changing_since = now
        return now - self.unchanged_since, now - self.changing_since

    def drop_asked(self, rows: Iterable[ChatRow]) -> None:
        """Drops the messages of these rows from `asked`."""
        for row in rows:
            self.asked.pop(row.question)

    def needs_sync(self, path: Path) -> bool:
        stamp = file_stamp(path)
        return stamp is not None and stamp != self.synced_stamp
