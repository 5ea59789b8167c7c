"""The fold "About me": pinned memories, notes and statements, as quotes under plain headings."""

from collections.abc import Iterator, Sequence

from ....domain.records import Memory
from ....recall.about_user import AboutUser, Quote
from ..common.memory_text import day_text
from ..common.status import escaped
from .cards import CardParts
from .list_state import ABOUT

_MAX_ALWAYS = 12
_LONGEST_QUOTE = 240


def about_html(about: AboutUser | None, inside: str, parts: CardParts) -> str:
    """Returns the fold; it is closed for None. `inside` is an outcome or a form on top of it."""
    words = parts.words
    is_open = "false" if about is None else "true"
    label = words["about_show" if about is None else "about_hide"]
    toggle = parts.button("about", label).replace(
        "<button ", f'<button aria-expanded="{is_open}" ', 1
    )
    head = (
        f'<div class="ltm-row ltm-about-head"><h3>{escaped(words["about_me"])}</h3>{toggle}</div>'
    )
    body = "" if about is None else _body(about, parts)
    return f'<section class="ltm-card ltm-about">{head}{inside}{body}</section>'


def _body(about: AboutUser, parts: CardParts) -> str:
    if about.is_empty:
        return f'<p class="ltm-muted">{escaped(parts.words["about_empty"])}</p>'
    help_text = f'<p class="ltm-muted">{escaped(parts.words["about_help"])}</p>'
    return f'{help_text}<div class="ltm-about-groups">{"".join(_groups(about, parts))}</div>'


def _groups(about: AboutUser, parts: CardParts) -> Iterator[str]:
    words = parts.words
    if about.pinned:
        yield _group(words["about_pinned"], _memories(about.pinned, parts))
    if about.notes:
        yield _group(words["about_notes"], _memories(about.notes, parts))
    for subject, quotes in about.said.items():
        yield _group(words[f"about_{subject}"], [_quote(quote, parts) for quote in quotes])


def _group(title: str, items: Sequence[str]) -> str:
    return f"<div><h4>{escaped(title)}</h4><ul>{''.join(items)}</ul></div>"


def _memories(memories: Sequence[Memory], parts: CardParts) -> list[str]:
    newest = sorted(memories, key=lambda memory: -(memory.ts or 0.0))[:_MAX_ALWAYS]
    texts = (next(filter(None, memory.sides), "") for memory in newest)
    return [_line(text, memory, "", parts) for text, memory in zip(texts, newest, strict=True)]


def _quote(quote: Quote, parts: CardParts) -> str:
    times = parts.words("said_times", count=quote.times) if quote.times > 1 else ""
    return _line(quote.text, quote.memory, times, parts)


def _line(text: str, memory: Memory, times: str, parts: CardParts) -> str:
    words = parts.words
    short = " ".join(text.split())
    short = short if len(short) <= _LONGEST_QUOTE else f"{short[:_LONGEST_QUOTE]}…"
    facts = " · ".join(filter(None, (day_text(memory.ts, words), times)))
    named = {"aria_label": f"{words['do_edit']}: {short}"}
    edit = parts.button("edit", words["do_edit"], memory_id=memory.id, place=ABOUT, **named)
    named = {"aria_label": f"{words['do_forget']}: {short}"}
    forget = parts.button("forget", words["do_forget"], memory_id=memory.id, place=ABOUT, **named)
    return (
        f'<li><q>{escaped(short)}</q><span class="ltm-row ltm-quiet">'
        f'<span class="ltm-muted">{escaped(facts)}</span>{edit}{forget}</span></li>'
    )
