"""The list of memories as a page: filters, bulk actions, the outcome of an action, and cards."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ....domain.records import Memory
from ....storage.listing import ListedMemories
from ....text.locales import Words
from ..common.markup import escaped, folded, paragraph, text_area
from ..common.wording import undo_text
from .cards import LIST_ID, CardParts, card, edit_card, forgotten_card, plain_card
from .list_state import ABOUT, PAGE_SIZE, ListState, Notice, OpenForm

ALSO_ID = "ltm-also"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContent:
    """A page of the list with the parts around it.

    `also` are memories that are similar to those just forgotten, `asked_about` those of an open
    question. `targets` maps key → label of the namespaces to which memories may move. A forgotten
    memory can be brought back for `undo_minutes`.
    """

    listed: ListedMemories
    also: Sequence[Memory] = ()
    asked_about: Sequence[Memory] = ()
    targets: Mapping[str, str] = field(default_factory=dict)
    is_searching: bool = False
    undo_minutes: int = 0


def list_html(content: PageContent, state: ListState, parts: CardParts) -> str:
    """Returns the bulk actions, the cards and the buttons that turn pages."""
    is_forgotten = state.filters.forgotten
    items = list(_items(content.listed.memories, state, parts))
    notice = state.notice
    if notice is not None and not notice.is_in_about:
        shown = f'<li class="ltm-notice-item">{notice_html(notice, content.also, parts)}</li>'
        items.insert(min(notice.index, len(items)), shown)
    bar = (
        _forgotten_bar(content, state, parts) if is_forgotten else _bulk_bar(content, state, parts)
    )
    empty = "" if content.listed.memories else _empty(content, state, parts.words)
    question = merge_form(content.asked_about, parts) if state.open_form is OpenForm.MERGE else ""
    return (
        f'<div id="{LIST_ID}">{bar}{question}<ol class="ltm-list">{"".join(items)}</ol>'
        f"{empty}{_pager(content.listed.total, state, parts)}</div>"
    )


def _items(memories: Sequence[Memory], state: ListState, parts: CardParts) -> Iterator[str]:
    is_editing = state.open_form is OpenForm.EDIT and not state.is_asked_in_about
    edited = state.asked_about if is_editing else ()
    for index, memory in enumerate(memories):
        if state.filters.forgotten:
            yield forgotten_card(memory, index, parts)
        elif memory.id in edited:
            yield edit_card(memory, {"index": str(index)}, parts)
        else:
            is_ticked = state.all_ticked or memory.id in state.asked_about
            yield card(memory, index, parts, is_ticked=is_ticked)


def notice_html(notice: Notice, also: Sequence[Memory], parts: CardParts) -> str:
    """Returns the outcome of an action with its undo, and others that could be forgotten."""
    place = _place(notice)
    undo = parts.button("undo", parts.words["undo"], **place) if notice.undo else ""
    offer = _offer(notice, also, parts) if also else ""
    return (
        f'<div class="ltm-notice" role="status"><div class="ltm-row">'
        f"<span>{escaped(notice.text)}</span>{undo}</div>{offer}</div>"
    )


def _place(notice: Notice) -> dict[str, str]:
    return {"index": str(notice.index)} | ({"place": ABOUT} if notice.is_in_about else {})


def _offer(notice: Notice, also: Sequence[Memory], parts: CardParts) -> str:
    words = parts.words
    items = "".join(plain_card(memory, parts, with_tick=True) for memory in also)
    yes = parts.button("forget_also", words["forget_these"], list_id=ALSO_ID, **_place(notice))
    question = escaped(words("others_mention", count=len(also)))
    return (
        f'<p>{question}</p><details id="{ALSO_ID}"><summary>{escaped(words["show_them"])}</summary>'
        f'<ul class="ltm-list">{items}</ul></details><div class="ltm-row">{yes}</div>'
    )


def _bulk_bar(content: PageContent, state: ListState, parts: CardParts) -> str:
    if not content.listed.memories:
        return ""
    words = parts.words
    value, label = ("no", "untick_all") if state.all_ticked else ("yes", "tick_all")
    tick = parts.button("tick_all", words[label], value=value)
    names = ("pin", "unpin", "forget", "merge", "export")
    buttons = [parts.button(name, words[f"do_{name}"], list_id=LIST_ID) for name in names]
    return (
        f'<div class="ltm-row ltm-bulk">{tick}'
        f'<span class="ltm-muted ltm-bulk-hint">{escaped(words["tick_hint"])}</span>'
        f'<div class="ltm-row ltm-bulk-actions" role="group" '
        f'aria-label="{escaped(words["with_ticked"])}"><span>{escaped(words["with_ticked"])}</span>'
        f"{''.join(buttons)}{_move_menu(content.targets, parts)}</div></div>"
    )


def _move_menu(targets: Mapping[str, str], parts: CardParts) -> str:
    if not targets:
        return ""
    items = "".join(
        f"<li>{parts.button('move', label, target=key, list_id=LIST_ID)}</li>"
        for key, label in targets.items()
    )
    return folded(parts.words["do_move"], f"<ul>{items}</ul>", style="ltm-menu")


def _forgotten_bar(content: PageContent, state: ListState, parts: CardParts) -> str:
    words, count = parts.words, content.listed.total
    if not count:
        return ""
    if state.open_form is OpenForm.ERASE:
        sure = escaped(words("erase_sure", count=count))
        buttons = parts.button("erase", words["erase_yes"]) + parts.button(
            "cancel", words["cancel"]
        )
        return f'<div class="ltm-notice" role="alert"><p>{sure}</p>{buttons}</div>'
    button = parts.button("erase_ask", words["erase_now"])
    help_text = escaped(undo_text(words, content.undo_minutes, "forgotten_help"))
    return f'<div class="ltm-row ltm-bulk"><span class="ltm-muted">{help_text}</span>{button}</div>'


def merge_form(memories: Sequence[Memory], parts: CardParts) -> str:
    """Returns the form in which the text of the merged note is written."""
    words = parts.words
    text = "\n".join(dict.fromkeys(memory.sides[0].strip() for memory in memories))
    buttons = parts.button("merge_save", words["merge_now"], list_id=LIST_ID, style="primary")
    buttons += parts.button("cancel", words["cancel"])
    return (
        f'<div class="ltm-card" data-ltm-form><h3>{escaped(words["merge_title"])}</h3>'
        f'<p class="ltm-muted">{escaped(words("merge_help", count=len(memories)))}</p>'
        f"{text_area('text', words['merge_text'], text, rows=4)}"
        f'<div class="ltm-row">{buttons}</div></div>'
    )


def _empty(content: PageContent, state: ListState, words: Words) -> str:
    if state.filters.forgotten and not content.is_searching:
        text = undo_text(words, content.undo_minutes, "none_forgotten")
        return paragraph(text, "ltm-empty")
    if not state.filters.is_empty:
        key = "none_found"
    elif content.is_searching:
        key = "none_found_words"
    else:
        key = "nobody"
    return paragraph(words[key], "ltm-empty")


def _pager(total: int, state: ListState, parts: CardParts) -> str:
    """Returns the buttons that turn pages; nothing if one page holds all."""
    if total <= PAGE_SIZE:
        return ""
    words, page, last = parts.words, state.page, (total - 1) // PAGE_SIZE
    first = page * PAGE_SIZE + 1
    shown = words("shown_of", first=first, last=min(total, first + PAGE_SIZE - 1), total=total)
    before = parts.button("page", words["page_before"], value=str(page - 1)) if page else ""
    after = parts.button("page", words["page_after"], value=str(page + 1)) if page < last else ""
    return (
        f'<nav class="ltm-row ltm-pager" aria-label="{escaped(words["pages"])}">'
        f"{before}<span>{escaped(shown)}</span>{after}</nav>"
    )
