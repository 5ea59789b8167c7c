"""What is switched off in one chat or of a whole character, and what must never be written for it.

Beside a namespace's memories, in switches.json: no word of a chat stands in it, only keyed hashes.
"""

import json
import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from ..domain.errors import StorageCorrupt, StorageError
from ..domain.namespaces import Namespace
from ..domain.records import Exchange
from ..infra import durable_files, regular_files
from ..infra.unicode import well_formed
from ..infra.watched_file import WatchedFile

FILE = "switches.json"
FORMAT = 1
_MAX_EXECUTED = 600  # up to three for each message
_SECRET_BYTES = 16
_MARK_BYTES = 10
_UNUSABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseState:
    """What is paused in a chat."""

    is_writing_paused: bool = False
    is_recall_paused: bool = False

    def __bool__(self) -> bool:
        return self.is_writing_paused or self.is_recall_paused


@dataclass(frozen=True, slots=True, kw_only=True)
class _NamespacePauses:
    """`marks` are of exchanges said while writing was paused, `done` of messages carried out.

    `never`: nothing of this character is remembered, in no chat.
    """

    secret: bytes
    is_never_remembered: bool = False
    paused: Mapping[str, PauseState] = field(default_factory=dict)
    excluded_hashes: frozenset[str] = frozenset()
    executed_hashes: tuple[str, ...] = ()
    # Of namespaces merged into this one, under their own secrets.
    merged: tuple["_NamespacePauses", ...] = ()

    @property
    def own_and_merged(self) -> tuple["_NamespacePauses", ...]:
        return (self, *self.merged)


