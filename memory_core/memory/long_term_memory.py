"""The feature on one page: remember, reconcile, recall, forget, for every namespace."""

import threading
import time
from collections import ChainMap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TypeVar

from ..config.limits import Limits
from ..domain.errors import UnknownMemory
from ..domain.namespaces import Namespace, Scope, encode
from ..domain.records import Exchange, Memory, MemoryKind, Note
from ..providers.embedders.base import Embedder
from ..recall.pipeline import Pipeline
from ..recall.query import Query
from ..recall.results import Recall
from ..recall.search import SearchResult
from ..recall.vector_score import QueryVector
from ..storage.aliases import Aliases, AliasFile
from ..storage.contract import MemoryStore, Page, SearchFilter
from ..storage.log.diff import Diff
from ..storage.log.event_log import last_written_at
from ..storage.log.events import EventType, NewEvent
from ..storage.log.projection import MemoryRecord
from ..storage.manifest import list_namespaces
from ..text.repeats import mark_repeats
from .chat_notes import (
    copy_notes_to_branch,
    log_name_of,
    notes_for_other_chats,
    notes_not_yet_known,
    scope_field,
)
from .embedding import CHANGED, OF_ANOTHER_MODEL, EmbeddingWorker
from .event_factory import note_event
from .move_conversation import move_conversation
from .namespace_memory import NamespaceMemory, OpenStore
from .namespace_pool import NamespacePool

_EMBED_BATCH = 32
_UPKEEP_AFTER = 16_384  # texts: what is embedded at one go is searched slowly until it is sealed

T = TypeVar("T")


