"""SillyTavern's chats: a .jsonl each, a header and then a message per line.

The header's user is a persona, a name in the chat: whose the memories are is the owner's to say.
Without a character's name in the header (group chats, some versions write "unused") it is that of
the only one who answers, else the owner's.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...domain.namespaces import Namespace
from ...domain.records import Role, Turn
from ...text.cleaning import cleaned
from .base import Chat, Owner
from .guess_dates import dated
from .json_input import list_of, object_of, objects, text_of
from .pairing import as_chat
from .text_input import beginning, files
from .timestamps import seconds
from .two_pass import Names, checked

_ENDING = (".jsonl",)
_UNNAMED = frozenset({"", "unused"})
# Copies that the program makes of chats which lie beside.
_COPIES = "backups"


class SillyTavern:
    name = "sillytavern"

    def recognises(self, path: Path) -> bool:
        if path.is_dir():
            return next(_chats_in(path), None) is not None
        return _is_chat(path)

    def files(self, path: Path) -> list[Path]:
        return list(_chats_in(path)) if path.is_dir() else [path]

    def read(self, path: Path, owner: Owner) -> Iterator[Chat]:
        return checked(lambda: self._chats(path, owner))

    def _chats(self, path: Path, owner: Owner) -> Iterator[Chat]:
        names = Names()
        for file in self.files(path):
            rows = [row for _, row in objects(file)]
            turns = list(_turns(rows))
            character = _character(rows, turns) or owner.character
            namespace = Namespace(owner.user, character)
            begin = seconds(_header(rows).get("create_date"))
            if said := dated(as_chat(_after_greeting(turns), self.name), begin):
                free = names.free(namespace, f"{self.name}-{file.stem}")
                yield Chat(namespace=namespace, conversation=free, exchanges=said, source=file)


def _chats_in(folder: Path) -> Iterator[Path]:
    inside = (it for it in files(folder, _ENDING) if _COPIES not in it.relative_to(folder).parts)
    return (it for it in inside if _is_chat(it))


def _is_chat(path: Path) -> bool:
    if not path.name.lower().endswith(_ENDING):
        return False
    first = beginning(path).lstrip().split("\n", 1)[0]
    return '"is_user"' in first or any(
        f'"{key}"' in first and '"mes"' not in first for key in ("chat_metadata", "character_name")
    )


def _turns(rows: Sequence[Mapping[str, Any]]) -> Iterator[Turn]:
    for row in rows:
        if "mes" in row and not _is_the_programs(row):
            role = Role.USER if row.get("is_user") is True else Role.ASSISTANT
            yield Turn(
                role=role,
                text=cleaned(_shown(row), role),
                name=text_of(row.get("name")),
                ts=seconds(row.get("send_date")),
            )


def _is_the_programs(row: Mapping[str, Any]) -> bool:
    """Help, comments, narration. `is_system` alone only says that it is hidden from the model."""
    return bool(text_of(object_of(row.get("extra")).get("type")))


def _shown(row: Mapping[str, Any]) -> str:
    """The text shown: `mes`, which elder converters made an object, else the swipe it stands on."""
    said = row.get("mes")
    text = text_of(said) or text_of(object_of(said).get("message"))
    swipes, at = list_of(row.get("swipes")), row.get("swipe_id")
    if text or not isinstance(at, int) or not 0 <= at < len(swipes):
        return text
    return text_of(swipes[at])


def _after_greeting(turns: Sequence[Turn]) -> Sequence[Turn]:
    """The character's opening was written by nobody in this chat."""
    asked = (at for at, turn in enumerate(turns) if turn.role is Role.USER)
    return turns[next(asked, len(turns)) :]


def _header(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return rows[0] if rows and "mes" not in rows[0] else {}


def _character(rows: Sequence[Mapping[str, Any]], turns: Sequence[Turn]) -> str:
    named = text_of(_header(rows).get("character_name")).strip()
    if named not in _UNNAMED:
        return named
    answering = {turn.name for turn in turns if turn.role is Role.ASSISTANT and turn.name}
    return answering.pop() if len(answering) == 1 else ""
