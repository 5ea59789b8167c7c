"""Shows a memory to people: its passages with the words that matched, its day, its chat."""

import html
import re
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from ....domain.namespaces import Namespace, decode
from ....domain.records import Memory
from ....domain.unicode import well_formed
from ....memory.long_term_memory import LongTermMemory
from ....storage.log.diff import KnownExchange
from ....storage.store import MemoryStore
from ....text.excerpts import excerpt
from ....text.locales import Words
from ....text.search_terms import simplified, terms
from ....text.topics import lexicon_of

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")  # noqa: RUF001
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af\u0e00-\u0e7f]")
_HOST_CODE = re.compile(r"(\d{4})(\d\d)(\d\d)-\d\d-\d\d-\d\d")
_CODE = re.compile(r"(?:h-)?[0-9a-f-]{16,}", re.IGNORECASE)
_MAX_TITLE_CHARS = 48
_EVERYDAY = frozenset("我你您他她它们的了是在有和跟对也都就还不很这那哪什么吗呢吧啊过把被给让")
_WORD_AND_A_HALF = 3  # characters

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A part of a text as HTML with the matching words marked, and those words."""

    html: str
    matched: tuple[str, ...] = ()


def edited_fields(memory: Memory, user: str, character: str) -> dict[str, str]:
    """Returns the fields that LongTermMemory.edit takes for these two sides."""
    return {"user": user, "assistant": character} if memory.exchange else {"text": user}


def passage(text: str, wanted: Collection[str], limit: int) -> Passage:
    """Returns the part of the text with most of the search terms `wanted`."""
    shown = excerpt(" ".join(well_formed(text).split()), limit, words=frozenset(wanted))
    joined = _joined_spans(_matching_spans(simplified(shown), frozenset(wanted)))
    spans = [span for whole in joined for span in _readable_spans(shown, whole)]
    pieces, last = [], 0
    for start, end in spans:
        pieces += [html.escape(shown[last:start]), f"<mark>{html.escape(shown[start:end])}</mark>"]
        last = end
    matched = dict.fromkeys(shown[start:end].casefold() for start, end in spans)
    return Passage(html="".join([*pieces, html.escape(shown[last:])]), matched=tuple(matched))


def _matching_spans(text: str, wanted: frozenset[str]) -> Iterable[Span]:
    for found in _WORD.finditer(text):
        if _HAN.search(found.group()):
            for left, right in pairwise(range(*found.span())):
                if text[left : right + 1] in wanted:
                    yield left, right + 1
        elif not wanted.isdisjoint(terms(found.group())):
            yield found.span()


def _readable_spans(text: str, span: Span) -> list[Span]:
    """Returns the readable parts of a match of neighbouring characters.

    Everyday characters alone are dropped. Three characters may be a known word and half of another
    one, as the last three of 水果过敏; else they stay whole.
    """
    start, end = span
    if not _HAN.match(text, start):
        return [span]
    if _EVERYDAY.issuperset(text[start:end]):
        return []
    if end - start != _WORD_AND_A_HALF:
        return [span]
    halves = ((start, end - 1), (start + 1, end))
    known = lexicon_of("zh")
    inside = [half for half in halves if text[slice(*half)] in known]
    return inside if len(inside) == 1 else [span]


def _joined_spans(spans: Iterable[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, end in spans:
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def clipped(text: str, limit: int) -> str:
    """Returns the text in one line: its first `limit` characters, and "…" in place of the rest."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[:limit]}…"


def day_text(ts: float | None, words: Words) -> str:
    """Returns a day as people write it in this language: 12 March 2026."""
    try:
        day = time.localtime(ts) if ts is not None else None
    except (OverflowError, OSError, ValueError):  # an imported time far outside the calendar
        day = None
    if day is None:
        return words["day_unknown"]
    month = words[f"month_{day.tm_mon}"]
    return words("day_text", day=day.tm_mday, month=month, year=day.tm_year)


def time_html(ts: float | None, words: Words) -> str:
    """Returns the day as a `time` element."""
    shown = html.escape(day_text(ts, words))
    if ts is None or shown == html.escape(words["day_unknown"]):
        return f"<span>{shown}</span>"
    stamp = time.strftime("%Y-%m-%dT%H:%M", time.localtime(ts))
    return f'<time datetime="{stamp}">{shown}</time>'


def chat_titles(
    memory: LongTermMemory, namespace: Namespace, logs: Iterable[str]
) -> dict[str, str]:
    """Returns log → the name that people gave this chat, else its first words; "" for neither."""
    names = {log: _given_name(decode(log) or log) for log in set(logs) if log}
    nameless = [log for log, name in names.items() if not name]
    return names | _first_words(memory, namespace, nameless)


def _given_name(conversation: str) -> str:
    """Returns a chat's name, or "" for the code that a host gives to unnamed chats."""
    name = conversation.rpartition("/")[0] or conversation  # behind it: which of two of that name
    is_code = _HOST_CODE.fullmatch(name) or _CODE.fullmatch(name)
    return "" if is_code else well_formed(name)


def _first_words(
    memory: LongTermMemory, namespace: Namespace, logs: Sequence[str]
) -> dict[str, str]:
    if not logs:
        return {}
    with memory.open_namespace(namespace) as opened:
        first = opened.query(partial(_first_exchanges, logs=logs))
    ids = [exchange.id for exchanges in first.values() for exchange in exchanges]
    records = memory.get_records(namespace, ids)
    titles = {}
    for log, exchanges in first.items():
        said = (records[one.id].memory.sides[0] for one in exchanges if one.id in records)
        titles[log] = excerpt(" ".join(next(filter(None, said), "").split()), _MAX_TITLE_CHARS)
    return titles


def _first_exchanges(store: MemoryStore, logs: Iterable[str]) -> dict[str, list[KnownExchange]]:
    return {log: store.catalog.known_exchanges(log)[:3] for log in logs}