class ChatPauses:
    """All namespaces below a storage folder. Safe for many threads.

    Everything raises StorageCorrupt for a file that cannot be read: nobody knows then what was
    paused. What writes may also raise StorageFailed.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lock = threading.RLock()
        self._states: dict[Namespace, WatchedFile[_NamespacePauses]] = {}

    def get(self, namespace: Namespace, conversation: str) -> PauseState:
        return self._state(namespace).paused.get(conversation, PauseState())

    def paused_chats(self, namespace: Namespace) -> dict[str, PauseState]:
        """The chats in which anything is paused."""
        return dict(self._state(namespace).paused)

    def set_pause(self, namespace: Namespace, conversation: str, switch: PauseState) -> None:
        """On return it is on disk."""
        with self._lock:
            state = self._state(namespace)
            others = {chat: it for chat, it in state.paused.items() if chat != conversation}
            paused = {**others, conversation: switch} if switch else others
            self._save(namespace, replace(state, paused=paused))

    def is_never_remembered(self, namespace: Namespace) -> bool:
        """Returns whether nothing of this character is to be remembered, whatever the chat."""
        return self._state(namespace).is_never_remembered

    def is_writing_paused(self, namespace: Namespace, conversation: str) -> bool:
        """Returns whether nothing new of this chat is to be written."""
        return (
            self.is_never_remembered(namespace)
            or self.get(namespace, conversation).is_writing_paused
        )

    def set_never_remembered(self, namespace: Namespace, *, wanted: bool) -> None:
        """On return it is on disk."""
        with self._lock:
            state = self._state(namespace)
            if state.is_never_remembered != wanted:
                self._save(namespace, replace(state, is_never_remembered=wanted))

    def exclude(
        self,
        namespace: Namespace,
        conversation: str,
        shown: Sequence[Exchange],
        new: Sequence[Exchange],
    ) -> None:
        """Has those of `shown` whose content is among `new` never written, in no chat.

        In this chat also not with another answer to the same message.
        """
        keys = {it.key for it in new}
        with self._lock:
            state = self._state(namespace)
            found = {
                mark
                for it, marks in _with_hashes(state.secret, conversation, shown)
                if it.key in keys
                for mark in marks
            }
            if not found <= state.excluded_hashes:
                self._save(namespace, replace(state, excluded_hashes=state.excluded_hashes | found))

    def without_excluded(
        self, namespace: Namespace, conversation: str, shown: Sequence[Exchange]
    ) -> list[Exchange]:
        """What of a chat was not said while writing was paused."""
        state = self._state(namespace)
        found = list(enumerate(shown))
        for one in state.own_and_merged:
            if one.excluded_hashes:
                marked = _with_hashes(one.secret, conversation, shown)
                withheld = {
                    n
                    for n, (_, its) in enumerate(marked)
                    if not one.excluded_hashes.isdisjoint(its)
                }
                found = [(n, it) for n, it in found if n not in withheld]
        return [it for _, it in found]

    def was_executed(self, namespace: Namespace, message: str) -> bool:
        """Whether did() was told this."""
        state = self._state(namespace)
        return any(
            _keyed_hash(it.secret, message) in it.executed_hashes for it in state.own_and_merged
        )

    def mark_executed(self, namespace: Namespace, *names: str) -> None:
        """Remembers that the command in the message of these names was carried out, also over a
        restart.
        """
        with self._lock:
            state = self._state(namespace)
            done = (*state.executed_hashes, *(_keyed_hash(state.secret, it) for it in names))[
                -_MAX_EXECUTED:
            ]
            self._save(namespace, replace(state, executed_hashes=done))

    def merge_from(self, alias: Namespace, namespace: Namespace) -> None:
        """Has all that holds for the chats of the first hold in the second, too."""
        with self._lock:
            state = self._state(namespace)
            merged = _merge_states(state, self._state(alias))
            if merged != state:
                self._save(namespace, merged)

    def drop(self, namespace: Namespace) -> None:
        """Forgets what it knows of a namespace whose folder is gone or another one now."""
        with self._lock:
            self._states.pop(namespace, None)

    @contextmanager
    def preserve_never_mark(self, namespace: Namespace) -> Iterator[None]:
        """Carries the mark of a character that is never remembered over the loss of its folder.

        A file that cannot be read keeps nobody from deleting all.
        """
        never = False
        with suppress(StorageError):
            never = self.is_never_remembered(namespace)
        yield
        self.drop(namespace)
        if never:
            self.set_never_remembered(namespace, wanted=True)

    def _state(self, namespace: Namespace) -> _NamespacePauses:
        with self._lock:
            return self._watched_file(namespace).get()

    def _save(self, namespace: Namespace, state: _NamespacePauses) -> None:
        path = self._path(namespace)
        durable_files.make_folder(path.parent)
        durable_files.replace(path, _encode(state))
        self._watched_file(namespace).set_cached(state)

    def _watched_file(self, namespace: Namespace) -> WatchedFile[_NamespacePauses]:
        if namespace not in self._states:
            self._states[namespace] = WatchedFile(self._path(namespace), _read)
        return self._states[namespace]

    def _path(self, namespace: Namespace) -> Path:
        return namespace.folder(self.root) / FILE


def _with_hashes(
    secret: bytes, conversation: str, shown: Sequence[Exchange]
) -> Iterator[tuple[Exchange, tuple[str, str]]]:
    """Each with two marks: of its content, and of its message behind the one before it, which
    stays the same when the answer is made anew.

    A message without words is told from others of its kind by all that was said before it.
    """
    before, before_key = "", ""
    for it in shown:
        place = ("place", conversation, before if it.user else before_key, it.user)
        yield it, (_keyed_hash(secret, "content", it.key), _keyed_hash(secret, *place))
        before, before_key = it.user or it.key, it.key


@lru_cache(maxsize=16_384)  # a long chat is looked through at each of its messages
def _keyed_hash(secret: bytes, *parts: str) -> str:
    joined = well_formed("\x1f".join(part.strip() for part in parts))
    return blake2b(joined.encode(), key=secret, digest_size=_MARK_BYTES).hexdigest()


def read_saved(folder: Path) -> Mapping[str, object] | None:
    """What a namespace's backup keeps of this; None where there is nothing. Raises StorageCorrupt,
    StorageFailed.
    """
    return _fields(_read(folder / FILE)) if durable_files.exists(folder / FILE) else None


def check_saved(saved: Mapping[str, object]) -> None:
    """Raises ValueError, KeyError, TypeError or AttributeError for what saved_in() never gave."""
    _checked(saved)


def restore(saved: Mapping[str, object], folder: Path, existing: Path) -> None:
    """Writes into a namespace's new folder what a backup kept, with what holds in the existing
    one. Raises StorageCorrupt, StorageFailed.
    """
    state = _checked(saved)
    if durable_files.exists(existing / FILE):
        state = _merge_states(_read(existing / FILE), state)
    durable_files.replace(folder / FILE, _encode(state))


def _merge_states(state: _NamespacePauses, other: _NamespacePauses) -> _NamespacePauses:
    """What is paused or withheld in either."""
    own, *adopted = _by_secret((*state.own_and_merged, *other.own_and_merged))
    never = state.is_never_remembered or other.is_never_remembered
    paused = {**state.paused}
    for chat, its in other.paused.items():
        here = paused.get(chat, PauseState())
        paused[chat] = PauseState(
            is_writing_paused=here.is_writing_paused or its.is_writing_paused,
            is_recall_paused=here.is_recall_paused or its.is_recall_paused,
        )
    kept = tuple(it for it in adopted if it.excluded_hashes or it.executed_hashes)
    return replace(own, is_never_remembered=never, paused=paused, merged=kept)


def _by_secret(states: Sequence[_NamespacePauses]) -> list[_NamespacePauses]:
    found: dict[bytes, _NamespacePauses] = {}
    for it in states:
        before = found.get(it.secret, _NamespacePauses(secret=it.secret))
        done = tuple(dict.fromkeys((*it.executed_hashes, *before.executed_hashes)))[-_MAX_EXECUTED:]
        found[it.secret] = replace(
            before,
            excluded_hashes=before.excluded_hashes | it.excluded_hashes,
            executed_hashes=done,
        )
    return list(found.values())


def _encode(state: _NamespacePauses) -> bytes:
    return (json.dumps(_fields(state), indent=1) + "\n").encode()


def _fields(state: _NamespacePauses) -> dict[str, object]:
    return {
        "format": FORMAT,
        **_hashes(state),
        "paused": {
            chat: {"writing": it.is_writing_paused, "recall": it.is_recall_paused}
            for chat, it in state.paused.items()
        },
        "adopted": [_hashes(it) for it in state.merged],
        "never": state.is_never_remembered,
    }


def _hashes(state: _NamespacePauses) -> dict[str, object]:
    return {
        "secret": state.secret.hex(),
        "marks": sorted(state.excluded_hashes),
        "done": list(state.executed_hashes),
    }


def _read(path: Path) -> _NamespacePauses:
    data = regular_files.read_own_file(path)
    if data is None:
        return _NamespacePauses(secret=secrets.token_bytes(_SECRET_BYTES))
    try:
        return _checked(json.loads(data))
    except _UNUSABLE as exc:
        told = f"{path} cannot be read, so that nobody knows which chats are paused; repair or "
        raise StorageCorrupt(f"{told}delete it: {type(exc).__name__}") from exc


def _checked(saved: Mapping[str, object]) -> _NamespacePauses:
    if saved["format"] != FORMAT:
        raise ValueError("another format")
    paused, adopted = saved["paused"], saved.get("adopted", [])
    if not (isinstance(paused, dict) and isinstance(adopted, list)):
        raise TypeError("a part is of another type")
    return replace(
        _decode_hashes(saved),
        is_never_remembered=_flag(saved.get("never", False)),
        paused={
            str(chat): PauseState(
                is_writing_paused=bool(it["writing"]), is_recall_paused=bool(it["recall"])
            )
            for chat, it in paused.items()
        },
        merged=tuple(map(_decode_hashes, adopted)),
    )


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("a flag is of another type")
    return value


def _decode_hashes(saved: Mapping[str, object]) -> _NamespacePauses:
    marks, done = saved["marks"], saved["done"]
    if not (isinstance(marks, list) and isinstance(done, list)):
        raise TypeError("a part is of another type")
    return _NamespacePauses(
        secret=bytes.fromhex(str(saved["secret"])),
        excluded_hashes=frozenset(map(str, marks)),
        executed_hashes=tuple(map(str, done)),
    )
