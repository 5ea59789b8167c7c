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
from ..infra.watched_file import AsWritten

FILE = "switches.json"
FORMAT = 1
_MOST_DONE = 600  # up to three for each message
_SECRET_BYTES = 16
_MARK_BYTES = 10
_UNUSABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """What is paused in a chat."""

    writing: bool = False
    recall: bool = False

    def __bool__(self) -> bool:
        return self.writing or self.recall


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """`marks` are of exchanges said while writing was paused, `done` of messages carried out.

    `never`: nothing of this character is remembered, in no chat.
    """

    secret: bytes
    never: bool = False
    paused: Mapping[str, Switch] = field(default_factory=dict)
    marks: frozenset[str] = frozenset()
    done: tuple[str, ...] = ()
    adopted: tuple["_State", ...] = ()  # of namespaces merged into this one, under their secrets

    @property
    def all(self) -> tuple["_State", ...]:
        return (self, *self.adopted)


class Switches:
    """All namespaces below a storage folder. Safe for many threads.

    Everything raises StorageCorrupt for a file that cannot be read: nobody knows then what was
    paused. What writes may also raise StorageFailed.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lock = threading.RLock()
        self._states: dict[Namespace, AsWritten[_State]] = {}

    def of(self, namespace: Namespace, conversation: str) -> Switch:
        return self._state(namespace).paused.get(conversation, Switch())

    def paused(self, namespace: Namespace) -> dict[str, Switch]:
        """The chats in which anything is paused."""
        return dict(self._state(namespace).paused)

    def turn(self, namespace: Namespace, conversation: str, switch: Switch) -> None:
        """On return it is on disk."""
        with self._lock:
            state = self._state(namespace)
            others = {chat: it for chat, it in state.paused.items() if chat != conversation}
            paused = {**others, conversation: switch} if switch else others
            self._keep(namespace, replace(state, paused=paused))

    def is_never_remembered(self, namespace: Namespace) -> bool:
        """Returns whether nothing of this character is to be remembered, whatever the chat."""
        return self._state(namespace).never

    def is_writing_off(self, namespace: Namespace, conversation: str) -> bool:
        """Returns whether nothing new of this chat is to be written."""
        return self.is_never_remembered(namespace) or self.of(namespace, conversation).writing

    def set_never_remembered(self, namespace: Namespace, *, wanted: bool) -> None:
        """On return it is on disk."""
        with self._lock:
            state = self._state(namespace)
            if state.never != wanted:
                self._keep(namespace, replace(state, never=wanted))

    def withhold(
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
                for it, marks in _marked(state.secret, conversation, shown)
                if it.key in keys
                for mark in marks
            }
            if not found <= state.marks:
                self._keep(namespace, replace(state, marks=state.marks | found))

    def writable(
        self, namespace: Namespace, conversation: str, shown: Sequence[Exchange]
    ) -> list[Exchange]:
        """What of a chat was not said while writing was paused."""
        state = self._state(namespace)
        found = list(enumerate(shown))
        for one in state.all:
            if one.marks:
                marked = _marked(one.secret, conversation, shown)
                withheld = {n for n, (_, its) in enumerate(marked) if not one.marks.isdisjoint(its)}
                found = [(n, it) for n, it in found if n not in withheld]
        return [it for _, it in found]

    def is_done(self, namespace: Namespace, message: str) -> bool:
        """Whether did() was told this."""
        state = self._state(namespace)
        return any(_mark(it.secret, message) in it.done for it in state.all)

    def did(self, namespace: Namespace, *names: str) -> None:
        """Remembers that the command in the message of these names was carried out, also over a
        restart.
        """
        with self._lock:
            state = self._state(namespace)
            done = (*state.done, *(_mark(state.secret, it) for it in names))[-_MOST_DONE:]
            self._keep(namespace, replace(state, done=done))

    def adopt(self, alias: Namespace, namespace: Namespace) -> None:
        """Has all that holds for the chats of the first hold in the second, too."""
        with self._lock:
            state = self._state(namespace)
            merged = _united(state, self._state(alias))
            if merged != state:
                self._keep(namespace, merged)

    def drop(self, namespace: Namespace) -> None:
        """Forgets what it knows of a namespace whose folder is gone or another one now."""
        with self._lock:
            self._states.pop(namespace, None)

    @contextmanager
    def outliving(self, namespace: Namespace) -> Iterator[None]:
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

    def _state(self, namespace: Namespace) -> _State:
        with self._lock:
            return self._kept(namespace).get()

    def _keep(self, namespace: Namespace, state: _State) -> None:
        path = self._path(namespace)
        durable_files.make_folder(path.parent)
        durable_files.replace(path, _written(state))
        self._kept(namespace).put(state)

    def _kept(self, namespace: Namespace) -> AsWritten[_State]:
        if namespace not in self._states:
            self._states[namespace] = AsWritten(self._path(namespace), _read)
        return self._states[namespace]

    def _path(self, namespace: Namespace) -> Path:
        return namespace.folder(self.root) / FILE


def _marked(
    secret: bytes, conversation: str, shown: Sequence[Exchange]
) -> Iterator[tuple[Exchange, tuple[str, str]]]:
    """Each with two marks: of its content, and of its message behind the one before it, which
    stays the same when the answer is made anew.

    A message without words is told from others of its kind by all that was said before it.
    """
    before, before_key = "", ""
    for it in shown:
        place = ("place", conversation, before if it.user else before_key, it.user)
        yield it, (_mark(secret, "content", it.key), _mark(secret, *place))
        before, before_key = it.user or it.key, it.key


@lru_cache(maxsize=16_384)  # a long chat is looked through at each of its messages
def _mark(secret: bytes, *parts: str) -> str:
    joined = well_formed("\x1f".join(part.strip() for part in parts))
    return blake2b(joined.encode(), key=secret, digest_size=_MARK_BYTES).hexdigest()


def saved_in(folder: Path) -> Mapping[str, object] | None:
    """What a namespace's backup keeps of this; None where there is nothing. Raises StorageCorrupt,
    StorageFailed.
    """
    return _fields(_read(folder / FILE)) if durable_files.exists(folder / FILE) else None


def check(saved: Mapping[str, object]) -> None:
    """Raises ValueError, KeyError, TypeError or AttributeError for what saved_in() never gave."""
    _checked(saved)


def bring_back(saved: Mapping[str, object], folder: Path, existing: Path) -> None:
    """Writes into a namespace's new folder what a backup kept, with what holds in the existing
    one. Raises StorageCorrupt, StorageFailed.
    """
    state = _checked(saved)
    if durable_files.exists(existing / FILE):
        state = _united(_read(existing / FILE), state)
    durable_files.replace(folder / FILE, _written(state))


def _united(state: _State, other: _State) -> _State:
    """What is paused or withheld in either."""
    own, *adopted = _by_secret((*state.all, *other.all))
    never = state.never or other.never
    paused = {**state.paused}
    for chat, its in other.paused.items():
        here = paused.get(chat, Switch())
        paused[chat] = Switch(writing=here.writing or its.writing, recall=here.recall or its.recall)
    kept = tuple(it for it in adopted if it.marks or it.done)
    return replace(own, never=never, paused=paused, adopted=kept)


def _by_secret(states: Sequence[_State]) -> list[_State]:
    found: dict[bytes, _State] = {}
    for it in states:
        before = found.get(it.secret, _State(secret=it.secret))
        done = tuple(dict.fromkeys((*it.done, *before.done)))[-_MOST_DONE:]
        found[it.secret] = replace(before, marks=before.marks | it.marks, done=done)
    return list(found.values())


def _written(state: _State) -> bytes:
    return (json.dumps(_fields(state), indent=1) + "\n").encode()


def _fields(state: _State) -> dict[str, object]:
    return {
        "format": FORMAT,
        **_hashes(state),
        "paused": {
            chat: {"writing": it.writing, "recall": it.recall} for chat, it in state.paused.items()
        },
        "adopted": [_hashes(it) for it in state.adopted],
        "never": state.never,
    }


def _hashes(state: _State) -> dict[str, object]:
    return {
        "secret": state.secret.hex(),
        "marks": sorted(state.marks),
        "done": list(state.done),
    }


def _read(path: Path) -> _State:
    data = regular_files.stored(path)
    if data is None:
        return _State(secret=secrets.token_bytes(_SECRET_BYTES))
    try:
        return _checked(json.loads(data))
    except _UNUSABLE as exc:
        told = f"{path} cannot be read, so that nobody knows which chats are paused; repair or "
        raise StorageCorrupt(f"{told}delete it: {type(exc).__name__}") from exc


def _checked(saved: Mapping[str, object]) -> _State:
    if saved["format"] != FORMAT:
        raise ValueError("another format")
    paused, adopted = saved["paused"], saved.get("adopted", [])
    if not (isinstance(paused, dict) and isinstance(adopted, list)):
        raise TypeError("a part is of another type")
    return replace(
        _hashed(saved),
        never=_flag(saved.get("never", False)),
        paused={
            str(chat): Switch(writing=bool(it["writing"]), recall=bool(it["recall"]))
            for chat, it in paused.items()
        },
        adopted=tuple(map(_hashed, adopted)),
    )


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("a flag is of another type")
    return value


def _hashed(saved: Mapping[str, object]) -> _State:
    marks, done = saved["marks"], saved["done"]
    if not (isinstance(marks, list) and isinstance(done, list)):
        raise TypeError("a part is of another type")
    return _State(
        secret=bytes.fromhex(str(saved["secret"])),
        marks=frozenset(map(str, marks)),
        done=tuple(map(str, done)),
    )
