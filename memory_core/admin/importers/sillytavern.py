"""Reads SillyTavern's chats: one .jsonl each, a header and then a message per line.

The header's user is only a persona, so the memories belong to the owner's user. If the header names
no character (group chats; some versions write "unused"), the only answering one is taken, else the
owner's.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...domain.namespaces import Namespace
from ...domain.records import Role, Turn
from ...text.cleaning import clean_for_role
from .base import ImportChat, MemoryOwner, Reader
from .json_input import as_list, as_object, as_text, read_json_lines
from .pairing import to_chat_exchanges
from .text_input import find_files, read_beginning
from .timestamps import fill_missing_dates, parse_timestamp

_ENDINGS = (".jsonl",)
_UNNAMED = frozenset({"", "unused"})
# SillyTavern's copies of the chats beside this folder.
_BACKUP_FOLDER = "backups"


class SillyTavernReader(Reader):
    name = "sillytavern"

    def recognises(self, path: Path) -> bool:
        if path.is_dir():
            return next(_find_chats(path), None) is not None
        return _is_chat(path)

    def files(self, path: Path) -> list[Path]:
        return list(_find_chats(path)) if path.is_dir() else [path]

    def read(self, path: Path, owner: MemoryOwner) -> Iterator[ImportChat]:
        for file in self.files(path):
            rows = [row for _, row in read_json_lines(file)]
            turns = list(_turns(rows))
            character = _character(rows, turns) or owner.character
            namespace = Namespace(owner.user, character)
            begin = parse_timestamp(_header(rows).get("create_date"))
            if said := fill_missing_dates(
                to_chat_exchanges(_skip_greeting(turns), self.name), begin
            ):
                yield ImportChat(
                    namespace=namespace,
                    conversation=f"{self.name}-{file.stem}",
                    exchanges=said,
                    source=file,
                    is_named_after_file=True,
                )


def _find_chats(folder: Path) -> Iterator[Path]:
    inside = (
        path
        for path in find_files(folder, _ENDINGS)
        if _BACKUP_FOLDER not in path.relative_to(folder).parts
    )
    return (path for path in inside if _is_chat(path))


def _is_chat(path: Path) -> bool:
    if not path.name.lower().endswith(_ENDINGS):
        return False
    first = read_beginning(path).lstrip().split("\n", 1)[0]
    return '"is_user"' in first or any(
        f'"{key}"' in first and '"mes"' not in first for key in ("chat_metadata", "character_name")
    )


def _turns(rows: Sequence[Mapping[str, Any]]) -> Iterator[Turn]:
    for row in rows:
        if "mes" in row and not _is_program_message(row):
            role = Role.USER if row.get("is_user") is True else Role.ASSISTANT
            yield Turn(
                role=role,
                text=clean_for_role(_shown_text(row), role),
                name=as_text(row.get("name")),
                ts=parse_timestamp(row.get("send_date")),
            )


def _is_program_message(row: Mapping[str, Any]) -> bool:
    """Returns True for help, comments and narration.

    `is_system` alone only means that the model does not see the message.
    """
    return bool(as_text(as_object(row.get("extra")).get("type")))


def _shown_text(row: Mapping[str, Any]) -> str:
    """Returns the shown text: `mes`, an object in files of old converters, or the chosen swipe."""
    said = row.get("mes")
    text = as_text(said) or as_text(as_object(said).get("message"))
    swipes, index = as_list(row.get("swipes")), row.get("swipe_id")
    if text or not isinstance(index, int) or not 0 <= index < len(swipes):
        return text
    return as_text(swipes[index])


def _skip_greeting(turns: Sequence[Turn]) -> Sequence[Turn]:
    """Returns the messages from the first user's on: nobody in this chat wrote the greeting."""
    asked = (index for index, turn in enumerate(turns) if turn.role is Role.USER)
    return turns[next(asked, len(turns)) :]


def _header(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return rows[0] if rows and "mes" not in rows[0] else {}


def _character(rows: Sequence[Mapping[str, Any]], turns: Sequence[Turn]) -> str:
    named = as_text(_header(rows).get("character_name")).strip()
    if named not in _UNNAMED:
        return named
    answering = {turn.name for turn in turns if turn.role is Role.ASSISTANT and turn.name}
    return answering.pop() if len(answering) == 1 else ""
