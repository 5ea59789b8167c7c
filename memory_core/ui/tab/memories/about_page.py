"""The fold "About me": pinned memories, notes and statements, as quotes under plain headings."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ....domain.records import Memory
from ....recall.about_user import AboutUser, Quote
from ..common.markup import escaped
from ..common.memory_text import clipped
from ..common.wording import day_text
from .cards import CardParts
from .list_state import ABOUT

_MAX_ALWAYS = 12
_MAX_PREVIEW = 4
_LONGEST_QUOTE = 240


def about_html(about: AboutUser, inside: str, parts: CardParts, *, is_open: bool) -> str:
    """Returns the fold; a closed one shows some quotes in a line.

    `inside` is an outcome or a form on top of it.
    """
    about = _without_repeats(about)
    head, body = [f"<h3>{escaped(parts.words['about_me'])}</h3>"], ""
    if about.is_empty:
        head.append(_beside(escaped(parts.words["about_empty"])))
    elif is_open:
        head.append(_beside(escaped(parts.words["about_help"])))
        body = f'<div class="ltm-about-groups">{"".join(_groups(about, parts))}</div>'
    else:
        head.append(_beside(_preview(about), "ltm-about-preview"))
    if is_open or not about.is_empty:
        head.append(_toggle(parts, is_open=is_open))
    row = f'<div class="ltm-row ltm-about-head">{"".join(head)}</div>'
    return f'<section class="ltm-card ltm-about">{row}{inside}{body}</section>'


def _without_repeats(about: AboutUser) -> AboutUser:
    """Leaves out quotes of pinned memories, and of messages that a note was made of."""
    pinned = {memory.id for memory in about.pinned}
    notes = list(filter(None, map(_text, about.notes)))
    said = {
        subject: [
            quote
            for quote in quotes
            if quote.memory.id not in pinned and not any(note in quote.text for note in notes)
        ]
        for subject, quotes in about.said.items()
    }
    return replace(about, said={subject: quotes for subject, quotes in said.items() if quotes})


def _beside(content: str, style: str = "") -> str:
    return f'<p class="ltm-muted ltm-about-line {style}">{content}</p>'


def _toggle(parts: CardParts, *, is_open: bool) -> str:
    label = parts.words["about_hide" if is_open else "about_show"]
    expanded = f'<button aria-expanded="{str(is_open).lower()}" '
    return parts.button("about", label).replace("<button ", expanded, 1)


def _preview(about: AboutUser) -> str:
    """Returns pinned memories, notes and the newest quote of each subject, for one line."""
    said = sorted(
        (quotes[0] for quotes in about.said.values()), key=lambda quote: -(quote.memory.ts or 0.0)
    )
    always = [_text(memory) for memory in (*about.pinned, *about.notes)]
    texts = [*always, *(quote.text for quote in said)][:_MAX_PREVIEW]
    return " · ".join(f"<q>{escaped(clipped(text, _LONGEST_QUOTE))}</q>" for text in texts)


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
    return [_line(_text(memory), memory, "", parts) for memory in newest]


def _text(memory: Memory) -> str:
    return next(filter(None, memory.sides), "")


def _quote(quote: Quote, parts: CardParts) -> str:
    times = parts.words("said_times", count=quote.times) if quote.times > 1 else ""
    return _line(quote.text, quote.memory, times, parts)


def _line(text: str, memory: Memory, times: str, parts: CardParts) -> str:
    words, short = parts.words, clipped(text, _LONGEST_QUOTE)
    facts = " · ".join(filter(None, (day_text(memory.ts, words), times)))
    own = {"memory_id": memory.id, "place": ABOUT}
    edit, forget = (
        parts.button(
            name, label, aria_label=words("label_and_value", label=label, value=short), **own
        )
        for name, label in (("edit", words["do_edit"]), ("forget", words["do_forget"]))
    )
    return (
        f'<li><q>{escaped(short)}</q><span class="ltm-row ltm-quiet">'
        f'<span class="ltm-muted">{escaped(facts)}</span>{edit}{forget}</span></li>'
    )
