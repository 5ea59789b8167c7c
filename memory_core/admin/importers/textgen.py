"""Reads text-generation-webui's saved chats of all versions, with characters and in instruct mode.

    <user_data>/logs/chat/<character>/<unique_id>.json, <user_data>/logs/instruct/<unique_id>.json
    logs/<character>_persistent.json, logs/persistent_<character>.json, also within logs/chat/
    logs/<character>_<date>-<time>.json, logs/Instruct_<date>-<time>.json

A conversation gets the chat's name, as in the live chat, so that a continued chat continues its
memories. A row without a time gets that of the row before or of the chat's name, and a mark.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ...domain.errors import HostError, ImportFailed, StorageFailed
from ...domain.namespaces import Namespace, page_user
from ...domain.records import Exchange
from ...host.chat.chat_file import read_rows
from ...host.chat.exchanges import Speakers, to_exchanges
from .base import ImportChat, MemoryOwner, Reader
from .guess_dates import fill_missing_dates
from .text_input import read_beginning
from .textgen_names import character_name, chosen_user, user_name

_INCOGNITO = "incognito-"
_KEY_CHARS = 8
_MAX_BYTES = 1 << 29
_LEGACY_NAMES = (
    re.compile(r"(?P<name>.+)_persistent", re.DOTALL),
    re.compile(r"persistent_(?P<name>.+)", re.DOTALL),
    re.compile(r"(?P<name>.+)_\d{8}-\d{6}", re.DOTALL),
)
_LEGACY_INSTRUCT = "Instruct"
_ROWS_START = re.compile(r'\s*\{\s*"(?:internal|visible|data|data_visible)"\s*:\s*\[\s*[][]')
_DATED_NAME = re.compile(r"(?:.*_)?(\d{8})-(\d\d)-?(\d\d)-?(\d\d)(?!\d).*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _ChatLocation:
    """The facts in a chat file's path: the user_data folder and the character.

    `character` is None in instruct mode.
    """

    home: Path
    character: str | None


class TextgenReader(Reader):
    """Reads the user_data folder, the installation around it, its logs folder or a single chat.

    A chat in another folder names no character, so the owner must name one.
    """

    name = "textgen"
    has_complete_chats = True
    is_host = True

    def recognises(self, path: Path) -> bool:
        return next(self._find_chats(path), None) is not None

    def files(self, path: Path) -> list[Path]:
        """Returns all chat files. Raises ImportFailed if there are none."""
        if found := list(self._find_chats(path)):
            return found
        if not path.exists():
            raise ImportFailed(f"{path} does not exist")
        raise ImportFailed(
            f"{path} holds no chats of text-generation-webui: name its user_data folder, which "
            "contains logs/chat or logs/instruct"
        )

    def read(self, path: Path, owner: MemoryOwner) -> Iterator[ImportChat]:
        """Yields the chats; an owner without a user stands for the host's user."""
        for file in self.files(path):
            yield self._read_chat(file, owner)

    def live_owner(self, path: Path) -> MemoryOwner:
        """Returns the owner that the live chat would use here."""
        homes = _user_data_folders(path)
        return MemoryOwner(user=page_user(chosen_user(homes[0])) if homes else "", character="")

    def _find_chats(self, path: Path) -> Iterator[Path]:
        if path.is_file():
            yield from [path] if _location(path) or _is_outside_chat_folders(path) else []
            return
        for home in _user_data_folders(path):
            yield from _chat_files(home / "logs")

    def _read_chat(self, file: Path, owner: MemoryOwner) -> ImportChat:
        place = _location(file) or _requested_location(file, owner)
        if file.stat().st_size > _MAX_BYTES:
            raise ImportFailed(f"{file} is larger than {_MAX_BYTES >> 20} MB: no chat is")
        profile = chosen_user(place.home)
        user = owner.user or page_user(profile)
        said = _read_exchanges(file, _speakers(place, profile))
        return ImportChat(
            namespace=Namespace.instruct(user)
            if place.character is None
            else Namespace(user, place.character),
            conversation=_conversation_name(file, said),
            exchanges=fill_missing_dates(said, begin_from_name(file.stem)),
            source=file,
        )


