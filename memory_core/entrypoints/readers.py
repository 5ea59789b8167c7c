"""Every reader there is: those of other programs, and the host's own, read as the hooks read it."""

from collections.abc import Mapping
from pathlib import Path

from ..errors import HostError, ImportFailed
from ..importing.base import Reader
from ..importing.readers import READERS, recognise
from ..importing.textgen import Speakers, TextgenReader
from ..records import Exchange
from .chat_file import read_rows
from .exchanges import Cast, exchanges


def textgen_reader(*, listens: bool = True) -> TextgenReader:
    """`listens`: commands are carried out in its chats."""
    return TextgenReader(read_file=_exchanges, listens=listens)


def all_readers(*, listens: bool = True) -> Mapping[str, Reader]:
    """By name; the first that recognises a path is asked to read it."""
    return {TextgenReader.name: textgen_reader(listens=listens), **READERS}


def recognised(path: Path, *, listens: bool = True) -> Reader:
    """Raises ImportFailed where no reader knows such a file or folder."""
    host = textgen_reader(listens=listens)
    reader = host if host.recognises(path) else recognise(path)
    if reader is None:
        names = ", ".join(all_readers())
        raise ImportFailed(f"{path} is none of the known kinds; if it is, name the kind: {names}")
    return reader


def _exchanges(file: Path, speakers: Speakers) -> list[Exchange]:
    cast = Cast(
        user_name=speakers.user_name,
        assistant_name=speakers.assistant_name,
        channel=speakers.channel,
    )
    try:
        return exchanges(read_rows(file), cast)
    except (HostError, RecursionError) as exc:
        raise ImportFailed(f"{file}: {exc}") from exc
