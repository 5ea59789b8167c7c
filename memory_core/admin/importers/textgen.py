"""text-generation-webui's saved chats: every character's and instruct mode's, of every age.

    <user_data>/logs/chat/<character>/<unique_id>.json, <user_data>/logs/instruct/<unique_id>.json
    logs/<character>_persistent.json, logs/persistent_<character>.json, also within logs/chat/
    logs/<character>_<date>-<time>.json, logs/Instruct_<date>-<time>.json

What a chat is named there is what the live chat's conversation is named too, so that going on
with an imported chat goes on with its memories. Where a row has no time, the chat's name or the
row before tells about when it was said: such dates are marked.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ...domain.errors import ImportFailed
from ...domain.namespaces import Namespace
from ...domain.records import Exchange
from ...domain.users import page_user
from .base import ImportChat, MemoryOwner
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSpeakers:
    """Who talks in a chat, and how it was led; the files themselves do not say it."""

    user_name: str
    assistant_name: str
    channel: str


@dataclass(frozen=True, slots=True)
class _ChatLocation:
    """What a chat file's place tells: below which folder, and with whom (None: instruct mode)."""

    home: Path
    character: str | None


ReadFile = Callable[[Path, FileSpeakers], list[Exchange]]


class TextgenReader:
    """Takes the user_data folder, the installation around it, its logs folder or a chat in it.

    A chat that lies elsewhere does not say with whom it was: the owner's character is asked for.

    `read_file` makes exchanges of one file's rows as the live chat does; it raises ImportFailed.
    `listens`: plain words in them were said to the memory, too (apart.py).
    """

    name = "textgen"
    complete = True

    def __init__(self, *, read_file: ReadFile, listens: bool) -> None:
        self._read_file = read_file
        self.listens = listens

    def recognises(self, path: Path) -> bool:
        return next(self._find_chats(path), None) is not None

    def files(self, path: Path) -> list[Path]:
        """Every chat of it, as the folders have them. Raises ImportFailed where there is none."""
        if found := list(self._find_chats(path)):
            return found
        if not path.exists():
            raise ImportFailed(f"{path} does not exist")
        raise ImportFailed(
            f"{path} holds no chats of text-generation-webui: name its user_data folder, in which "
            "there is logs/chat or logs/instruct"
        )

    def read(self, path: Path, owner: MemoryOwner) -> Iterator[ImportChat]:
        """An owner without a user stands for the host's own; its character is not asked for."""
        for file in self.files(path):
            yield self._read_chat(file, owner)

    def live_owner(self, path: Path) -> MemoryOwner:
        """Whom the live chat would take for the user here."""
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
        said = self._read_file(file, _speakers(place, profile))
        return ImportChat(
            namespace=Namespace.instruct(user)
            if place.character is None
            else Namespace(user, place.character),
            conversation=_conversation_name(file, said),
            exchanges=fill_missing_dates(said, begin_from_name(file.stem)),
            source=file,
        )


def _conversation_name(file: Path, said: Sequence[Exchange]) -> str:
    """Elsewhere two chats may bear the same name, unless the host gave it."""
    if _location(file) or begin_from_name(file.stem) is not None or not said:
        return file.stem
    return f"{file.stem}-{said[0].key[:_KEY_CHARS]}"


def _is_outside_chat_folders(file: Path) -> bool:
    """A chat that was taken out of its folder, and was not to be forgotten."""
    return not file.stem.startswith(_INCOGNITO) and bool(_ROWS_START.match(read_beginning(file)))


def _requested_location(file: Path, owner: MemoryOwner) -> _ChatLocation:
    if not _is_outside_chat_folders(file):
        raise ImportFailed(f"{file} is no chat of text-generation-webui")
    if not owner.character:
        raise ImportFailed(
            f"{file} is a chat of text-generation-webui outside its folders, so it does not say "
            "with whom it was: add --character NAME"
        )
    return _ChatLocation(file.parent, owner.character)


def begin_from_name(conversation: str) -> float | None:
    """When the host named this chat, in local time; None where somebody else named it."""
    match = _DATED_NAME.fullmatch(conversation)
    if match is None:
        return None
    try:
        return datetime.strptime("".join(match.groups()), "%Y%m%d%H%M%S").timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def _user_data_folders(path: Path) -> list[Path]:
    """The folders around a `logs`: an installation that was updated has two of them."""
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
    """None for what is no chat, or one that was not to be kept."""
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


def _speakers(place: _ChatLocation, profile: str) -> FileSpeakers:
    """In instruct mode the host shows no names."""
    if place.character is None:
        return FileSpeakers(user_name="", assistant_name="", channel="instruct")
    return FileSpeakers(
        user_name=user_name(place.home, profile),
        assistant_name=character_name(place.home, place.character),
        channel="chat",
    )
