"""Memories as cards: quotes with their date, their chat and buttons for their actions.

The words of a search are marked in them.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from ....admin.exporters.row_fields import metadata_text
from ....domain.derivations import Derivation, Flag
from ....domain.records import Memory, MemoryKind
from ....text.locales import Words
from ..common.markup import escaped, folded, paragraph, text_area
from ..common.memory_text import clipped, marked, passage
from ..common.wording import memory_chat, moment_html, moment_text
from .chat_link import ChatLink, chat_button

LIST_ID = "ltm-memories"
_QUOTE, _LABEL = 260, 60  # characters
_LONGEST_TEXT, _LONGEST_DETAIL = 20_000, 2_000

_FLAGS = {
    Flag.FICTION: "fact_invented",
    Flag.ROLE_PLAY: "fact_invented",
    Flag.HYPOTHETICAL: "fact_supposed",
}

Button = Callable[..., str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardParts:
    """The parts of every card: words, buttons, the searched terms, and the link to chats.

    `recalls` has the number of recalls by memory id; None if they are not counted. `outdated` are
    the ids of facts that newer ones replaced, `doubted` those that wait for a decision.
    """

    words: Words
    button: Button
    terms: Collection[str] = ()
    chat: ChatLink | None = None
    recalls: Mapping[str, int] | None = None
    outdated: Collection[str] = ()
    doubted: Collection[str] = ()


def card(memory: Memory, index: int, parts: CardParts, *, is_ticked: bool = False) -> str:
    """Returns a live memory as a list item."""
    words, own = parts.words, {"memory_id": memory.id, "index": str(index)}
    pin = "unpin" if memory.pinned else "pin"
    buttons = [
        parts.button(pin, words[f"do_{pin}"], title=words[f"effect_{pin}"], **own),
        parts.button("edit", words["do_edit"], **own),
        parts.button("forget", words["do_forget"], title=words["effect_forget"], **own),
        chat_button(memory, parts.chat),
    ]
    return _item(memory, parts, _tick(memory, parts, is_ticked), buttons)


def forgotten_card(memory: Memory, index: int, parts: CardParts) -> str:
    """Returns a forgotten memory as a list item, whose only button restores it."""
    own = {"memory_id": memory.id, "index": str(index)}
    return _item(memory, parts, "", [parts.button("unforget", parts.words["unforget"], **own)])


def plain_card(memory: Memory, parts: CardParts, *, with_tick: bool) -> str:
    """Returns a memory as a list item without buttons."""
    return _item(memory, parts, _tick(memory, parts, True) if with_tick else "", [])


def edit_card(memory: Memory, place: Mapping[str, str], parts: CardParts) -> str:
    """Returns the form that edits a memory. `place` is its index, or the part of the page."""
    words, (user, character) = parts.words, memory.sides
    fields = [_field("user", words["you_said"] if memory.exchange else words["note"], user)]
    if memory.exchange is not None:
        fields.append(
            _field("character", words("they_said", name=_character(memory, words)), character)
        )
    own = {"memory_id": memory.id, **place}
    buttons = parts.button("save", words["save_edit"], style="primary", **own)
    buttons += parts.button("cancel", words["cancel"])
    return (
        f'<li class="ltm-card ltm-memory" data-ltm-form>{"".join(fields)}'
        f'<p class="ltm-muted">{escaped(words["edit_help"])}</p>{"".join(_details(memory, words))}'
        f'<div class="ltm-row">{buttons}</div></li>'
    )


def one_line(memory: Memory, words: Words) -> str:
    """Returns the beginning of a memory and its date, unescaped, as a name for a button."""
    short = clipped(next(filter(None, memory.sides), ""), _LABEL)
    return f"{short} · {moment_text(memory.ts, words)}"


def _item(memory: Memory, parts: CardParts, tick: str, buttons: Sequence[str]) -> str:
    quotes = "".join(chain(_quotes(memory, parts)))
    actions = (
        f'<div class="ltm-row ltm-quiet ltm-actions">{"".join(buttons)}</div>' if buttons else ""
    )
    return (
        f'<li class="ltm-card ltm-memory">{tick}<div class="ltm-memory-body">'
        f"{quotes}{_source(memory, parts)}{_full_text(memory, parts)}</div>{actions}</li>"
    )


def _tick(memory: Memory, parts: CardParts, is_ticked: bool) -> str:
    name = escaped(parts.words("tick_one", what=one_line(memory, parts.words)))
    checked = " checked" if is_ticked else ""
    return (
        f'<input type="checkbox" class="ltm-tick" value="{escaped(memory.id)}" '
        f'aria-label="{name}"{checked}>'
    )


def _quotes(memory: Memory, parts: CardParts) -> list[str]:
    user, character = memory.sides
    found = [_quote(user, "", parts, "ltm-quote-user")] if user.strip() else []
    if character.strip():
        speaker = parts.words("speaker", name=_character(memory, parts.words))
        found.append(_quote(character, speaker, parts, "ltm-quote-character"))
    return found


def _quote(text: str, speaker: str, parts: CardParts, style: str) -> str:
    name = f"<b>{escaped(speaker)}</b>{parts.words['sentence_gap']}" if speaker else ""
    return f'<p class="{style}">{name}<bdi>{passage(text, parts.terms, _QUOTE).html}</bdi></p>'


def _character(memory: Memory, words: Words) -> str:
    """Returns the character's name; an exchange of instruct mode has none."""
    return (memory.exchange and memory.exchange.assistant_name) or words["character_said"]


