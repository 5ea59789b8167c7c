"""Keeps ChatMemory's messages as exchanges of a conversation, and reads them back one by one."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from ...admin.importers.pairing import group_turns, is_asked, role_of
from ...domain.errors import LooksPrivate
from ...domain.namespaces import Namespace, decode, encode
from ...domain.records import Exchange, Memory, Role, Turn
from ...infra.calendar_time import is_within
from ...memory.browse import SessionInfo, browse, get_sessions, history
from ...memory.guarded_writes import GuardedWrites
from ...memory.late_answers import turns_of
from ...memory.runtime import Runtime
from ...storage.contract import Page
from ...storage.listing import ListQuery, Order, SessionQuery
from ..memory_access import latest_rules
from ..rest.shapes import MOST_RESULTS, seconds
from .shapes import HistoryMessage

_PAGE = 20
_LONGEST_EXCHANGE_S = 86_400.0  # from a message to its answer
_ENOUGH = 2 * MOST_RESULTS  # exchanges that overlap in time are not read in the order of messages
_ANY = SessionQuery()
_SESSION = "session_id"  # in an exchange's metadata, for a name too long to be read from its log
FOREIGN_ROLE = "chatmemory_role"  # in a turn's metadata, for a role that is none of ours


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionMessage:
    """One message of a session. `ts` is in seconds since the epoch."""

    session_id: str
    channel: str
    turn: Turn

    @property
    def role(self) -> str:
        return str(self.turn.metadata.get(FOREIGN_ROLE, self.turn.role.value))

    @property
    def ts(self) -> float:
        return self.turn.ts or 0.0


class SessionLog:
    """Writes and reads the sessions of one user at a time."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def add(
        self,
        namespace: Namespace,
        session_id: str,
        messages: Sequence[HistoryMessage],
        channel: str,
    ) -> None:
        """Appends the messages; an answer completes the exchange that waits for one.

        While Remember is off, nothing else is stored.
        """
        if not messages:
            return  # a folder would be made for them
        turns = [_turn(message, self._runtime.clock()) for message in messages]
        groups = list(group_turns(turns, _starts_exchange))
        if groups and groups[0][0].role is Role.ASSISTANT:
            answer = _exchange(groups[0], channel)
            if self._complete(namespace, session_id, answer):
                groups.pop(0)
        if not latest_rules(self._runtime).stores:
            return  # Remember is off, and no client sends a message twice
        is_readable = decode(encode(session_id)) == session_id
        metadata = {} if is_readable else {_SESSION: session_id}
        said = [replace(_exchange(group, channel), metadata=metadata) for group in groups]
        with self._writes(namespace) as writes:
            writes.remember_all(encode(session_id), said)
        self._runtime.schedule(namespace)

    def messages(
        self, namespace: Namespace, session_id: str, query: SessionQuery, order: Order
    ) -> list[SessionMessage]:
        """Returns messages of a session, or of all, in the order of their times.

        Those are the first or, with Order.NEWEST, the last ones: at least MOST_RESULTS, if there
        are so many. The answer of an exchange comes within a day: its time tells what to read.
        """
        near = replace(
            query,
            since=None if query.since is None else query.since - _LONGEST_EXCHANGE_S,
            until=None if query.until is None else query.until + _LONGEST_EXCHANGE_S,
        )
        found: list[SessionMessage] = []
        for exchange in self.exchanges(namespace, session_id, near, order):
            said = messages_of([exchange])
            own = [one for one in said if is_within(one.ts, query.since, query.until)]
            found = own + found if order is Order.NEWEST else found + own
            if len(found) >= _ENOUGH:
                break
        return sorted(found, key=lambda message: message.ts)

    def exchanges(
        self,
        namespace: Namespace,
        session_id: str,
        query: SessionQuery = _ANY,
        order: Order = Order.OLDEST,
    ) -> Iterator[Memory]:
        """Yields the exchanges of a session, or of all, the oldest or the newest first."""
        memory = self._runtime.memory
        return history(memory, namespace, query, conversation=session_id, order=order)

    def has(self, namespace: Namespace, session_id: str) -> bool:
        return bool(self._runtime.memory.conversation(namespace, session_id, 1))

    def around(self, namespace: Namespace, memory: Memory) -> list[Memory]:
        """Returns the exchanges of the session in which this one was said, oldest first."""
        return list(self.exchanges(namespace, session_of(memory)))

    def session_ids(self, namespace: Namespace) -> list[str]:
        """Returns the ids of all sessions, the latest first."""
        found = get_sessions(self._runtime.memory, [namespace], _ANY)
        return [self._session_id(session) for session in found]

    def last_messages(self, namespace: Namespace, since: float) -> Iterator[SessionMessage]:
        """Yields the last message of each session that continued after `since`, latest first."""
        begun = SessionQuery(since=since - _LONGEST_EXCHANGE_S if since else None)
        for session in get_sessions(self._runtime.memory, [namespace], begun):
            said = self._runtime.memory.conversation(namespace, self._session_id(session), 1)
            yield from (last for last in messages_of(said)[-1:] if last.ts >= since)

    def latest_exchanges(
        self, namespaces: Sequence[Namespace], query: SessionQuery, limit: int
    ) -> list[tuple[Namespace, Memory]]:
        """Returns the last exchange of each of the latest sessions of these users."""
        memory = self._runtime.memory
        return [
            (session.namespace, last)
            for session in get_sessions(memory, namespaces, query)[:limit]
            for last in memory.conversation(session.namespace, self._session_id(session), 1)
        ]

    def _session_id(self, session: SessionInfo) -> str:
        """Returns the session's id, from its exchanges if it is too long for a log's name."""
        if (name := decode(session.log)) is not None:
            return name
        query = ListQuery(conversation=session.log, limit=1)
        (last,) = browse(self._runtime.memory, session.namespace, query).memories
        return session_of(last)

    def latest_session(self, namespace: Namespace) -> str:
        """Returns the session that was written to last, "" if there is none."""
        offset = 0
        while page := self._runtime.memory.latest(namespace, Page(limit=_PAGE, offset=offset)):
            if said := [memory for memory in page if memory.exchange is not None]:
                return session_of(said[0])
            offset += len(page)
        return ""

    def _waiting(self, namespace: Namespace, session_id: str, answer: Exchange) -> Memory | None:
        """Returns the session's last exchange if its message waits for this answer."""
        said = self._runtime.memory.conversation(namespace, session_id, 1)
        last = said[-1].exchange if said else None
        if last is None or last.assistant or last.channel != answer.channel:
            return None
        return None if _is_days_apart(last.ts, answer.ts) else said[-1]

    def _complete(self, namespace: Namespace, session_id: str, answer: Exchange) -> bool:
        """Adds the answer to the message that waits for one; returns whether there is one.

        An answer that the guard refuses and reports is left out.
        """
        waiting = self._waiting(namespace, session_id, answer)
        with self._writes(namespace) as writes:
            try:
                if writes.complete_held(encode(session_id), answer):
                    return True
                if waiting is not None:
                    writes.complete(waiting.conversation, waiting, answer)
            except LooksPrivate:
                return True
        return waiting is not None

    @contextmanager
    def _writes(self, namespace: Namespace) -> Iterator[GuardedWrites]:
        memory = self._runtime.memory
        with memory.open_namespace(namespace) as opened:
            yield GuardedWrites(
                opened=opened, guard=memory.guard, namespace=namespace, now=self._runtime.clock()
            )


