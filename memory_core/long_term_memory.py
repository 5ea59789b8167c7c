"""The feature on one page: remember, reconcile, recall, forget, for every namespace."""

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from . import durable
from .aliases import Aliases, aliases_in, write_aliases
from .archive import Archive, OpenStore
from .backup.writing import back_up
from .embedders.base import Embedder
from .errors import (
    ConfigError,
    EmbedderUnavailable,
    StorageCorrupt,
    StorageFailed,
    UnknownMemory,
)
from .moving import move_lines
from .namespaces import Namespace, Scope, encode, list_namespaces, read_manifest, write_manifest
from .recall.meaning import Meaning, embedded
from .recall.pipeline import Pipeline
from .recall.query import Query
from .recall.search import Sought
from .records import Exchange, Memory, MemoryKind, Note, Recall
from .stores.base import Page
from .transcript.entries import Entry
from .transcript.lines import Draft, Op
from .transcript.reconcile import Diff
from .transcript.transcript import used_at

_EMBED_BATCH = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the settings say of time: patience with a query's vector, and until erasure, in s."""

    query_timeout_s: float
    undo_forget_s: float
    next_session_only: bool = False


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
        self._open_store = open_store
        self._pipeline = pipeline
        self._limits = limits
        self._clock = clock
        self._lock = threading.RLock()
        self._archives: dict[Namespace, Archive] = {}
        self._horizons: dict[Namespace, int] = {}
        self._aliases, self._faults = aliases_in(root)

    def reconfigure(self, *, embedder: Embedder | None, pipeline: Pipeline, limits: Limits) -> None:
        """Works by these from now on; another embedder's vectors are made anew in time."""
        with self._lock:
            self.embedder, self._pipeline, self._limits = embedder, pipeline, limits

    def remember(self, namespace: Namespace, conversation: str, exchange: Exchange) -> str:
        """Appends one exchange to a conversation; returns its id. It is on disk by then."""
        return self._archive(namespace).remember(encode(conversation), exchange).id

    def compare(
        self, namespace: Namespace, conversation: str, shown: Sequence[Exchange], *, whole: bool
    ) -> Diff:
        """How what the chat shows differs from what is written; writes nothing."""
        return self._archive(namespace).compare(encode(conversation), shown, whole=whole)

    def reconcile(
        self, namespace: Namespace, conversation: str, shown: Sequence[Exchange], *, whole: bool
    ) -> Diff:
        """Writes down what the chat shows, as the difference from what was written before.

        `whole` is false where the chat may have lost its beginning on the way here.
        """
        log, now = encode(conversation), self._clock()
        return self._archive(namespace).reconcile(log, shown, whole=whole, now=now)

    def conversation_of(self, namespace: Namespace, exchange: Exchange) -> str | None:
        """The conversation in which this very exchange was met last."""
        return self._archive(namespace).read(lambda store: store.find_key(exchange.key))

    def note(self, namespace: Namespace, text: str, *, kind: MemoryKind, pinned: bool) -> str:
        """Keeps knowledge, a diary page and the like; returns its id."""
        fields = {"kind": kind, "text": text, "pinned": pinned}
        return self._write(namespace, Draft(op=Op.NOTE, ts=self._clock(), fields=fields))

    def learn(self, namespace: Namespace, notes: Sequence[Note]) -> int:
        """Keeps what is not known yet by its words, nor was ever forgotten; returns how many."""
        wanted = {it.id: it for it in notes if it.text.strip()}
        known = self.entries(namespace, list(wanted))
        drafts = [
            Draft(op=Op.NOTE, id=it, ts=note.ts, fields={"kind": note.kind, "text": note.text})
            for it, note in wanted.items()
            if it not in known
        ]
        self._archive(namespace).write_all(drafts)
        return len(drafts)

    def edit(self, namespace: Namespace, memory_id: str, fields: Mapping[str, str]) -> None:
        """Changes the memory, not the chat: `user`, `assistant`, or `text` of a note."""
        draft = Draft(op=Op.REVISE, id=memory_id, ts=self._clock(), fields=fields)
        self._home(namespace, memory_id).write(draft)

    def pin(self, namespace: Namespace, memory_id: str) -> None:
        self._mark(namespace, memory_id, Op.PIN)

    def unpin(self, namespace: Namespace, memory_id: str) -> None:
        self._mark(namespace, memory_id, Op.UNPIN)

    def forget(self, namespace: Namespace, ids: Sequence[str]) -> list[str]:
        """Hides these and their copies at once, and returns the ids of all.

        Their words are erased after the undo time, or by erase_now().
        """
        homes = [(self._home(namespace, it), it) for it in ids]
        return list(chain(*(home.forget([it], now=self._clock()) for home, it in homes)))

    def unforget(self, namespace: Namespace, memory_id: str) -> None:
        """Brings a forgotten memory back. Raises UnknownMemory once its words are erased."""
        if not self.entry(namespace, memory_id).has_words:
            raise UnknownMemory(memory_id)
        self._mark(namespace, memory_id, Op.UNFORGET)

    def forgotten(self, namespace: Namespace) -> list[Entry]:
        """What unforget() can still bring back: forgotten, but not erased yet."""
        return self._archive(namespace).read(lambda store: store.forgotten())

    def erase_now(self, namespace: Namespace) -> int:
        """Erases all that was forgotten, without waiting; returns how many memories."""
        return self._archive(namespace).erase_forgotten(before=self._clock())

    def recall(self, namespace: Namespace, query: Query) -> Recall:
        """What fits the query, of this namespace and of those for all characters and all users.

        Never raises for want of an embedder: it says `degraded` then.
        """
        started = time.perf_counter()
        found = [self._seek(it, query) for it in self._scopes(namespace)]
        recall = self._pipeline.choose(query, [sought for sought, _ in found])
        faults = dict.fromkeys(fault for _, fault in found if fault)
        return replace(
            recall,
            degraded=(*recall.degraded, *faults),
            elapsed_ms=(time.perf_counter() - started) * 1000,
        )

    def _scopes(self, namespace: Namespace) -> list[Namespace]:
        """Itself, and the wider ones that hold anything."""
        own = self.resolve(namespace)
        wider = [Namespace.shared(own.user), Namespace.world()]
        return [own, *(it for it in wider if it != own and it.folder(self.root).is_dir())]

    def _seek(self, namespace: Namespace, query: Query) -> tuple[Sought, str]:
        """The candidates of one namespace, and why meaning had no say, if so."""
        archive = self._archive(namespace)
        meaning, fault = self._meaning(archive, query)
        horizon = self._horizon(namespace) if self._limits.next_session_only else None
        sought = archive.read(
            lambda store: self._pipeline.seek(store, query, meaning, until_seq=horizon)
        )
        return sought, fault

    def _meaning(self, archive: Archive, query: Query) -> tuple[Meaning | None, str]:
        """What the embedder makes of the message, or why it makes nothing."""
        embedder = self.embedder
        if embedder is None:
            return None, "no embedder: words only"
        if archive.vectors_of != embedder.fingerprint:
            return None, "embeddings are not ready yet: words only"
        try:
            vector = embedded(query, embedder, timeout_s=self._limits.query_timeout_s)
        except EmbedderUnavailable as exc:
            return None, f"words only: {exc}"
        if vector.shape != (archive.dim,):
            return None, f"words only: a vector of shape {vector.shape}, not ({archive.dim},)"
        return Meaning(vector=vector, backdrop=archive.backdrop()), ""

    def force_reload(self, namespace: Namespace) -> None:
        """Makes all that was remembered so far recallable, where that waits for a new session."""
        archive = self._archive(namespace)
        archive.catch_up()
        last_seq = archive.read(lambda store: store.counts())["last_seq"]
        self._horizons[self.resolve(namespace)] = last_seq

    def standing(self, namespace: Namespace) -> list[Memory]:
        """What is always in the prompt: of this namespace, then what holds for all."""
        archives = map(self._archive, self._scopes(namespace))
        return [it for archive in archives for it in archive.read(lambda store: store.standing())]

    def conversation(self, namespace: Namespace, conversation: str, limit: int) -> list[Memory]:
        """The last exchanges of a conversation, oldest first."""
        return self._archive(namespace).read(
            lambda store: store.conversation(encode(conversation), limit)
        )

    def latest(self, namespace: Namespace, page: Page) -> list[Memory]:
        """Live memories, newest first."""
        return self._archive(namespace).read(lambda store: store.latest(page))

    def entries(self, namespace: Namespace, ids: Sequence[str]) -> dict[str, Entry]:
        """What became of these memories, as far as they are known in any scope."""
        found: dict[str, Entry] = {}
        for archive in map(self._archive, self._scopes(namespace)):
            found |= archive.read(lambda store: store.get(ids))
        return found

    def seqs(self, namespace: Namespace, ids: Sequence[str]) -> dict[str, int]:
        """id → seq of the last line about it, for the live ones among these, in all scopes."""
        found: dict[str, int] = {}
        for archive in map(self._archive, self._scopes(namespace)):
            found |= archive.read(lambda store: store.seqs(ids))
        return found

    def entry(self, namespace: Namespace, memory_id: str) -> Entry:
        """Raises UnknownMemory."""
        return self._home(namespace, memory_id).entry(memory_id)

    def _home(self, namespace: Namespace, memory_id: str) -> Archive:
        """Where this is kept: here, or for all of the user's characters. Raises UnknownMemory."""
        for space in self._scopes(namespace):
            archive = self._archive(space)
            is_mine = space.scope is not Scope.WORLD or space == namespace
            if is_mine and archive.read(lambda store: store.get([memory_id])):
                return archive
        raise UnknownMemory(memory_id)

    def counts(self, namespace: Namespace) -> dict[str, int]:
        return self._archive(namespace).read(lambda store: store.counts())

    def namespaces(self) -> list[Namespace]:
        return list_namespaces(self.root)

    def problems(self) -> list[str]:
        """What was found damaged in the folders opened so far."""
        with self._lock:
            found = [(it.label, archive.problems) for it, archive in self._archives.items()]
            return [*self._faults, *(f"{who}: {it}" for who, told in found for it in told)]

    def latest_used(self, limit: int) -> list[Namespace]:
        """The namespaces written to last, the latest first."""
        spaces = [(used_at(it.folder(self.root)), it) for it in self.namespaces()]
        spaces.sort(key=lambda pair: pair[0], reverse=True)
        return [space for _, space in spaces[:limit]]

    def rebuild(self, namespace: Namespace) -> None:
        """Makes everything derived anew from the JSONL."""
        self._archive(namespace).rebuild()

    def destroy(self, namespace: Namespace) -> Path:
        """Deletes the namespace, after a backup whose path it returns."""
        with self._lock:
            namespace = self.resolve(namespace)
            archive = self._archive(namespace)
            into = self.root.parent / "backups"
            saved = back_up(namespace, self.root, into, now=self._clock())
            archive.destroy()
            self._archives.pop(namespace, None)
            self._horizons.pop(namespace, None)
            return saved

    def derive_pending(self, namespace: Namespace, *, batch: int = _EMBED_BATCH) -> int:
        """One batch of what waits: erasures due, then embeddings. Returns how many were done.

        Raises EmbedderUnavailable, StorageLocked and the like; what is missing stays pending.
        """
        archive = self._archive(namespace)
        due = self._clock() - self._limits.undo_forget_s
        erased = archive.erase_forgotten(before=due)
        return erased + self._embed(archive, batch)

    def _embed(self, archive: Archive, batch: int) -> int:
        embedder = self.embedder
        if embedder is None:
            return 0
        if archive.vectors_of != embedder.fingerprint:
            dim = embedder.dim or embedder.embed(["dimension"]).shape[1]
            archive.use_model(embedder.fingerprint, dim)
        waiting = archive.read(lambda store: store.unembedded(batch))
        if waiting:
            vectors = embedder.embed([it.text for it in waiting])
            if vectors.shape != (len(waiting), archive.dim):
                raise EmbedderUnavailable(f"{embedder.name} gave vectors of shape {vectors.shape}")
            archive.add_vectors([it.vector_id for it in waiting], vectors)
        return len(waiting)

    def close(self) -> None:
        with self._lock:
            for archive in self._archives.values():
                archive.close()
            self._archives.clear()

    @contextmanager
    def closed(self, namespaces: Collection[Namespace]) -> Iterator[None]:
        """Nothing of these is open meanwhile, so that their folders can be exchanged."""
        with self._lock:
            for namespace in namespaces:
                self._horizons.pop(namespace, None)
                if archive := self._archives.pop(namespace, None):
                    archive.close()
            yield

    def _mark(self, namespace: Namespace, memory_id: str, op: Op) -> None:
        self._home(namespace, memory_id).write(Draft(op=op, id=memory_id, ts=self._clock()))

    def _write(self, namespace: Namespace, draft: Draft) -> str:
        return self._archive(namespace).write(draft).id

    def resolve(self, namespace: Namespace) -> Namespace:
        """The namespace that is meant by this one, which may be an alias."""
        return self._aliases.resolve(namespace)

    @property
    def aliases(self) -> Aliases:
        return self._aliases

    def use_aliases(self, aliases: Aliases) -> None:
        """From now on names mean this. Raises StorageFailed."""
        if self._faults:
            raise StorageFailed(self._faults[0])
        with self._lock:
            write_aliases(self.root, aliases)
            self._aliases = aliases

    def merge(self, alias: Namespace, namespace: Namespace) -> Path:
        """Moves all memories of the first into the second and lets its name mean that.

        Returns the path of a backup of what was moved. Raises ConfigError where both are one.
        """
        with self._lock:
            alias, namespace = self.resolve(alias), self.resolve(namespace)
            aliases = self._aliases.with_space(alias, namespace)
            move_lines(self._archive(alias), self._archive(namespace))
            saved = self.destroy(alias)
            self.use_aliases(aliases)
            return saved

    def rename(self, namespace: Namespace, new: Namespace) -> None:
        """Gives the memories another name, which must not have any; the old one means it too.

        Raises ConfigError.
        """
        with self._lock:
            old = self.resolve(namespace)
            if new.folder(self.root).exists():
                raise ConfigError(f"{new.label} has memories already: merge the two", key="name")
            aliases = self._aliases.without(new).with_space(old, new)
            with self.closed([old, new]), durable.naming(new.folder(self.root)):
                durable.make_folder(new.folder(self.root).parent)
                old.folder(self.root).replace(new.folder(self.root))
                durable.sync_folder(new.folder(self.root).parent)
                write_manifest(new, new.folder(self.root))
            self.use_aliases(aliases)

    def _horizon(self, namespace: Namespace) -> int | None:
        return self._horizons.get(self.resolve(namespace))

    def _archive(self, namespace: Namespace) -> Archive:
        with self._lock:
            meant = self.resolve(namespace)
            if meant not in self._archives:
                archive = Archive(meant.folder(self.root), open_store=self._open_store)
                self._archives[meant] = archive
                self._horizons[meant] = archive.read(lambda store: store.counts())["last_seq"]
                archive.problems += _name(meant, archive.folder)
            return self._archives[meant]


def _name(namespace: Namespace, folder: Path) -> list[str]:
    """The manifest tells the names that a folder's own name is too short for."""
    try:
        if not read_manifest(folder):
            write_manifest(namespace, folder)
    except StorageCorrupt as exc:
        return [str(exc)]
    except StorageFailed:
        return []  # a read-only folder can still be recalled from
    return []