def _read_exchanges(file: Path, speakers: Speakers) -> list[Exchange]:
    """Returns the exchanges as the live chat would record them."""
    try:
        return to_exchanges(read_rows(file), speakers)
    except (HostError, StorageFailed, RecursionError) as exc:
        raise ImportFailed(f"{file}: {exc}") from exc


def _conversation_name(file: Path, said: Sequence[Exchange]) -> str:
    """Returns the file's name, made unique for chats outside the folders of the host.

    Two of those may have the same name, unless the host gave it.
    """
    if _location(file) or begin_from_name(file.stem) is not None or not said:
        return file.stem
    return f"{file.stem}-{said[0].key[:_KEY_CHARS]}"


def _is_outside_chat_folders(file: Path) -> bool:
    """Returns True for a chat outside its folder, unless it was incognito."""
    return not file.stem.startswith(_INCOGNITO) and bool(_ROWS_START.match(read_beginning(file)))


def _requested_location(file: Path, owner: MemoryOwner) -> _ChatLocation:
    if not _is_outside_chat_folders(file):
        raise ImportFailed(f"{file} is no chat of text-generation-webui")
    if not owner.character:
        raise ImportFailed(
            f"{file} is a chat of text-generation-webui outside its folders, so it names no "
            "character: add --character NAME"
        )
    return _ChatLocation(file.parent, owner.character)


def begin_from_name(conversation: str) -> float | None:
    """Returns the time in a name that the host gave, in seconds since the epoch; else None."""
    match = _DATED_NAME.fullmatch(conversation)
    if match is None:
        return None
    try:
        return datetime.strptime("".join(match.groups()), "%Y%m%d%H%M%S").timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def _user_data_folders(path: Path) -> list[Path]:
    """Returns the folders that contain `logs`; an updated installation has two."""
    if path.is_file():
        place = _location(path)
        return [place.home] if place else []
    if path.name == "logs":
        return [path.parent]
    return [folder for folder in (path / "user_data", path) if (folder / "logs").is_dir()]


def _chat_files(logs: Path) -> Iterator[Path]:
    found = [*logs.glob("*.json"), *logs.glob("chat/*.json"), *logs.glob("chat/*/*.json")]
    for path in sorted([*found, *logs.glob("instruct/*.json")]):
        if path.is_file() and _location(path):
            yield path


def _location(file: Path) -> _ChatLocation | None:
    """Returns the chat's location; None for incognito chats and other files."""
    folders = file.absolute().parts[:-1]
    if file.suffix != ".json" or file.stem.startswith(_INCOGNITO):
        return None
    if folders[-1:] == ("logs",):
        return _legacy_location(file, file.parent.parent)
    if folders[-2:] == ("logs", "instruct"):
        return _ChatLocation(file.parent.parent.parent, None)
    if folders[-2:] == ("logs", "chat"):
        return _legacy_location(file, file.parent.parent.parent)
    if folders[-3:-1] == ("logs", "chat"):
        return _ChatLocation(file.parent.parent.parent.parent, folders[-1])
    return None


def _legacy_location(file: Path, home: Path) -> _ChatLocation | None:
    for pattern in _LEGACY_NAMES:
        if match := pattern.fullmatch(file.stem):
            name = match["name"]
            is_instruct = name == _LEGACY_INSTRUCT and "persistent" not in file.stem
            return _ChatLocation(home, None if is_instruct else name)
    return None


def _speakers(place: _ChatLocation, profile: str) -> Speakers:
    """Returns the speakers of a chat; without names in instruct mode, as the host shows none."""
    if place.character is None:
        return Speakers(user_name="", assistant_name="", channel="instruct")
    return Speakers(
        user_name=user_name(place.home, profile),
        assistant_name=character_name(place.home, place.character),
        channel="chat",
    )
