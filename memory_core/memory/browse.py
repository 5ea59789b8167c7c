"""Lists memories and sessions for people, also while they are still typing a search.

Exchanges are read by conversation and channel.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..domain.namespaces import Namespace, decode, encode
from ..domain.records import Memory, MemoryKind
from ..domain.unicode import normalised
from ..recall.about_user import AboutUser, collect_about_user
from ..recall.derived_memories import outdated_ids
from ..storage.contract import FullTextIndex
from ..storage.listing import ListedMemories, ListQuery, Order, SessionQuery, SessionSpan
from ..text.search_terms import terms
from .long_term_memory import LongTermMemory

_MAX_COMPLETIONS = 100
_SHORTEST_PREFIX = 2  # letters; too many words begin with a single one
_MAX_DROPPED, _SHORTEST_STEM = 3, 3  # "runnin" has to find "run" before the g is typed
_LAST_WORD = re.compile(r"\w+$")

WordGroup = tuple[str, ...]
_PAGE = 500
_EXCHANGES = frozenset({MemoryKind.EXCHANGE})


def browse(memory: LongTermMemory, namespace: Namespace, query: ListQuery) -> ListedMemories:
    """Returns a page of the live memories with its counts."""
    with memory.open_namespace(namespace) as opened:
        found = opened.query(lambda store: store.list_memories(query))
        hidden = opened.hidden_ids()
    kept = [entry for entry in found.memories if entry.id not in hidden]
    return replace(found, memories=kept)


def about_user(memory: LongTermMemory, namespace: Namespace) -> AboutUser:
    """Returns the user's statements about themselves in this namespace, without replaced notes."""
    with memory.open_namespace(namespace) as opened:
        found = opened.query(collect_about_user)
        replaced = outdated_ids(opened.records, (*found.pinned, *found.notes), None)
        hidden = opened.hidden_ids() | replaced
    if not hidden:
        return found
    said = {
        subject: [quote for quote in quotes if quote.memory.id not in hidden]
        for subject, quotes in found.said.items()
    }
    return AboutUser(
        pinned=[one for one in found.pinned if one.id not in hidden],
        notes=[one for one in found.notes if one.id not in hidden],
        said={subject: quotes for subject, quotes in said.items() if quotes},
    )


def typed_query(
    memory: LongTermMemory, namespace: Namespace, text: str, query: ListQuery
) -> ListQuery:
    """Returns the query narrowed to memories with all words of a search.

    The last word may be unfinished: all words that begin with it count.
    """
    with memory.open_namespace(namespace) as opened:
        groups = opened.query(lambda store: tuple(_word_groups(store.fulltext, text)))
    return replace(query, words=tuple(dict.fromkeys(groups)))


def _word_groups(fulltext: FullTextIndex, text: str) -> Iterator[WordGroup]:
    found = terms(text)
    if not found or not _LAST_WORD.search(text):  # the last word is finished
        yield from ((word,) for word in found)
        return
    last = _LAST_WORD.findall(normalised("NFKC", text).casefold())[-1]
    if not terms(last):  # a function word such as "the"
        yield from ((word,) for word in found)
        return
    yield from ((word,) for word in found[:-1])
    yield _completions(fulltext, found[-1], last)


def _completions(fulltext: FullTextIndex, term: str, letters: str) -> WordGroup:
    """Returns the term and those that begin with these letters, or with fewer if there are none."""
    begun = letters if letters.isascii() else term
    if begun.isascii() and len(begun) < _SHORTEST_PREFIX:
        return (term,)
    known = fulltext.terms_with_prefix(begun, limit=_MAX_COMPLETIONS)
    is_known = bool(known or fulltext.terms_with_prefix(term, limit=1))
    for dropped in range(1, _MAX_DROPPED + 1):
        if is_known or not begun.isascii() or len(begun) - dropped < _SHORTEST_STEM:
            break
        known = fulltext.terms_with_prefix(begun[:-dropped], limit=_MAX_COMPLETIONS)
        is_known = bool(known)
    return tuple(dict.fromkeys([term, *known]))


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """A conversation of one owner. `conversation` is its own name, or that of its `log`.

    `first` and `last` are in seconds since the epoch, None if unknown.
    """

    namespace: Namespace
    conversation: str
    log: str
    first: float | None
    last: float | None
    count: int
    channel: str


def get_sessions(
    memory: LongTermMemory, namespaces: Iterable[Namespace], query: SessionQuery
) -> list[SessionInfo]:
    """Returns the conversations of these namespaces, the latest first."""
    found = [
        _info(space, span)
        for space in dict.fromkeys(map(memory.resolve, namespaces))
        if memory.shared.namespaces.has(space)
        for span in _spans(memory, space, query)
    ]
    return sorted(found, key=lambda session: session.last or 0.0, reverse=True)


def latest_of_each_user(sessions: Iterable[SessionInfo]) -> list[SessionInfo]:
    """Returns the first session of each user, in the given order."""
    found: dict[str, SessionInfo] = {}
    for session in sessions:
        found.setdefault(session.namespace.user, session)
    return list(found.values())


def history(
    memory: LongTermMemory,
    namespace: Namespace,
    query: SessionQuery,
    *,
    conversation: str = "",
    order: Order = Order.OLDEST,
) -> Iterator[Memory]:
    """Yields the exchanges of a conversation, or of all, the oldest or the newest first.

    Reads them in parts, as far as they are wanted. Opens nothing for an unknown conversation.
    """
    log = encode(conversation) if conversation else ""
    if not (memory.has_log(namespace, log) if log else memory.has_namespace(namespace)):
        return
    wanted = ListQuery(
        kinds=_EXCHANGES,
        conversation=log,
        channel=query.channel,
        since=query.since,
        until=query.until,
        order=Order.OLDEST,
        limit=_PAGE,
    )
    total = browse(memory, namespace, replace(wanted, limit=0)).total
    offsets = range(0, total, _PAGE)
    for offset in reversed(offsets) if order is Order.NEWEST else offsets:
        page = browse(memory, namespace, replace(wanted, offset=offset)).memories
        yield from reversed(page) if order is Order.NEWEST else page


def _spans(
    memory: LongTermMemory, namespace: Namespace, query: SessionQuery
) -> Sequence[SessionSpan]:
    with memory.open_namespace(namespace) as opened:
        return opened.query(lambda store: store.catalog.list_sessions(query))


def _info(namespace: Namespace, span: SessionSpan) -> SessionInfo:
    return SessionInfo(
        namespace=namespace,
        conversation=decode(span.conversation) or span.conversation,
        log=span.conversation,
        first=span.first,
        last=span.last,
        count=span.count,
        channel=span.channel,
    )
