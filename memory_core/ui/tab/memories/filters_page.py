"""The choices above the list: views, order, and filters with their numbers of memories."""

from collections.abc import Iterable, Sequence
from itertools import islice

from ....domain.records import Role
from ....storage.listing import NO_MONTH, ListedMemories, Order
from ..common.markup import escaped, folded
from ..common.wording import chat_name, month_name
from .cards import CardParts
from .list_state import ListState, ListView

_MAX_CHATS = 40
_ALL = ""

Choice = tuple[str, str]  # value, label


def filters_html(
    listed: ListedMemories, state: ListState, parts: CardParts, *, is_searching: bool
) -> str:
    """Returns the views on one line, the filters on the next, then the total."""
    total = escaped(_total(listed, state, parts, is_searching=is_searching))
    views = "".join(_view(view, state, parts) for view in ListView)
    group = escaped(parts.words["views"])
    filters = "".join(_filters(listed, state, parts, is_searching=is_searching))
    return (
        f'<div class="ltm-row ltm-views"><p class="ltm-total" role="status">{total}</p>'
        f'<div class="ltm-row" role="group" aria-label="{group}">{views}</div></div>'
        f'<div class="ltm-row ltm-filters">{filters}</div>'
    )


def _total(
    listed: ListedMemories, state: ListState, parts: CardParts, *, is_searching: bool
) -> str:
    if state.filters.forgotten:
        return parts.words("total_forgotten", count=listed.total)
    is_narrowed = is_searching or not state.filters.is_empty
    return parts.words("total_found" if is_narrowed else "total_all", count=listed.total)


def _view(view: ListView, state: ListState, parts: CardParts) -> str:
    return _pressed(
        parts.button("view", parts.words[f"view_{view}"], value=view), view is state.view
    )


def _filters(
    listed: ListedMemories, state: ListState, parts: CardParts, *, is_searching: bool
) -> Iterable[str]:
    words, chosen = parts.words, state.filters
    if not chosen.forgotten:
        kinds = [(kind.value, words[f"kind_{kind}"], count) for kind, count in listed.kinds.items()]
        if len(kinds) > 1 or chosen.kind:
            yield _menu("kind", _counted(kinds), chosen.kind or _ALL, parts)
        yield _menu("month", _counted(_months(listed, parts)), chosen.month, parts)
        yield _menu("chat", _counted(_chats(listed, parts)), chosen.chat, parts)
        if is_searching:
            speakers = [
                (role.value, words[f"said_by_{role}"]) for role in (Role.USER, Role.ASSISTANT)
            ]
            yield _menu("said_by", speakers, chosen.said_by or _ALL, parts)
        if listed.pinned or chosen.pinned:
            label = words("only_pinned", count=listed.pinned)
            yield _pressed(parts.button("filter", label, field="pinned"), chosen.pinned)
        yield _order_menu(state, parts, is_searching=is_searching)
    forgotten = parts.button("filter", words["only_forgotten"], field="forgotten")
    yield _pressed(forgotten, chosen.forgotten)
    if not chosen.is_empty:
        label = "leave_forgotten" if chosen.forgotten else "clear_filters"
        yield parts.button("clear", words[label])


def _months(listed: ListedMemories, parts: CardParts) -> list[tuple[str, str, int]]:
    newest = sorted((month for month in listed.months if month != NO_MONTH), reverse=True)
    return [(month, month_name(month, parts.words), listed.months[month]) for month in newest]


def _chats(listed: ListedMemories, parts: CardParts) -> list[tuple[str, str, int]]:
    largest = islice(listed.conversations.items(), _MAX_CHATS)
    return [(log, chat_name(log, parts.words), count) for log, count in largest]


def _counted(choices: Sequence[tuple[str, str, int]]) -> list[Choice]:
    return [(value, f"{label} ({count:,})") for value, label, count in choices]


def _menu(name: str, choices: Sequence[Choice], chosen: str, parts: CardParts) -> str:
    """Returns a filter as a fold with a button for each choice."""
    if not choices and not chosen:
        return ""
    words = parts.words
    buttons = [
        _pressed(parts.button("filter", label, field=name, value=value), value == chosen)
        for value, label in [(_ALL, words["filter_all"]), *choices]
    ]
    labels = dict(choices)
    title = words[f"filter_{name}"]
    value = labels.get(chosen, words["filter_chosen"])
    now = words("label_and_value", label=title, value=value) if chosen else title
    style = "ltm-menu ltm-on" if chosen else "ltm-menu"
    return _fold(now, buttons, style)


def _fold(title: str, buttons: Sequence[str], style: str = "ltm-menu") -> str:
    items = "".join(f"<li>{button}</li>" for button in buttons)
    return folded(title, f"<ul>{items}</ul>", style=style)


def _order_menu(state: ListState, parts: CardParts, *, is_searching: bool) -> str:
    words = parts.words
    impossible = set() if is_searching else {Order.BEST}
    impossible |= {Order.RECALLED} if parts.recalls is None else set()
    orders = [order for order in Order if order not in impossible]
    chosen = state.order or Order.NEWEST
    buttons = [
        _pressed(parts.button("order", words[f"order_{order}"], value=order), order is chosen)
        for order in orders
    ]
    if parts.recalls is None:
        buttons.append(f'<span class="ltm-muted">{escaped(words["recalls_not_counted"])}</span>')
    return _fold(words[f"order_{chosen}"], buttons)


def _pressed(button: str, is_pressed: bool) -> str:
    state = "true" if is_pressed else "false"
    return button.replace("<button ", f'<button aria-pressed="{state}" ', 1)
