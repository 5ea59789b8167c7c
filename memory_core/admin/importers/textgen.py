"""Reads text-generation-webui's saved chats of all versions, with characters and in instruct mode.

    <user_data>/logs/chat/<character>/<unique_id>.json, <user_data>/logs/instruct/<unique_id>.json
    logs/<character>_persistent.json, logs/persistent_<character>.json, also within logs/chat/
    logs/<character>_<date>-<time>.json, logs/Instruct_<date>-<time>.json

A conversation gets the chat's name, as in the live chat, so that a continued chat continues its
memories. A row without a time gets that of the row before or of the chat's name, and a mark. Names
come from the host's settings, user profiles and characters, of whose YAML only plain, unindented
`key: value` lines are read: the host writes names so.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from string import whitespace

from ...domain.errors import HostError, ImportFailed, StorageFailed
from ...domain.namespaces import Namespace, page_user
from ...domain.records import Exchange
from ...host.chat.chat_file import read_rows
from ...host.chat.exchanges import Speakers, to_exchanges
from ...host.chat.host_protocol import Host
from ...infra import regular_files
from .base import ImportChat, MemoryOwner, Reader
from .source import ImportSource
from .text_input import read_beginning
from .timestamps import fill_missing_dates

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
_SHIPPED_PROFILE = "Default"
_NAME_KEYS = ("name", "bot", "<|bot|>", "char_name")
_COMMENT = re.compile(r"\s#.*")
_COMPLEX_VALUE_MARKS = ("|", ">", "{", "[", "&", "*", "!")
_NON_KEY_STARTS = ("", "#", *whitespace)
_ENDINGS = (".yml", ".yaml", ".json")
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


def host_chats_source(host: Host) -> ImportSource:
    """Returns the source of all chats that a running host has saved, for the live chat's user.

    Raises HostError if the host saves no chats, ImportFailed if there are none yet.
    """
    folder = None if host.is_multi_user() else host.user_data_folder()
    if folder is None:
        raise HostError("this host saves no chats")
    reader = TextgenReader()
    if not reader.recognises(folder):
        raise ImportFailed(f"{folder} holds no chats yet")
    user = page_user(host.user_profile()) if host.user_profile() else reader.live_owner(folder).user
    return ImportSource(reader=reader, path=folder, owner=MemoryOwner(user=user, character=""))


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
        user_name=_user_name(place.home, profile),
        assistant_name=_character_name(place.home, place.character),
        channel="chat",
    )


def chosen_user(home: Path) -> str:
    """Returns the user profile chosen in the host; empty for hosts without profiles."""
    chosen = _read_fields(home / "settings.yaml").get("user", "")
    if chosen:
        return chosen
    return _SHIPPED_PROFILE if _read_card(home / "users", _SHIPPED_PROFILE) else ""


def _user_name(home: Path, profile: str) -> str:
    """Returns the user's name in chats; empty if unknown."""
    named = _read_card(home / "users", profile).get("name", "") if profile else ""
    return named or _read_fields(home / "settings.yaml").get("name1", "")


def _character_name(home: Path, character: str) -> str:
    """Returns the name in the character's card, or without a card that of its file."""
    card = _read_card(home / "characters", character)
    return next((card[key] for key in _NAME_KEYS if card.get(key)), character)


def _read_card(folder: Path, name: str) -> Mapping[str, str]:
    found = (_read_fields(folder / f"{name}{ending}") for ending in _ENDINGS)
    return next((fields for fields in found if fields), {})


def _read_fields(path: Path) -> Mapping[str, str]:
    """Returns the file's fields; none if it is missing or cannot be read."""
    try:
        return _parse_file(path, path.stat().st_mtime_ns)
    except (OSError, ValueError, RecursionError):
        return {}


@lru_cache(maxsize=64)
def _parse_file(path: Path, _mtime_ns: int) -> Mapping[str, str]:
    text = regular_files.read_regular_file(path).decode("utf-8-sig")
    if path.suffix == ".json":
        found = json.loads(text)
        pairs = found.items() if isinstance(found, dict) else ()
        return {key: value for key, value in pairs if isinstance(value, str)}
    return dict(_parse_scalars(text))


def _parse_scalars(text: str) -> Iterator[tuple[str, str]]:
    for line in text.split("\n"):
        key, _, rest = line.partition(":")
        value = rest.strip(" \t\r")
        if (
            key[:1] in _NON_KEY_STARTS
            or not value
            or rest[0] not in " \t"
            or value.startswith(_COMPLEX_VALUE_MARKS)
        ):
            continue
        yield _unquote(key.rstrip()), _unquote(value)


def _unquote(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    return _COMMENT.sub("", value)
