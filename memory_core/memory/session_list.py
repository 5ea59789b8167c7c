"""Lists the sessions of users; reads exchanges by conversation and channel."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..domain.namespaces import Namespace, decode, encode
from ..domain.records import Memory, MemoryKind
from ..storage.listing import ListQuery, Order, SessionQuery, SessionSpan
from .browse import browse
from .long_term_memory import LongTermMemory

_PAGE = 500
_EXCHANGES = frozenset({MemoryKind.EXCHANGE})


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
) -> Iterator[Memory]:
    """Yields the exchanges of a conversation, or of all, the oldest first."""
    if not memory.has_namespace(namespace):
        return
    wanted = ListQuery(
        kinds=_EXCHANGES,
        conversation=encode(conversation) if conversation else "",
        channel=query.channel,
        since=query.since,
        until=query.until,
        order=Order.OLDEST,
        limit=_PAGE,
    )
    total = browse(memory, namespace, replace(wanted, limit=0)).total
    for offset in range(0, total, _PAGE):
        yield from browse(memory, namespace, replace(wanted, offset=offset)).memories


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