def _source(memory: Memory, parts: CardParts) -> str:
    words = parts.words
    facts = [moment_html(memory.ts, words), *map(escaped, _facts(memory, parts))]
    badge = f'<span class="ltm-badge">{escaped(words["pinned"])}</span> ' if memory.pinned else ""
    return f'<p class="ltm-muted ltm-source">{badge}{" · ".join(facts)}</p>'


def _facts(memory: Memory, parts: CardParts) -> list[str]:
    words = parts.words
    found = [] if memory.kind is MemoryKind.EXCHANGE else [words[f"kind_{memory.kind}"]]
    found += _fact_state(memory, parts.outdated, parts.doubted, words)
    if memory.only_in_conversation:
        found.append(words["only_this_chat"])
    chat = memory_chat(memory, words)
    found += [chat] if chat else []
    if memory.exchange is not None and memory.exchange.is_repeat:
        found.append(words["said_again"])
    if memory.sources:
        found.append(words("made_of", count=len(memory.sources)))
    if times := (parts.recalls or {}).get(memory.id):
        found.append(words("recalled_times", count=times))
    return found


def _full_text(memory: Memory, parts: CardParts) -> str:
    """Returns the full text in a fold, if the quotes are shortened."""
    both = [side for side in memory.sides if side.strip()]
    if all(len(side) <= _QUOTE and "\n" not in side.strip() for side in both):
        return ""
    texts = "".join(f"<p>{marked(side[:_LONGEST_TEXT], parts.terms)}</p>" for side in both)
    return folded(parts.words["show_all"], texts, style="ltm-whole")


def _details(memory: Memory, words: Words) -> Iterator[str]:
    """Yields a paragraph each on the channel and the metadata of an exchange."""
    exchange = memory.exchange
    if exchange is None:
        return
    values = {"channel": exchange.channel, "metadata": metadata_text(exchange.metadata)}
    for name, value in values.items():
        if text := " ".join(value.split())[:_LONGEST_DETAIL]:
            yield paragraph(words(f"detail_{name}", value=text), "ltm-muted")


def _field(name: str, label: str, value: str) -> str:
    rows = min(10, max(2, len(value) // 70 + value.count("\n") + 1))
    return text_area(name, label, value, rows=rows)


def _fact_state(
    memory: Memory, outdated: Collection[str], doubted: Collection[str], words: Words
) -> list[str]:
    """Returns the reasons why the memory is no plain fact.

    `outdated`: ids of replaced memories. `doubted`: ids of memories that await a decision.
    """
    derived = memory.derived
    if derived is None:
        return []
    found = [words[_FLAGS[derived.flag]]] if derived.flag else []
    if memory.id in outdated:
        found.append(words[_reason_outdated(memory, derived)])
    if memory.id in doubted:
        found.append(words["fact_in_doubt"])
    return found


def _reason_outdated(memory: Memory, derived: Derivation) -> str:
    if derived.never_held(memory.ts):
        return "fact_corrected"
    return "fact_repeats" if _is_repeat(memory, derived) else "reason_outdated"


def _is_repeat(memory: Memory, derived: Derivation) -> bool:
    """Returns whether the memory was only replaced as a repetition of another one."""
    return derived.valid_to is not None and derived.valid_to == memory.ts