def messages_of(exchanges: Iterable[Memory]) -> list[SessionMessage]:
    """Returns the messages of these exchanges in the order of their times."""
    found = [
        SessionMessage(
            session_id=session_of(memory),
            channel=memory.exchange.channel,
            turn=turn,
        )
        for memory in exchanges
        if memory.exchange
        for turn in turns_of(memory.exchange)
    ]
    return sorted(found, key=lambda message: message.ts)


def session_of(memory: Memory) -> str:
    """Returns the session's id as the client named it."""
    named = memory.exchange.metadata.get(_SESSION) if memory.exchange else None
    return str(named or decode(memory.conversation) or memory.conversation)


def _starts_exchange(group: Sequence[Turn], turn: Turn) -> bool:
    return is_asked(group, turn) or _is_days_apart(group[0].ts, turn.ts)


def _is_days_apart(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and abs(other - one) > _LONGEST_EXCHANGE_S


def _turn(message: HistoryMessage, now: float) -> Turn:
    role = role_of(message.role)
    ts = seconds(message.created_at)
    is_own = role is not None and role.value == message.role
    other = {} if is_own else {FOREIGN_ROLE: message.role}
    return Turn(
        role=role or Role.SYSTEM,
        text=message.content,
        ts=now if ts is None else ts,
        metadata={**message.metadata, **other},
    )


def _exchange(group: Sequence[Turn], channel: str) -> Exchange:
    said = {
        role: "\n\n".join(turn.text for turn in group if turn.role is role and turn.text)
        for role in (Role.USER, Role.ASSISTANT)
    }
    others = "" if any(said.values()) else "\n\n".join(turn.text for turn in group)
    return Exchange(
        user=said[Role.USER] or others,
        assistant=said[Role.ASSISTANT],
        ts=group[0].ts,
        channel=channel,
        turns=tuple(group),
    )
