"""Writes memories as a Markdown document: a chapter per conversation, a section per day.

Quotes every message under its speaker's name, so that no text can pass for a heading. Escapes
images and HTML, so that they are shown as typed and fetch nothing.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from ...domain.namespaces import Namespace
from ...domain.records import Memory
from ...infra.calendar_time import to_datetime
from .row_fields import conversation_name, export_fields

_MARKUP = re.compile(r"([\\`*_\[\]<>#|])")
_FETCHING_MARKUP = re.compile(r"(<|!(?=\[))")
_PIN = " 📌"
_NOTES = "Notes"
_UNDATED = "Date unknown"


def markdown_lines(memories: Iterable[Memory], *, title: str) -> Iterator[str]:
    """Yields the document's parts, with days and times in this machine's time zone."""
    yield f"# {_escape_inline(title)}\n"
    # All notes share a chapter, even those for a single conversation.
    for name, talk in groupby(memories, key=lambda m: conversation_name(m) if m.exchange else ""):
        yield f"\n## {_escape_inline(name) or _NOTES}\n"
        for day, memories_of_day in groupby(talk, key=_day):
            yield f"\n### {day}\n"
            for memory in memories_of_day:
                yield from _paragraphs(memory)


def markdown_documents(
    spaces: Iterable[tuple[Namespace, Iterable[Memory]]],
) -> Iterator[str]:
    """Yields one document after the other, each under its own title."""
    for number, (namespace, memories) in enumerate(spaces):
        yield "\n" if number else ""
        yield from markdown_lines(memories, title=title_of(namespace))


def title_of(namespace: Namespace) -> str:
    return f"{namespace.user} / {namespace.character or namespace.scope}"


def _day(memory: Memory) -> str:
    when = to_datetime(memory.ts)
    return f"{when:%Y-%m-%d}" if when else _UNDATED


def _paragraphs(memory: Memory) -> Iterator[str]:
    said, when = export_fields(memory), to_datetime(memory.ts)
    time = f", {when:%H:%M}" if when else ""
    pin = _PIN if memory.pinned else ""
    if memory.exchange is None:
        only = (
            f", only in {_escape_inline(conversation_name(memory))}"
            if memory.only_in_conversation
            else ""
        )
        yield f"\n**{memory.kind.value}**{only}{time}{pin}\n\n{_to_blockquote(said.note)}"
        return
    if said.user:
        user = _escape_inline(said.user_name) or "User"
        yield f"\n**{user}**{time}{pin}\n\n{_to_blockquote(said.user)}"
        time = pin = ""
    if said.assistant:
        name = _escape_inline(said.assistant_name) or "Assistant"
        yield f"\n**{name}**{time}{pin}\n\n{_to_blockquote(said.assistant)}"


def _escape_inline(text: str) -> str:
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def _to_blockquote(text: str) -> str:
    return "".join(f"> {line}\n" for line in _FETCHING_MARKUP.sub(r"\\\1", text).splitlines())