class LongTermMemory:
    """Synchronous and without threads of its own; safe to be called from many.

    Everything acknowledged is on disk. Derived work (embeddings, erasure) waits for
    derive_pending(), which whoever owns a thread calls when nobody is waiting.
    """

    def __init__(
        self,
        root: Path,
        *,
        open_store: OpenStore,
        embedder: Embedder | None,
        pipeline: Pipeline,
        limits: Limits,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.root = root
        self.embedder = embedder
        self._embedding_worker = EmbeddingWorker(root)
        self.languages = self._embedding_worker.languages
        self._pool = NamespacePool(
            root,
            open_store=open_store,
            aliases=lambda: self._aliases.current,
            begin=self._embedding_worker.activate_last_model,
        )
        self._pipeline = pipeline
        self._limits = limits
        self._clock = clock
        self._since_upkeep = 0
        self._lock = threading.RLock()
        self._aliases = AliasFile(root)

    def reconfigure(self, *, embedder: Embedder | None, pipeline: Pipeline, limits: Limits) -> None:
        """Works by these from now on; another embedder's vectors are made anew in time."""
        with self._lock:
            self.embedder, self._pipeline, self._limits = embedder, pipeline, limits

    def remember(self, namespace: Namespace, conversation: str, exchange: Exchange) -> str:
        """Appends one exchange to a conversation; returns its id. It is on disk by then."""
        with self.open_namespace(namespace) as archive:
            return archive.remember(encode(conversation), exchange).id

    def compare(
        self, namespace: Namespace, conversation: str, shown: Sequence[Exchange], *, whole: bool
    ) -> Diff:
        """How what the chat shows differs from what is written; writes nothing."""
        with self.open_namespace(namespace) as archive:
            return archive.compare(encode(conversation), shown, whole=whole)

    def reconcile(
        self, namespace: Namespace, conversation: str, shown: Sequence[Exchange], *, whole: bool
    ) -> Diff:
        """Writes down what the chat shows, as the difference from what was written before.

        `whole` is false where the chat may have lost its beginning on the way here.
        """
        log, now = encode(conversation), self._clock()
        shown = mark_repeats(shown)
        with self.open_namespace(namespace) as archive:
            copy_notes_to_branch(archive, log, shown)
            return archive.reconcile(log, shown, whole=whole, now=now)

    def move_conversation(self, namespace: Namespace, conversation: str, to: str) -> None:
        """What stands in one conversation stands in the other instead, the forgotten too."""
        with self.open_namespace(namespace) as archive:
            move_conversation(archive, encode(conversation), encode(to), now=self._clock())

    def conversation_of(self, namespace: Namespace, exchange: Exchange) -> str | None:
        """The conversation in which this very exchange was met last."""
        return self._query(namespace, lambda store: store.conversation_of_content(exchange.key))

    def add_note(
        self,
        namespace: Namespace,
        text: str,
        *,
        kind: MemoryKind,
        pinned: bool,
        conversation: str = "",
    ) -> str:
        """Keeps knowledge, a diary page and the like; returns its id. Knowledge that names a
        conversation holds in that alone. Raises ValueError for anything else that does.
        """
        where = scope_field(namespace, kind, conversation)
        fields = {"kind": kind, "text": text, "pinned": pinned, **where}
        with self.open_namespace(namespace) as archive:
            return archive.write(NewEvent(op=EventType.NOTE, ts=self._clock(), fields=fields)).id

    def add_notes(self, namespace: Namespace, notes: Sequence[Note]) -> int:
        """Keeps what is not known yet by its words, nor was ever forgotten; returns how many."""
        wanted = {it.id: it for it in notes if it.text.strip()}
        known = self.get_records(namespace, list(wanted))
        with self.open_namespace(namespace) as archive:
            new = notes_not_yet_known(
                archive, [it for name, it in wanted.items() if name not in known]
            )
            drafts = [note_event(it) for it in new]
            archive.write_all(drafts)
        return len(drafts)

    def edit(self, namespace: Namespace, memory_id: str, fields: Mapping[str, str]) -> None:
        """Changes the memory, not the chat: `user`, `assistant`, or `text` of a note."""
        draft = NewEvent(op=EventType.REVISE, id=memory_id, ts=self._clock(), fields=fields)
        self._write(namespace, memory_id, draft)

    def pin(self, namespace: Namespace, memory_id: str) -> None:
        self._write_mark(namespace, memory_id, EventType.PIN)

    def unpin(self, namespace: Namespace, memory_id: str) -> None:
        self._write_mark(namespace, memory_id, EventType.UNPIN)

    def forget(self, namespace: Namespace, ids: Sequence[str]) -> list[str]:
        """Hides these and all of the same words at once; returns the ids of all.

        Their words are erased after the undo time, or by erase_now().
        """
        hidden: list[str] = []
        for home, own in self._group_by_namespace(namespace, ids).items():
            with self.open_namespace(home) as archive:
                hidden += archive.forget(own, now=self._clock())
        return hidden

    def forget_exactly(self, namespace: Namespace, ids: Sequence[str]) -> None:
        """The same, but others of the same words stay."""
        for home, own in self._group_by_namespace(namespace, ids).items():
            with self.open_namespace(home) as archive:
                archive.forget_exactly(own, now=self._clock())

    def _group_by_namespace(
        self, namespace: Namespace, ids: Sequence[str]
    ) -> Mapping[Namespace, list[str]]:
        found: dict[Namespace, list[str]] = {}
        for memory_id in ids:
            found.setdefault(self._namespace_of(namespace, memory_id), []).append(memory_id)
        return found

    def unforget(self, namespace: Namespace, memory_id: str) -> None:
        """Brings it back with what went along. Raises UnknownMemory, WordsErased if too late."""
        with self.open_namespace(self._namespace_of(namespace, memory_id)) as archive:
            archive.unforget(memory_id, now=self._clock())

    def forgotten(self, namespace: Namespace) -> list[MemoryRecord]:
        """What unforget() can still bring back: forgotten, but not erased yet."""
        with self.open_namespace(namespace) as archive:
            return archive.forgotten()

    def erase_all_forgotten(self, namespace: Namespace) -> int:
        """Erases all that was forgotten, without waiting; returns how many memories."""
        with self.open_namespace(namespace) as archive:
            return archive.erase_forgotten(now=self._clock(), kept_s=0.0)

    def recall(self, namespace: Namespace, query: Query) -> Recall:
        """What fits the query, of this namespace and of those for all characters and all users.

        Never raises for want of an embedder: it says `degraded` then.
        """
        started, query = time.perf_counter(), query.truncated
        found = [self._search(it, query) for it in self._scopes(namespace)]
        recall = self._pipeline.choose(query, [sought for sought, _ in found])
        faults = dict.fromkeys(fault for _, fault in found if fault)
        return replace(
            recall,
            degraded_reasons=(*recall.degraded_reasons, *faults),
            elapsed_ms=(time.perf_counter() - started) * 1000,
        )

    def _scopes(self, namespace: Namespace) -> list[Namespace]:
        """Itself, and the wider ones that hold anything."""
        own = self.resolve(namespace)
        wider = [Namespace.shared(own.user), Namespace.world()]
        return [own, *(it for it in wider if it != own and it.folder(self.root).is_dir())]

    def _search(self, namespace: Namespace, query: Query) -> tuple[SearchResult, str]:
        """The candidates of one namespace, and why meaning had no say, if so."""
        patience_s = self._limits.query_timeout_s
        with self.open_namespace(namespace) as archive:
            query = replace(query, search_filter=self._only(archive, namespace, query))
            hidden, changes = archive.hidden_ids(), archive.active_model.changes
            try:
                meaning, fault = self._embedding_worker.meaning(
                    archive, self.embedder, query, patience_s
                )
                found = self._search_index(archive, query, meaning)
                is_stale = meaning is not None and archive.active_model.changes != changes
            except OF_ANOTHER_MODEL:
                is_stale = archive.active_model.changes != changes
                if not is_stale:
                    raise
            if is_stale:
                found, fault = self._search_index(archive, query, None), CHANGED
            return found.excluding(hidden | archive.hidden_ids()), fault

    def _only(self, archive: NamespaceMemory, namespace: Namespace, query: Query) -> SearchFilter:
        """Returns the query's own filter, narrowed by the settings and to its conversation."""
        only = query.search_filter
        if self._limits.next_session_only:
            only = replace(only, until_seq=self.visible_until_seq(namespace))
        here = log_name_of(query.conversation)
        return replace(only, applies_in=here) if notes_for_other_chats(archive, here) else only

    def _search_index(
        self, archive: NamespaceMemory, query: Query, meaning: QueryVector | None
    ) -> SearchResult:
        pipeline = self._pipeline
        return archive.query(
            lambda store: pipeline.search(store, query, meaning, only=query.search_filter)
        )

    def force_reload(self, namespace: Namespace) -> None:
        """Makes recallable at once what waits for a new session."""
        with self.open_namespace(namespace) as archive:
            archive.sync_index()
            last_seq = archive.query(lambda store: store.last_seq())
        self._pool.set_visible_until(self.resolve(namespace), last_seq)

    def visible_until_seq(self, namespace: Namespace) -> int | None:
        """The last seq of the earlier sessions; None before the namespace is first opened."""
        return self._pool.visible_until_seq(self.resolve(namespace))

    def always_in_prompt(self, namespace: Namespace, conversation: str = "") -> list[Memory]:
        """What is always in this conversation's prompts: of the namespace, then what is for all."""
        found = self._query_scopes(
            namespace, lambda it: it.query_without_forgotten(lambda store: store.always_in_prompt())
        )
        return [it for it in chain.from_iterable(found) if it.applies_to(log_name_of(conversation))]

    def conversation(self, namespace: Namespace, conversation: str, limit: int) -> list[Memory]:
        """The last exchanges of a conversation, oldest first."""
        log = encode(conversation)
        with self.open_namespace(namespace) as archive:
            return archive.query_without_forgotten(lambda store: store.conversation(log, limit))

    def latest(self, namespace: Namespace, page: Page) -> list[Memory]:
        """Live memories, newest first."""
        with self.open_namespace(namespace) as archive:
            return archive.query_without_forgotten(lambda store: store.latest(page))

    def get_records(self, namespace: Namespace, ids: Sequence[str]) -> dict[str, MemoryRecord]:
        """What became of these memories, as far as they are known in any scope."""
        found = self._query_scopes(namespace, lambda it: it.query(lambda store: store.get(ids)))
        return dict(ChainMap(*found))

    def last_seqs(self, namespace: Namespace, ids: Sequence[str]) -> dict[str, int]:
        """id → seq of the last line about it, for the live ones among these, in all scopes."""
        return dict(ChainMap(*self._query_scopes(namespace, lambda it: it.last_seqs(ids))))

    def _query_scopes(
        self, namespace: Namespace, use: Callable[[NamespaceMemory], T]
    ) -> Iterator[T]:
        """Of the namespace, then of the wider ones."""
        for space in self._scopes(namespace):
            with self.open_namespace(space) as archive:
                yield use(archive)

    def get_record(self, namespace: Namespace, memory_id: str) -> MemoryRecord:
        """Raises UnknownMemory."""
        with self.open_namespace(self._namespace_of(namespace, memory_id)) as archive:
            return archive.get_record(memory_id)

    def _namespace_of(self, namespace: Namespace, memory_id: str) -> Namespace:
        """Where this is kept: here, or for all of the user's characters. Raises UnknownMemory."""
        for space in self._scopes(namespace):
            if space.scope is not Scope.WORLD or space == namespace:
                with self.open_namespace(space) as archive:
                    if archive.has_memory(memory_id):
                        return space
        raise UnknownMemory(memory_id)

    def counts(self, namespace: Namespace) -> dict[str, int]:
        return self._query(namespace, lambda store: store.counts())

    def namespaces(self) -> list[Namespace]:
        return list_namespaces(self.root)

    def open_counts(self) -> tuple[int, int]:
        """How many namespaces are open, and how many stay so while nobody uses them."""
        return self._pool.open_count, self._pool.max_open

    def problems(self) -> list[str]:
        """What was found damaged in the folders opened so far."""
        return [*self._aliases.faults, *self._pool.problems()]

    def recently_written(self, limit: int) -> list[Namespace]:
        """The namespaces written to last, the latest first. Raises StorageFailed."""
        return sorted(self.namespaces(), key=lambda it: -last_written_at(it.folder(self.root)))[
            :limit
        ]

    def rebuild(self, namespace: Namespace) -> None:
        """Makes everything derived anew from the JSONL."""
        with self.open_namespace(namespace) as archive:
            archive.rebuild()

    def derive_pending(self, namespace: Namespace, *, batch: int = _EMBED_BATCH) -> int:
        """One batch of what waits: lines not indexed yet, erasures due, embeddings, upkeep of the
        indexes. Returns how many were done; to begin with a model counts as one.

        Raises EmbedderUnavailable, StorageLocked and the like; what is missing stays pending.
        """
        with self.open_namespace(namespace) as archive:
            archive.sync_index()
            erased = archive.erase_forgotten(now=self._clock(), kept_s=self._limits.undo_forget_s)
        done = erased + self._embed(namespace, batch)
        self._since_upkeep += done
        if done and self._since_upkeep < _UPKEEP_AFTER:
            return done
        self._since_upkeep = 0
        with self.open_namespace(namespace) as archive:
            return done + archive.maintain()

    def _embed(self, namespace: Namespace, batch: int) -> int:
        if (embedder := self.embedder) is None:
            return 0
        return self._embedding_worker.embed_batch(
            lambda: self.open_namespace(namespace), embedder, batch
        )

    def close(self) -> None:
        self._pool.close()

    @contextmanager
    def closed(self, namespaces: Collection[Namespace]) -> Iterator[None]:
        """Nothing of these is open meanwhile, so that their folders can be exchanged."""
        with self._lock, self._pool.closed([self.resolve(it) for it in namespaces]):
            yield  # behind the lock: two of these could wait for each other

    def alone(self, namespace: Namespace) -> AbstractContextManager[NamespaceMemory]:
        """The namespace, open and used by nobody else; closed behind."""
        return self._pool.exclusive(self.resolve(namespace))

    def now(self) -> float:
        """The time by this memory's clock, in seconds since the epoch."""
        return self._clock()

    def _write_mark(self, namespace: Namespace, memory_id: str, op: EventType) -> None:
        self._write(namespace, memory_id, NewEvent(op=op, id=memory_id, ts=self._clock()))

    def _write(self, namespace: Namespace, memory_id: str, draft: NewEvent) -> None:
        with self.open_namespace(self._namespace_of(namespace, memory_id)) as archive:
            archive.write(draft)

    def resolve(self, namespace: Namespace) -> Namespace:
        """The namespace that is meant by this one, which may be an alias."""
        return self._pool.resolve(namespace)

    @property
    def aliases(self) -> Aliases:
        return self._aliases.current

    def set_aliases(self, aliases: Aliases) -> None:
        """From now on names mean this. Raises StorageFailed."""
        with self._lock:
            self._aliases.save(aliases)

    def open_namespace(self, namespace: Namespace) -> AbstractContextManager[NamespaceMemory]:
        """The namespace that is meant by this one, open for as long as that takes."""
        return self._pool.open_namespace(namespace)

    def _query(self, namespace: Namespace, use: Callable[[MemoryStore], T]) -> T:
        return self._pool.query(namespace, use)
