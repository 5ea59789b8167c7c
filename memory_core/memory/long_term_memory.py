"""The feature on one page: remember, reconcile, recall, forget, for every namespace."""

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

from ..config.limits import Limits
from ..domain.errors import UnknownMemory
from ..domain.namespaces import Namespace, Scope, encode, log_name_of
from ..domain.records import Exchange, Memory, MemoryKind, Note
from ..infra.deadlines import cache_file_checks
from ..providers.embedders.base import Embedder
from ..recall.derived_memories import those_that_hold
from ..recall.pipeline import Pipeline
from ..recall.query import Query
from ..recall.results import Recall
from ..recall.search import SearchResult
from ..storage.aliases import Aliases, AliasFile
from ..storage.contract import Page, SearchFilter
from ..storage.engine import OpenStore, engine_of
from ..storage.log.diff import Diff
from ..storage.log.events import EventType, NewEvent
from ..storage.log.projection import MemoryRecord
from ..text.private_parts import parts_of
from .chat_notes import scope_field
from .embedding import CHANGED, NO_EMBEDDER, OF_ANOTHER_MODEL, EmbeddingWorker
from .erasure import erase_forgotten
from .guard import Guard, GuardedChat
from .guarded_writes import GuardedWrites
from .imported_notes import add_admitted_notes
from .known_exchanges import conversation_with
from .namespace_memory import NamespaceMemory
from .namespace_pool import NamespacePool
from .questions import Answer, AnswerQuestion, Question, answer_nothing

_EMBED_BATCH = 32
Change = Callable[..., list[str]]  # of memories of one namespace; returns their ids


