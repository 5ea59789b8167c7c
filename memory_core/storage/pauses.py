"""Pauses of chats and characters, and keyed hashes of excluded exchanges and executed commands.

Each namespace has them in its folder's switches.json, which holds no text of any chat. A chat's
state also names the memories that are left out of its prompts, by their ids.
"""

import json
import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..domain.errors import StorageCorrupt, StorageError
from ..domain.namespaces import Namespace
from ..domain.records import Exchange
from ..infra import durable_files
from ..infra.json_codec import UNUSABLE_JSON
from ..infra.regular_files import WatchedFile
from .exchange_hashes import keyed_hash, unnamed_chat_hash, with_hashes
from .small_files import LOCAL_FILES, SmallFiles

FILE = "switches.json"
FORMAT = 1
UNNAMED = "h-"  # begins the conversation's name of a chat that has none
_MAX_EXECUTED = 600  # up to three for each message
_SECRET_BYTES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseState:
    """Pauses of one chat, and the ids of memories that are left out of its prompts."""

    is_writing_paused: bool = False
    is_recall_paused: bool = False
    left_out: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return self.is_paused or bool(self.left_out)

    @property
    def is_paused(self) -> bool:
        return self.is_writing_paused or self.is_recall_paused

    def joined(self, other: "PauseState") -> "PauseState":
        """Returns the union of both states."""
        return PauseState(
            is_writing_paused=self.is_writing_paused or other.is_writing_paused,
            is_recall_paused=self.is_recall_paused or other.is_recall_paused,
            left_out=self.left_out | other.left_out,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _NamespacePauses:
    """Content of one namespace's file.

    `excluded_hashes` are of exchanges said while writing was paused, `executed_hashes` of messages
    with executed commands. `is_never_remembered` excludes all chats of the character.
    """

    secret: bytes
    is_never_remembered: bool = False
    paused: Mapping[str, PauseState] = field(default_factory=dict)
    excluded_hashes: frozenset[str] = frozenset()
    executed_hashes: tuple[str, ...] = ()
    # Hashes of namespaces merged into this one, under their own secrets.
    merged: tuple["_NamespacePauses", ...] = ()

    @property
    def own_and_merged(self) -> tuple["_NamespacePauses", ...]:
        return (self, *self.merged)


class ChatPauses:
    """Pauses of all namespaces below a storage folder. Safe for many threads.

    All methods raise StorageCorrupt if the file is damaged, since its pauses are then unknown, and
    StorageFailed.
    """

    def __init__(self, root: Path, files: SmallFiles = LOCAL_FILES) -> None:
        self.root = root
        self._files = files
        self._lock = threading.RLock()
        self._states: dict[Namespace, WatchedFile[_NamespacePauses]] = {}

    def get(self, namespace: Namespace, conversation: str) -> PauseState:
        return self._state(namespace).paused.get(conversation, PauseState())

    def paused_chats(self, namespace: Namespace) -> dict[str, PauseState]:
        """Returns conversation → pauses, for the chats in which anything is paused."""
        states = self._state(namespace).paused.items()
        return {chat: state for chat, state in states if state.is_paused}

    def chat_states(self, namespace: Namespace) -> dict[str, PauseState]:
        """Returns conversation → state of all chats that have one."""
        return dict(self._state(namespace).paused)

    def set_pause(self, namespace: Namespace, conversation: str, pause: PauseState) -> None:
        """Sets a chat's pauses; they are on disk on return."""
        with self._changing(namespace):
            state = self._state(namespace)
            paused = {chat: old for chat, old in state.paused.items() if chat != conversation}
            if pause:
                paused[conversation] = pause
            self._save(namespace, replace(state, paused=paused))

    def is_never_remembered(self, namespace: Namespace) -> bool:
        """Returns whether no chat of this character is remembered."""
        return self._state(namespace).is_never_remembered

    def is_writing_paused(self, namespace: Namespace, conversation: str) -> bool:
        """Returns whether nothing new of this chat is written."""
        state = self._state(namespace)
        return (
            state.is_never_remembered
            or state.paused.get(conversation, PauseState()).is_writing_paused
        )

    def set_never_remembered(self, namespace: Namespace, *, wanted: bool) -> None:
        """Sets whether this character is never remembered; on disk on return."""
        with self._changing(namespace):
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
        """Excludes the exchanges of `shown` with a content of `new` from storage, in all chats.

        In this chat an exchange stays excluded when its answer is regenerated, and so it does in
        its branches if the chat has times.
        """
        keys = {exchange.key for exchange in new}
        with self._changing(namespace):
            state = self._state(namespace)
            hashes = {
                one
                for exchange, own_hashes in with_hashes(state.secret, conversation, shown)
                if exchange.key in keys
                for one in own_hashes
            }
            if not hashes <= state.excluded_hashes:
                excluded = state.excluded_hashes | hashes
                self._save(namespace, replace(state, excluded_hashes=excluded))

    def set_first_excluded(self, namespace: Namespace, message: str, *, wanted: bool) -> None:
        """Excludes the first message of a chat that has no name yet, or ends that."""
        with self._changing(namespace):
            state = self._state(namespace)
            mark = {unnamed_chat_hash(state.secret, message)}
            before = state.excluded_hashes
            after = before | mark if wanted else before - mark
            if after != before:
                self._save(namespace, replace(state, excluded_hashes=after))

    def without_excluded(
        self, namespace: Namespace, conversation: str, shown: Sequence[Exchange]
    ) -> list[Exchange]:
        """Returns the chat without the excluded exchanges."""
        excluded: set[int] = set()
        for state in self._state(namespace).own_and_merged:
            if state.excluded_hashes:
                hashed = with_hashes(state.secret, conversation, shown)
                excluded.update(
                    index
                    for index, (_, hashes) in enumerate(hashed)
                    if not state.excluded_hashes.isdisjoint(hashes)
                )
                if shown and conversation.startswith(UNNAMED) and shown[0].user:
                    first = unnamed_chat_hash(state.secret, shown[0].user)
                    excluded.update({0} if first in state.excluded_hashes else ())
        return [exchange for index, exchange in enumerate(shown) if index not in excluded]

    def was_executed(self, namespace: Namespace, message: str) -> bool:
        """Returns whether mark_executed() was called with this message."""
        return any(
            keyed_hash(state.secret, message) in state.executed_hashes
            for state in self._state(namespace).own_and_merged
        )

    def mark_executed(self, namespace: Namespace, *names: str) -> None:
        """Records on disk that the command in the message with these names was executed."""
        with self._changing(namespace):
            state = self._state(namespace)
            new = (keyed_hash(state.secret, name) for name in names)
            latest = (*state.executed_hashes, *new)[-_MAX_EXECUTED:]
            self._save(namespace, replace(state, executed_hashes=latest))

    def merge_from(self, alias: Namespace, namespace: Namespace) -> None:
        """Copies all pauses and hashes of the alias to the namespace."""
        with self._changing(namespace):
            self._merge(namespace, self._state(alias))

    def adopt_excluded(self, other: Namespace, namespace: Namespace) -> None:
        """Excludes in the namespace, too, what is excluded in the other one; copies no pauses."""
        theirs = replace(self._state(other), is_never_remembered=False, paused={})
        with self._changing(namespace):
            self._merge(namespace, theirs)

    def take_over(self, unsaved: "ChatPauses", namespace: Namespace) -> None:
        """Saves what another object excludes in the namespace, which then forgets it."""
        with unsaved._lock, self._changing(namespace):
            theirs = unsaved._state(namespace)
            if theirs.excluded_hashes:
                if self._files.stamp(self._path(namespace)):
                    self._merge(namespace, theirs)
                else:
                    self._save(namespace, theirs)  # its hashes stay its own
                unsaved._files.remove(self._path(namespace))

    def drop(self, namespace: Namespace) -> None:
        """Drops the cached state of a namespace whose folder was deleted or swapped."""
        with self._lock:
            self._states.pop(namespace, None)

    @contextmanager
    def preserve_exclusions(self, namespace: Namespace) -> Iterator[None]:
        """Restores what is never to be remembered after the block deletes the namespace's folder.

        That is the mark of the character, and the excluded exchanges. An unreadable file counts as
        none, so that it never prevents the deletion.
        """
        kept: _NamespacePauses | None = None
        with suppress(StorageError):
            kept = _exclusions(self._state(namespace))
        yield
        self.drop(namespace)
        if kept is not None:
            with self._changing(namespace):
                self._save(namespace, kept)

    def _state(self, namespace: Namespace) -> _NamespacePauses:
        return (self._states.get(namespace) or self._watch(namespace)).get()

    def _merge(self, namespace: Namespace, theirs: _NamespacePauses) -> None:
        state = self._state(namespace)
        merged = _merge_states(state, theirs)
        if merged != state:
            self._save(namespace, merged)

    def _save(self, namespace: Namespace, state: _NamespacePauses) -> None:
        self._files.replace(self._path(namespace), _encode(state))
        (self._states.get(namespace) or self._watch(namespace)).set_cached(state)

    def _watch(self, namespace: Namespace) -> WatchedFile[_NamespacePauses]:
        new = WatchedFile(self._path(namespace), self._read, self._files.stamp)
        return self._states.setdefault(namespace, new)

    @contextmanager
    def _changing(self, namespace: Namespace) -> Iterator[None]:
        with self._lock, self._files.changing(self._path(namespace)):
            yield

    def _read(self, path: Path) -> _NamespacePauses:
        return _decode(self._files.read(path), path)

    def _path(self, namespace: Namespace) -> Path:
        return namespace.folder(self.root) / FILE


def read_saved(folder: Path) -> Mapping[str, object] | None:
    """Returns the fields that a backup stores, None if there is no file.

    Raises StorageCorrupt, StorageFailed.
    """
    path = folder / FILE
    return _fields(_decode(LOCAL_FILES.read(path), path)) if durable_files.exists(path) else None


def restore(saved: Mapping[str, object], folder: Path, existing: Path) -> None:
    """Writes a backup's fields into a namespace's new folder, merged with those of `existing`.

    Raises StorageCorrupt, StorageFailed.
    """
    state = check_saved(saved)
    if durable_files.exists(path := existing / FILE):
        state = _merge_states(_decode(LOCAL_FILES.read(path), path), state)
    durable_files.replace(folder / FILE, _encode(state))


def _exclusions(state: _NamespacePauses) -> _NamespacePauses | None:
    """Returns the state without pauses and executed commands; None if nothing is left."""
    own, *merged = (replace(one, executed_hashes=(), merged=()) for one in state.own_and_merged)
    merged = [one for one in merged if one.excluded_hashes]
    if not (own.is_never_remembered or own.excluded_hashes or merged):
        return None
    return replace(own, paused={}, merged=tuple(merged))


def _merge_states(state: _NamespacePauses, other: _NamespacePauses) -> _NamespacePauses:
    """Returns the union of both states, under the first one's secret."""
    own, *others = _by_secret((*state.own_and_merged, *other.own_and_merged))
    never = state.is_never_remembered or other.is_never_remembered
    paused = {**state.paused}
    for chat, theirs in other.paused.items():
        paused[chat] = paused.get(chat, PauseState()).joined(theirs)
    merged = tuple(other for other in others if other.excluded_hashes or other.executed_hashes)
    return replace(own, is_never_remembered=never, paused=paused, merged=merged)


def _by_secret(states: Sequence[_NamespacePauses]) -> list[_NamespacePauses]:
    found: dict[bytes, _NamespacePauses] = {}
    for state in states:
        before = found.get(state.secret, _NamespacePauses(secret=state.secret))
        executed = tuple(dict.fromkeys((*state.executed_hashes, *before.executed_hashes)))
        found[state.secret] = replace(
            before,
            excluded_hashes=before.excluded_hashes | state.excluded_hashes,
            executed_hashes=executed[-_MAX_EXECUTED:],
        )
    return list(found.values())


def _encode(state: _NamespacePauses) -> bytes:
    return (json.dumps(_fields(state), indent=1) + "\n").encode()


def _fields(state: _NamespacePauses) -> dict[str, object]:
    return {
        "format": FORMAT,
        **_hashes(state),
        "paused": {chat: _chat_fields(pause) for chat, pause in state.paused.items()},
        "adopted": [_hashes(other) for other in state.merged],
        "never": state.is_never_remembered,
    }


def _chat_fields(state: PauseState) -> dict[str, object]:
    pauses = {"writing": state.is_writing_paused, "recall": state.is_recall_paused}
    return pauses | ({"left_out": sorted(state.left_out)} if state.left_out else {})


def _hashes(state: _NamespacePauses) -> dict[str, object]:
    return {
        "secret": state.secret.hex(),
        "marks": sorted(state.excluded_hashes),
        "done": list(state.executed_hashes),
    }


def _decode(data: bytes | None, path: Path) -> _NamespacePauses:
    if data is None:
        return _NamespacePauses(secret=secrets.token_bytes(_SECRET_BYTES))
    try:
        return check_saved(json.loads(data))
    except UNUSABLE_JSON as exc:
        raise StorageCorrupt(
            f"{path} cannot be read, so it is unknown which chats are paused; repair or delete it: "
            f"{type(exc).__name__}"
        ) from exc


def check_saved(saved: Mapping[str, object]) -> _NamespacePauses:
    """Reads the fields of a file or a backup. Raises one of UNUSABLE_JSON."""
    if saved["format"] != FORMAT:
        raise ValueError("another format")
    paused, adopted, never = saved["paused"], saved.get("adopted", []), saved.get("never", False)
    if not (isinstance(paused, dict) and isinstance(adopted, list) and isinstance(never, bool)):
        raise TypeError("a part is of another type")
    return replace(
        _decode_hashes(saved),
        is_never_remembered=never,
        paused={str(chat): _chat_state(fields) for chat, fields in paused.items()},
        merged=tuple(map(_decode_hashes, adopted)),
    )


def _chat_state(fields: Mapping[str, object]) -> PauseState:
    left_out = fields.get("left_out", [])
    if not isinstance(left_out, list):
        raise TypeError("a part is of another type")
    return PauseState(
        is_writing_paused=bool(fields["writing"]),
        is_recall_paused=bool(fields["recall"]),
        left_out=frozenset(map(str, left_out)),
    )


def _decode_hashes(saved: Mapping[str, object]) -> _NamespacePauses:
    marks, done = saved["marks"], saved["done"]
    if not (isinstance(marks, list) and isinstance(done, list)):
        raise TypeError("a part is of another type")
    return _NamespacePauses(
        secret=bytes.fromhex(str(saved["secret"])),
        excluded_hashes=frozenset(map(str, marks)),
        executed_hashes=tuple(map(str, done)),
    )
