"""Chat files whose changes are saved as memories."""

from dataclasses import dataclass
from pathlib import Path

from ...domain.namespaces import Namespace
from ..chat.chat_file import FileStamp, file_stamp
from ..chat.exchanges import Speakers
from ..chat.turn_request import TurnRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRef:
    """A conversation and its speakers, as needed to save it."""

    namespace: Namespace
    conversation: str
    speakers: Speakers

    @classmethod
    def of(cls, request: TurnRequest, namespace: Namespace) -> "ChatRef":
        return cls(
            namespace=namespace, conversation=request.conversation, speakers=request.speakers
        )


@dataclass(slots=True)
class WatchedFile:
    """The chat of a file, and the states of the file that were saved and seen last."""

    chat: ChatRef
    synced_stamp: FileStamp | None = None
    last_stamp: FileStamp | None = None
    unchanged_since: float = 0.0
    is_registered: bool = False
    changing_since: float | None = None

    def needs_sync(self, path: Path) -> bool:
        stamp = file_stamp(path)
        return stamp is not None and stamp != self.synced_stamp
