"""Chat files whose changes are saved as memories."""

from dataclasses import dataclass
from pathlib import Path

from ..chat.chat_file import FileStamp, file_stamp
from ..chat.turn_request import ChatRef


@dataclass(slots=True)
class WatchedFile:
    """The chat of a file, and the states of the file that were saved and seen last."""

    chat: ChatRef
    synced_stamp: FileStamp | None = None
    last_stamp: FileStamp | None = None
    unchanged_since: float = 0.0
    is_registered: bool = False
    changing_since: float | None = None

    def observe(self, stamp: FileStamp, now: float) -> tuple[float, float]:
        """Returns for how many seconds the file is unchanged, and for how many it is changing."""
        if stamp != self.last_stamp:
            self.last_stamp, self.unchanged_since = stamp, now
        if self.changing_since is None:
            self.changing_since = now
        return now - self.unchanged_since, now - self.changing_since

    def needs_sync(self, path: Path) -> bool:
        stamp = file_stamp(path)
        return stamp is not None and stamp != self.synced_stamp
