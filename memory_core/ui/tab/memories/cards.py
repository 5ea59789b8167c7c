"""Memories as cards: quotes with their date, their chat and the buttons of what can be done."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from ....admin.exporters.row_fields import metadata_text
from ....domain.records import Memory, MemoryKind
from ....text.locales import Words
from ....text.repeats import is_repeat
from ..common.status import escaped
from .changes import sides
from .chat_link import ChatLink
from .marks import marked, shortened
from .wording import memory_chat, moment

LIST_ID = "ltm-memories"
_QUOTE, _LABEL = 260, 60  # characters
_LONGEST_TEXT, _LONGEST_DETAIL = 20_000, 2_000

Button = Callable[..., str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ink:
    """The needs of all drawing: words, buttons, the searched terms, and the link to chats."""

    words: Words
    button: Button
    terms: Collection[str] = ()
    chat: ChatLink | None = None


def card(memory: Memory, index: int, ink: Ink, *, is_ticked: bool = False) -> str:
    """Returns a live memory as a list item."""
    words, own = ink.words, {"memory_id": memory.id, "index": str(index)}
    pin = "unpin" if memory.pinned else "pin"
    buttons = [
        ink.button(pin, words[f"do_{pin}"], **own),
        ink.button("edit", words["do_edit"], **own),
        ink.button("forget", words["do_forget"], **own),
        ink.chat.button(memory) if ink.chat else "",
    ]
    return _item(memory, ink, _tick(memory, ink, is_ticked), buttons)


def forgotten_card(memory: Memory, index: int, ink: Ink) -> str:
    """Returns a forgotten memory as a list item; it can only be brought back."""
    own = {"memory_id": memory.id, "index": str(index)}
    return _item(memory, ink, "", [ink.button("unforget", ink.words["unforget"], **own)])


def plain_card(memory: Memory, ink: Ink, *, with_tick: bool) -> str:
    """Returns a memory as a list item without buttons."""
    return _item(memory, ink, _tick(memory, ink, True) if with_tick else "", [])


def edit_card(memory: Memory, place: Mapping[str, str], ink: Ink) -> str:
    """Returns the form that edits a memory in its place: its index, or in another part."""
    words, (user, character) = ink.words, sides(memory)
    fields = [_field("user", words["you_said"] if memory.exchange else words["note"], user)]
    if memory.exchange is not None:
        fields.append(_field("character", words("they_said", name=_character(memory)), character))
    own = {"memory_id": memory.id, **place}
    buttons = ink.button("save", words["save_edit"], **own) + ink.button("cancel", words["cancel"])
    return (
        f'<li class="ltm-card ltm-memory" data-ltm-form>{"".join(fields)}'
        f'<p class="ltm-muted">{escaped(words["edit_help"])}</p>{"".join(_details(memory, words))}'
        f'<div class="ltm-row">{buttons}</div></li>'
    )


def one_line(memory: Memory, words: Words) -> str:
    """Returns the beginning of a memory and its date, unescaped, as a name for a button."""
    text = " ".join(next(filter(None, sides(memory)), "").split())
    short = text if len(text) <= _LABEL else f"{text[:_LABEL]}…"
    return f"{short} · {moment(memory.ts, words).text}"


def _item(memory: Memory, ink: Ink, tick: str, buttons: Sequence[str]) -> str:
    quotes = "".join(chain(_quotes(memory, ink)))
    actions = f'<div class="ltm-row ltm-actions">{"".join(buttons)}</div>' if buttons else ""
    return (
        f'<li class="ltm-card ltm-memory">{tick}<div class="ltm-memory-body">'
        f"{quotes}{_source(memory, ink.words)}{_whole(memory, ink)}</div>{actions}</li>"
    )


def _tick(memory: Memory, ink: Ink, is_ticked: bool) -> str:
    name = escaped(ink.words("tick_one", what=one_line(memory, ink.words)))
    checked = " checked" if is_ticked else ""
    return (
        f'<input type="checkbox" class="ltm-tick" value="{escaped(memory.id)}" '
        f'aria-label="{name}"{checked}>'
    )


def _quotes(memory: Memory, ink: Ink) -> list[str]:
    user, character = sides(memory)
    found = [_quote(user, "", ink, "ltm-quote-user")] if user.strip() else []
    if character.strip():
        speaker = f"{_character(memory)}: "
        found.append(_quote(character, speaker, ink, "ltm-quote-character"))
    return found


def _quote(text: str, speaker: str, ink: Ink, style: str) -> str:
    name = f"<b>{escaped(speaker)}</b>" if speaker else ""
    return f'<p class="{style}">{name}{shortened(text, _QUOTE, ink.terms)}</p>'


def _character(memory: Memory) -> str:
    return memory.exchange.assistant_name if memory.exchange else ""


def _source(memory: Memory, words: Words) -> str:
    when = moment(memory.ts, words)
    parts = [f'<time datetime="{escaped(when.iso)}">{escaped(when.text)}</time>']
    parts += [escaped(part) for part in _facts(memory, words)]
    badge = f'<span class="ltm-badge">{escaped(words["pinned"])}</span> ' if memory.pinned else ""
    return f'<p class="ltm-muted ltm-source">{badge}{" · ".join(parts)}</p>'


def _facts(memory: Memory, words: Words) -> list[str]:
    found = [] if memory.kind is MemoryKind.EXCHANGE else [words[f"kind_{memory.kind}"]]
    if memory.only_in_conversation:
        found.append(words["only_this_chat"])
    chat = memory_chat(memory, words)
    found += [chat] if chat else []
    if memory.exchange is not None and is_repeat(memory.exchange):
        found.append(words["said_again"])
    if memory.sources:
        found.append(words("made_of", count=len(memory.sources)))
    return found


def _whole(memory: Memory, ink: Ink) -> str:
    """Returns the unshortened text in a fold, if the quotes leave something out."""
    both = [side for side in sides(memory) if side.strip()]
    if all(len(side) <= _QUOTE and "\n" not in side.strip() for side in both):
        return ""
    texts = "".join(f"<p>{marked(side[:_LONGEST_TEXT], ink.terms)}</p>" for side in both)
    title = escaped(ink.words["show_all"])
    return f'<details class="ltm-whole"><summary>{title}</summary>{texts}</details>'


def _details(memory: Memory, words: Words) -> Iterator[str]:
    """Yields a paragraph each on the channel and the metadata of an exchange."""
    exchange = memory.exchange
    if exchange is None:
        return
    values = {"channel": exchange.channel, "metadata": metadata_text(exchange.metadata)}
    for name, value in values.items():
        if text := " ".join(value.split())[:_LONGEST_DETAIL]:
            yield f'<p class="ltm-muted">{escaped(words(f"detail_{name}", value=text))}</p>'


def _field(name: str, label: str, value: str) -> str:
    rows = min(10, max(2, len(value) // 70 + value.count("\n") + 1))
    return (
        f'<label class="ltm-field">{escaped(label)}'
        f'<textarea name="{name}" rows="{rows}">\n{escaped(value)}</textarea></label>'
    )