class LongTermMemory:
    """Synchronous, without threads of its own; safe to call from many threads.

    A write is on disk when its method returns. Derived work (embeddings, erasure) is done by
    derive_pending(), which the owner of a thread calls in idle time.
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
        engine = engine_of(open_store, root)
        self.shared = engine.shared
        self.embedder = embedder
        self._embedding_worker = EmbeddingWorker(root)
        self.languages = self._embedding_worker.languages
        self._pool = NamespacePool(
            root,
            open_store=engine,
            aliases=lambda: self._aliases.current,
            begin=self._embedding_worker.activate_last_model,
        )
        # These take any name, which may be an alias.
        self.open_namespace = self._pool.open_namespace
        self.resolve = self._pool.resolve
        self.has_namespace, self.has_log = self._pool.has_namespace, self._pool.has_log
        self.count_memories = self._pool.count_memories
        self.folder_of, self.held_file = self._pool.folder_of, self._pool.held_file
        self.announcer = self._pool.announcer
        self.close, self.end = self._pool.close, self._pool.end
        self._pipeline, self._limits = pipeline, limits
        self.answer_question: AnswerQuestion = answer_nothing  # bootstrap.py sets one that answers
        self.guard = Guard(limits.guard)
        self.now = clock  # in seconds since the epoch
        self._lock = threading.RLock()
        self._aliases = AliasFile(root, self.shared.files)

    def reconfigure(self, *, embedder: Embedder | None, pipeline: Pipeline, limits: Limits) -> None:
        """Uses these from now on. Vectors of another embedder are replaced in the background."""
        with self._lock:
            self.embedder, self._pipeline, self._limits = embedder, pipeline, limits
            self.guard.follow(limits.guard)

    def remember(self, namespace: Namespace, conversation: str, exchange: Exchange) -> str:
        """Appends one exchange to a conversation; returns its id. The write is then on disk.

        Raises LooksPrivate for one that the guard skips, HeldForReview for one that it asks about.
        """
        with self.open_namespace(namespace) as opened:
            return self._guarded_writes(namespace, opened).remember(encode(conversation), exchange)

    def compare(
        self, namespace: Namespace, conversation: str, shown: Sequence[Exchange], *, whole: bool
    ) -> Diff:
        """Returns how the chat differs from the stored conversation; writes nothing."""
        with self.open_namespace(namespace) as opened:
            diff = opened.compare(encode(conversation), shown, whole=whole)
            if not any(map(parts_of, diff.new_exchanges)):
                return diff  # the usual case: nothing new, or nothing private in it
            shown = self.guarded_chat(namespace, conversation, shown).exchanges
            return opened.compare(encode(conversation), shown, whole=whole)

    def guarded_chat(
        self, namespace: Namespace, conversation: str, shown: Sequence[Exchange]
    ) -> GuardedChat:
        """Returns the chat in the forms in which it is stored, or would be; writes nothing."""
        with self.open_namespace(namespace) as opened:
            return self.guard.check_chat(opened, encode(conversation), shown)

    def reconcile(
        self, namespace: Namespace, conversation: str, shown: Sequence[Exchange], *, whole: bool
    ) -> Diff:
        """Writes the differences between the chat and the stored conversation.

        `whole` is false if the host may have cut off the chat's beginning.
        """
        with self.open_namespace(namespace) as opened:
            writes = self._guarded_writes(namespace, opened)
            return writes.reconcile(encode(conversation), shown, whole=whole)

    def _guarded_writes(self, namespace: Namespace, opened: NamespaceMemory) -> GuardedWrites:
        return GuardedWrites(opened=opened, guard=self.guard, namespace=namespace, now=self.now())

    def move_conversation(self, namespace: Namespace, conversation: str, to: str) -> None:
        """Moves a conversation's memories to another one, with its forgotten ones."""
        with self.open_namespace(namespace) as opened:
            self._guarded_writes(namespace, opened).move(encode(conversation), encode(to))

    def conversation_of(self, namespace: Namespace, exchange: Exchange) -> str | None:
        """Returns the conversation in which this exchange was last seen."""
        if not self.has_namespace(namespace):  # opening it would create it
            return None
        key = exchange.key
        return self._pool.query(namespace, lambda store: conversation_with(store.catalog, key))

    def add_note(
        self,
        namespace: Namespace,
        text: str,
        *,
        kind: MemoryKind,
        pinned: bool,
        conversation: str = "",
    ) -> str:
        """Adds knowledge, a diary page or the like; returns its id.

        Knowledge that names a conversation applies only in that one. Raises ValueError if any
        other kind names one, LooksPrivate if the guard skips it.
        """
        scope = scope_field(namespace, kind, conversation)
        text = self.guard.admit_text(namespace, text)
        fields = {"kind": kind, "text": text, "pinned": pinned, **scope}
        with self.open_namespace(namespace) as opened:
            return opened.write(NewEvent(op=EventType.NOTE, ts=self.now(), fields=fields)).id

    def add_notes(self, namespace: Namespace, notes: Sequence[Note]) -> list[str]:
        """Adds the notes whose text is new and was never forgotten; returns their ids."""
        known = self.get_records(namespace, [note.id for note in notes])
        with self.open_namespace(namespace) as opened:
            return add_admitted_notes(opened, self.guard, namespace, notes, known=known)

    def edit(self, namespace: Namespace, memory_id: str, fields: Mapping[str, str]) -> None:
        """Changes the memory, not the chat: `user` and `assistant`, or the `text` of a note."""
        with self.open_namespace(*self._owners(namespace, [memory_id])) as opened:
            admitted = self.guard.admit_fields(namespace, fields)
            opened.revise(memory_id, admitted, now=self.now())

    def pin(self, namespace: Namespace, memory_id: str) -> None:
        self._write_mark(namespace, memory_id, EventType.PIN)

    def unpin(self, namespace: Namespace, memory_id: str) -> None:
        self._write_mark(namespace, memory_id, EventType.UNPIN)

    def forget(
        self, namespace: Namespace, ids: Sequence[str], by: Change = NamespaceMemory.forget
    ) -> list[str]:
        """Hides these and all with the same text, to be erased after the undo time; returns all."""
        hidden = list[str]()
        for owner, own in self._owners(namespace, ids).items():
            with self.open_namespace(owner) as opened:
                hidden += by(opened, own, now=self.now())
        return hidden

    def forget_exactly(self, namespace: Namespace, ids: Sequence[str]) -> list[str]:
        """Hides these memories and those made of them, but no duplicates; returns all ids."""
        return self.forget(namespace, ids, NamespaceMemory.forget_exactly)

    def unforget(self, namespace: Namespace, *ids: str) -> list[str]:
        """Restores memories with their copies; returns all ids. Raises WordsErased."""
        restored = list[str]()
        for owner, own in self._owners(namespace, ids).items():
            with self.open_namespace(owner) as opened:
                restored += opened.unforget(own, now=self.now())
        return restored

    def forgotten(self, namespace: Namespace) -> list[MemoryRecord]:
        """Returns the memories that unforget() can restore: forgotten, but not erased yet."""
        with self.open_namespace(namespace) as opened:
            return opened.forgotten()

    def erase_all_forgotten(self, namespace: Namespace) -> int:
        """Erases all forgotten memories now, within the undo time too; returns how many."""
        with self.open_namespace(namespace) as opened:
            return erase_forgotten(opened, now=self.now(), kept_s=0.0)

    def recall(self, namespace: Namespace, query: Query, by: Pipeline | None = None) -> Recall:
        """Returns memories that fit the query; without an embedder, `degraded_reasons` says so."""
        started, query, by = time.perf_counter(), query.prepared(), by or self._pipeline
        with cache_file_checks():
            found = [self._search(scope, query, by) for scope in self.scopes(namespace)]
        recall = by.choose(query, [result for result, _ in found])
        faults = dict.fromkeys(fault for _, fault in found if fault)
        return replace(
            recall,
            degraded_reasons=(*recall.degraded_reasons, *faults),
            elapsed_ms=(time.perf_counter() - started) * 1000,
        )

    def answer(self, question: Question) -> Answer:
        """Answers from derived memories, then from exchanges. `fault` says why there is none."""
        return self.answer_question(self, question)

    def scopes(self, namespace: Namespace) -> list[Namespace]:
        """Returns the namespace itself, and the shared ones that exist."""
        own = self.resolve(namespace)
        shared = (Namespace.shared(own.user), Namespace.world())
        wider = [space for space in shared if space != own]
        return [own, *self.shared.namespaces.existing(wider)]

    def _search(
        self, namespace: Namespace, query: Query, pipeline: Pipeline
    ) -> tuple[SearchResult, str]:
        """Returns one namespace's candidates, and the reason if no vectors were compared.

        Never returns a memory that was forgotten before or during the search.
        """
        vector, fault, timeout_s = None, NO_EMBEDDER, self._limits.query_timeout_s
        with self.open_namespace(namespace) as opened:
            only = self._filter(opened, namespace, query)
            hidden, changes = opened.hidden_ids(), opened.active_model.changes
            try:
                if embedder := self.embedder:
                    worker = self._embedding_worker
                    vector, fault = worker.embed_query(opened, embedder, query, timeout_s)
                found = opened.query(lambda store: pipeline.search(store, query, vector, only=only))
                is_stale = vector is not None and opened.active_model.changes != changes
            except OF_ANOTHER_MODEL:
                is_stale = opened.active_model.changes != changes
                if not is_stale:
                    raise
            if is_stale:
                fault = CHANGED
                found = opened.query(lambda store: pipeline.search(store, query, None, only=only))
            return found.excluding(hidden | opened.hidden_ids()), fault

    def _filter(self, opened: NamespaceMemory, namespace: Namespace, query: Query) -> SearchFilter:
        """Returns the query's filter, narrowed to this chat's notes and, if set, past sessions."""
        only, log = query.search_filter, log_name_of(query.conversation)
        if self._limits.next_session_only:
            only = replace(only, until_seq=self.visible_until_seq(namespace))
        hides_notes = not all(note.applies_to(log) for note in opened.always_in_prompt())
        return replace(only, applies_in=log) if hides_notes else only

    def force_reload(self, namespace: Namespace) -> None:
        """Makes all memories recallable at once, also those meant for the next session."""
        with self.open_namespace(namespace) as opened:
            opened.sync_index()
            last_seq = opened.query(lambda store: store.catalog.summary().last_seq)
        self._pool.visible_until[self.resolve(namespace)] = last_seq

    def visible_until_seq(self, namespace: Namespace) -> int | None:
        """Returns the last seq of earlier sessions; None if the namespace was never opened."""
        return self._pool.visible_until.get(self.resolve(namespace))

    def always_in_prompt(self, namespace: Namespace, conversation: str = "") -> list[Memory]:
        """Returns the memories always in this conversation's prompts, the shared ones last."""
        log, found = log_name_of(conversation), list[Memory]()
        for scope in self.scopes(namespace):
            with self.open_namespace(scope) as opened:
                found += those_that_hold(opened.records, opened.always_in_prompt(), self.now())
        return [memory for memory in found if memory.applies_to(log)]

    def conversation(self, namespace: Namespace, conversation: str, limit: int) -> list[Memory]:
        """Returns the last exchanges of a conversation, oldest first."""
        if not self.has_namespace(namespace):
            return []
        log = encode(conversation)
        with self.open_namespace(namespace) as opened:
            return opened.query_without_forgotten(
                lambda store: store.catalog.conversation(log, limit)
            )

    def latest(self, namespace: Namespace, page: Page) -> list[Memory]:
        """Returns live memories, newest first."""
        with self.open_namespace(namespace) as opened:
            return opened.query_without_forgotten(lambda store: store.latest(page))

    def get_records(self, namespace: Namespace, ids: Sequence[str]) -> dict[str, MemoryRecord]:
        """Returns id → record of those memories that this namespace or a shared one knows."""
        found: dict[str, MemoryRecord] = {}
        for scope in self.scopes(namespace):
            with self.open_namespace(scope) as opened:
                found = opened.records(ids) | found  # its own come first
        return found

    def last_seqs(self, namespace: Namespace, ids: Sequence[str]) -> dict[str, int]:
        """Returns id → seq of the last event about it, for the live ones of these memories."""
        found: dict[str, int] = {}
        for scope in self.scopes(namespace):
            with self.open_namespace(scope) as opened:
                found = opened.last_seqs(ids) | found
        return found

    def get_record(self, namespace: Namespace, memory_id: str) -> MemoryRecord:
        """Returns the memory with its state. Raises UnknownMemory."""
        with self.open_namespace(*self._owners(namespace, [memory_id])) as opened:
            return opened.get_record(memory_id)

    def _owners(self, namespace: Namespace, ids: Sequence[str]) -> dict[Namespace, list[str]]:
        """Returns the ids of this namespace and of the user's shared one. Raises UnknownMemory."""
        found, left = dict[Namespace, list[str]](), list(ids)
        for space in self.scopes(namespace):
            if left and (space.scope is not Scope.WORLD or space == namespace):
                with self.open_namespace(space) as opened:
                    known = opened.records(left)
                if known:
                    found[space] = [one for one in left if one in known]
                    left = [one for one in left if one not in known]
        if left:
            raise UnknownMemory(left[0])
        return found

    def counts(self, namespace: Namespace) -> dict[str, int]:
        return self._pool.query(namespace, lambda store: store.counts())

    def namespaces(self) -> list[Namespace]:
        return self.shared.namespaces.all()

    def open_counts(self) -> tuple[int, int]:
        """Returns how many namespaces are open, and how many may stay open while unused."""
        return self._pool.open_count, self._pool.max_open

    def problems(self) -> list[str]:
        """Returns the damage found in the folders opened so far, in plain words."""
        return [*self._aliases.faults, *self._pool.problems()]

    def rebuild(self, namespace: Namespace) -> None:
        """Rebuilds everything derived from the JSONL logs."""
        with self.open_namespace(namespace) as opened:
            opened.rebuild()

    def derive_pending(self, namespace: Namespace, *, batch: int = _EMBED_BATCH) -> int:
        """Does one batch of pending work: new events, due erasures, embeddings, index upkeep.

        Returns how many items were done; switching to a new model counts as one. Raises
        EmbedderUnavailable, StorageError; unfinished work stays pending.
        """
        with self.open_namespace(namespace) as opened:
            opened.sync_index()
            done = erase_forgotten(opened, now=self.now(), kept_s=self._limits.undo_forget_s)
        if embedder := self.embedder:
            done += self._embedding_worker.embed_batch(
                lambda: self.open_namespace(namespace), embedder, batch
            )
        if not self._embedding_worker.count_until_upkeep(done):
            return done
        with self.open_namespace(namespace) as opened:
            return done + opened.maintain()

    @contextmanager
    def closed(self, namespaces: Collection[Namespace]) -> Iterator[None]:
        """Keeps these namespaces closed, so that their folders can be exchanged."""
        with self._lock, self._pool.closed([self.resolve(space) for space in namespaces]):
            yield  # with the lock, because two callers could otherwise wait for each other

    def alone(self, namespace: Namespace) -> AbstractContextManager[NamespaceMemory]:
        """Opens the namespace for this caller alone, and closes it afterwards."""
        return self._pool.exclusive(self.resolve(namespace))

    def _write_mark(self, namespace: Namespace, memory_id: str, op: EventType) -> None:
        with self.open_namespace(*self._owners(namespace, [memory_id])) as opened:
            opened.write(NewEvent(op=op, id=memory_id, ts=self.now()))

    @property
    def aliases(self) -> Aliases:
        return self._aliases.current

    def set_aliases(self, aliases: Aliases) -> None:
        """Replaces the aliases. Raises StorageFailed."""
        with self._lock:
            self._aliases.save(aliases)
