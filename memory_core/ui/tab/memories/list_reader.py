"""Reads the contents of the room: a page of the list, forgotten ones, and the parts around them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ....domain.namespaces import Namespace
from ....domain.records import Memory
from ....host.hooks import Hooks
from ....memory.browse import about_user, browse, typed_query
from ....memory.doubts import Doubts
from ....memory.meaning_map import MAX_POINTS, meaning_map
from ....memory.recall_counts import read_counts
from ....recall.derived_memories import outdated_ids
from ....storage.listing import ListedMemories, ListQuery, Order
from ....storage.log.projection import MemoryRecord, MemoryStatus
from ....text.locales import Words
from ....text.search_terms import terms
from ..common import retention_preview, visible_namespaces
from ..common.markup import paragraph
from ..common.wording import undo_minutes
from .about_page import about_html
from .ask import ask_offer_html
from .cards import Button, CardParts, edit_card
from .chat_link import chat_link
from .filters_page import filters_html
from .list_page import PageContent, list_html, notice_html
from .list_state import ABOUT, PAGE_SIZE, ListState, ListView, OpenForm
from .views_page import map_html, timeline_html

_LONGEST_SEARCH = 1_000
_NOTHING = ListedMemories(memories=(), total=0, months={}, kinds={}, pinned=0, conversations={})


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewpoint:
    """A visitor's view of the list: the namespace, the search, and the targets of a move.

    `is_chat_open`: the chat that is open on the page is one of this namespace.
    """

    namespace: Namespace
    search: str
    targets: Sequence[Namespace]
    words: Words
    button: Button
    is_chat_open: bool = False


def room_html(hooks: Hooks, view: Viewpoint, state: ListState) -> str:
    """Returns the whole room as HTML."""
    text = view.search[:_LONGEST_SEARCH].strip()
    recalls = read_counts(view.namespace.folder(hooks.runtime.memory.root))
    query = replace(_query(hooks, view, state), recalls=recalls or {})
    link = chat_link(hooks, view.namespace, view.words, is_open=view.is_chat_open)
    found = frozenset(word for group in query.words for word in group)
    parts = CardParts(words=view.words, button=view.button, terms=found, chat=link, recalls=recalls)
    listed = _listed(hooks, view, state, query)
    parts = replace(
        parts,
        outdated=_outdated(hooks, view, listed.memories),
        doubted=_doubted(hooks, view, listed.memories),
    )
    drawn = replace(state, order=query.order)
    filters = filters_html(listed, drawn, parts, is_searching=bool(text))
    asked = live_memories(hooks, view.namespace, state.asked_about)
    also = live_memories(hooks, view.namespace, state.notice.also) if state.notice else []
    about = ask_offer_html(text, view.words)
    about += _about_html(hooks, view, state, parts, asked, also)
    if state.view is ListView.TIMELINE:
        return f"{about}{filters}{timeline_html(listed.months, parts)}"
    content = PageContent(
        listed=listed,
        also=also,
        asked_about=asked,
        targets=_targets(view),
        is_searching=bool(text),
        undo_minutes=undo_minutes(hooks.runtime),
    )
    if state.view is ListView.MAP:
        return f"{about}{filters}{_map(hooks, view, state, content, parts)}"
    preview = retention_preview.removed_text(hooks.runtime, view.namespace, view.words)
    return f"{about}{filters}{paragraph(preview)}{list_html(content, state, parts)}"


def _query(hooks: Hooks, view: Viewpoint, state: ListState) -> ListQuery:
    query, text = state.query(), view.search[:_LONGEST_SEARCH]
    if not text.strip():
        order = Order.NEWEST if query.order is Order.BEST else query.order
        return replace(query, said_by=None, order=order)
    found = typed_query(hooks.runtime.memory, view.namespace, text, query)
    return found if state.order else replace(found, order=Order.BEST)


def _listed(hooks: Hooks, view: Viewpoint, state: ListState, query: ListQuery) -> ListedMemories:
    if not state.filters.forgotten:
        return browse(hooks.runtime.memory, view.namespace, query)
    forgotten = hooks.runtime.memory.forgotten(view.namespace)
    records = sorted(forgotten, key=lambda record: -(record.forgotten_at or 0.0))
    found = [record.memory for record in records if _matches(record, query.words)]
    page = found[query.offset : query.offset + PAGE_SIZE]
    return replace(_NOTHING, memories=page, total=len(found))


def _outdated(hooks: Hooks, view: Viewpoint, memories: Sequence[Memory]) -> frozenset[str]:
    """Returns the ids of those that a newer memory replaced."""
    replaced = [one for one in memories if one.derived and one.derived.superseded_by]
    if not replaced:
        return frozenset()
    with hooks.runtime.memory.open_namespace(view.namespace) as opened:
        return outdated_ids(opened.records, replaced, None)


def _doubted(hooks: Hooks, view: Viewpoint, memories: Sequence[Memory]) -> frozenset[str]:
    """Returns the ids of the pairs that wait for a decision, if one of these may be in doubt."""
    if not any(one.derived and one.derived.in_doubt_with for one in memories):
        return frozenset()
    pairs = Doubts(hooks.runtime.memory).open(view.namespace)
    return frozenset(one.id for pair in pairs for one in (pair.first, pair.second))


def _matches(record: MemoryRecord, groups: Sequence[Collection[str]]) -> bool:
    known = frozenset(terms(record.memory.text))
    return all(not known.isdisjoint(group) for group in groups)


def live_memories(hooks: Hooks, namespace: Namespace, ids: Sequence[str]) -> list[Memory]:
    """Returns the memories with these ids that are live and in this namespace."""
    if not ids:
        return []
    with hooks.runtime.memory.open_namespace(namespace) as opened:
        records = opened.query(lambda store: store.catalog.get(list(ids)))
    known = (records[memory_id] for memory_id in dict.fromkeys(ids) if memory_id in records)
    return [record.memory for record in known if record.status is MemoryStatus.LIVE]


def _targets(view: Viewpoint) -> dict[str, str]:
    return {
        visible_namespaces.namespace_key(space): visible_namespaces.character_label(
            space, view.words
        )
        for space in view.targets
    }


def _about_html(
    hooks: Hooks,
    view: Viewpoint,
    state: ListState,
    parts: CardParts,
    asked: Sequence[Memory],
    also: Sequence[Memory],
) -> str:
    """Returns the fold "About me"; nothing beside the results of a search."""
    if view.search.strip() and not state.about_open:
        return ""
    inside = ""
    if state.notice is not None and state.notice.is_in_about:
        inside = notice_html(state.notice, also, parts)
    if state.open_form is OpenForm.EDIT and state.is_asked_in_about:
        forms = "".join(edit_card(memory, {"place": ABOUT}, parts) for memory in asked)
        inside += f'<ul class="ltm-list">{forms}</ul>'
    about = about_user(hooks.runtime.memory, view.namespace)
    return about_html(about, inside, parts, is_open=state.about_open)


def _map(
    hooks: Hooks, view: Viewpoint, state: ListState, content: PageContent, parts: CardParts
) -> str:
    memory = hooks.runtime.memory
    if memory.embedder is None:
        return paragraph(view.words["map_no_model"])
    query = replace(_query(hooks, view, state), limit=MAX_POINTS * 4, offset=0)
    is_narrowed = content.is_searching or not state.filters.is_empty
    found = browse(memory, view.namespace, query).memories if is_narrowed else None
    ids = None if found is None else {one.id for one in found}
    drawn = map_html(meaning_map(memory, view.namespace), ids, parts)
    opened = live_memories(hooks, view.namespace, [state.opened] if state.opened else [])
    listed = replace(_NOTHING, memories=opened, total=len(opened))
    if not opened and state.notice is None:
        return drawn
    return list_html(replace(content, listed=listed), state, parts) + drawn
