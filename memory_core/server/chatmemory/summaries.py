"""Summaries of sessions: sentences of the session itself, made anew once the session goes on."""

from collections.abc import Sequence

from ...domain.namespaces import Namespace, encode
from ...domain.records import Memory, MemoryKind
from ...memory.runtime import Runtime
from ...memory.sessions import Session
from ...prompt.session_summary import summarise_session
from ...storage.log.events import EventType, NewEvent
from ...text.sentences import excerpt
from .notes import Notes
from .sessions import SessionLog, session_of

EXTRACTIVE = "extractive"
_LETTERS = 600


class SessionSummaries:
    """Writes and reads the summaries of one user at a time."""

    def __init__(self, runtime: Runtime, sessions: SessionLog, notes: Notes) -> None:
        self._runtime = runtime
        self._sessions = sessions
        self._notes = notes

    def create(self, namespace: Namespace, session_id: str, *, overwrite: bool = False) -> None:
        """Summarises a session, unless it has a summary that is still up to date."""
        said = list(reversed(list(self._sessions.exchanges(namespace, session_id))))
        log = encode(session_id)
        earlier = [note for note in self.current(namespace) if note.conversation == log]
        ids = [memory.id for memory in said]
        if not said or (not overwrite and any(list(note.sources) == ids for note in earlier)):
            return
        self._write(namespace, said)
        self._sessions.forget(namespace, [note.id for note in earlier])

    def create_missing(self, namespace: Namespace, *, overwrite: bool, most: int) -> None:
        """Summarises up to `most` sessions, without the one that was written to last."""
        latest = self._sessions.latest_session(namespace)
        names = [name for name in self.session_ids(namespace) if name != latest]
        summarised = {note.conversation for note in self.current(namespace)}
        wanted = [name for name in names if overwrite or encode(name) not in summarised]
        for name in wanted[:most]:
            self.create(namespace, name, overwrite=overwrite)

    def session_ids(self, namespace: Namespace) -> list[str]:
        """Returns the ids of all sessions, the latest first."""
        return list(dict.fromkeys(map(session_of, self._sessions.exchanges(namespace))))

    def current(self, namespace: Namespace) -> list[Memory]:
        """Returns the summaries whose sources all still exist; forgets the others."""
        notes = self._notes.of_kind(namespace, MemoryKind.SUMMARY)
        ids = [source for note in notes for source in note.sources]
        live = self._runtime.memory.last_seqs(namespace, ids)
        stale = [note.id for note in notes if not live.keys() >= set(note.sources)]
        self._sessions.forget(namespace, stale)
        return [note for note in notes if note.id not in stale and note.conversation]

    def _write(self, namespace: Namespace, said: Sequence[Memory]) -> None:
        text = summarise_session(Session(memories=tuple(said)), limit=_LETTERS)
        guard = self._runtime.memory.guard
        fields = {
            "kind": MemoryKind.SUMMARY,
            "text": guard.redact_text(namespace, text or excerpt(said[0].text, _LETTERS)),
            "sources": [memory.id for memory in said],
            "conversation": said[0].conversation,
            "made_by": EXTRACTIVE,
        }
        ts = max((memory.ts for memory in said if memory.ts is not None), default=None)
        with self._runtime.memory.open_namespace(namespace) as archive:
            archive.write(NewEvent(op=EventType.NOTE, ts=ts, fields=fields))
