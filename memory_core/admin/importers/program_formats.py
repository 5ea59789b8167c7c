"""Every reader there is: those of other programs, and the host's own, read as the hooks read it."""

import os
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from ...domain.errors import HostError, ImportFailed, StorageFailed
from ...domain.records import Exchange
from ...host.chat.chat_file import read_rows
from ...host.chat.exchanges import Cast, exchanges
from .base import Reader
from .formats import READERS, recognise
from .textgen import Speakers, TextgenReader

_PROGRAM = Path(__file__).resolve().parents[3]
_MOST_ENTRIES = 10_000


def textgen_reader(*, listens: bool = True) -> TextgenReader:
    """`listens`: commands are carried out in its chats."""
    return TextgenReader(read_file=_exchanges, listens=listens)


def all_readers(*, listens: bool = True) -> Mapping[str, Reader]:
    """By name; the first that recognises a path is asked to read it."""
    return {TextgenReader.name: textgen_reader(listens=listens), **READERS}


def recognised(path: Path, *, listens: bool = True) -> Reader:
    """Raises ImportFailed where no reader knows such a file or folder, nor should look into it."""
    host = textgen_reader(listens=listens)
    if host.recognises(path):
        return host
    _refuse_wide(path)
    reader = recognise(path)
    if reader is None:
        told = f"{path} is none of the known kinds; if it is, name the kind: {_names()}"
        raise ImportFailed(told)
    return reader


def _refuse_wide(path: Path) -> None:
    """Somewhere in it may be a file that looks like a chat, which nobody has meant."""
    if path.resolve() in _PROGRAM.parents:
        raise ImportFailed(
            f"{path} is no user_data of text-generation-webui: it has no saved chats in logs, but "
            "this program itself in it. Name the folder that holds the chats"
        )
    entries = (it for _, folders, files in os.walk(path) for it in (*folders, *files))
    if next(islice(entries, _MOST_ENTRIES, None), None) is not None:
        raise ImportFailed(
            f"{path} holds more than {_MOST_ENTRIES:,} files and folders, and no saved chats of "
            f"text-generation-webui. Name the folder that holds the chats, or the kind: {_names()}"
        )


def _names() -> str:
    return ", ".join(all_readers())


def _exchanges(file: Path, speakers: Speakers) -> list[Exchange]:
    cast = Cast(
        user_name=speakers.user_name,
        assistant_name=speakers.assistant_name,
        channel=speakers.channel,
    )
    try:
        return exchanges(read_rows(file), cast)
    except (HostError, StorageFailed, RecursionError) as exc:
        raise ImportFailed(f"{file}: {exc}") from exc
