"""A model of the storage folder after a crash: the possible states of each memory."""

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.crash_child import CHAT, SPACES, TALK

GONE, FORGOTTEN = "gone", "forgotten"
BEGIN = 1_700_000_000.0
LONGEST_CHAT = 12
Key = tuple[str, str]  # namespace, word


class Model:
    """Each memory has one unique word. `_may[key]` are its possible states: "gone", "forgotten" or
    a text. There is only one, except for operations that ran when the process was killed.
    """

    KINDS = (
        *("append", "reconcile", "note", "edit", "forget", "unforget"),
        *("erase", "rebuild", "embed", "seal", "model", "backup", "export"),
    )
    _WEIGHTS = (30, 15, 4, 6, 8, 2, 4, 2, 6, 4, 2, 1, 1)

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._count = 0
        self._may: dict[Key, set[str]] = {}
        self._log: dict[Key, str] = {}
        self._ids: dict[Key, str] = {}
        self._chats: dict[str, list[tuple[str, str, float]]] = {name: [] for name in SPACES}
        self._erased: set[Key] = set()
        self._text_before: dict[Key, str] = {}  # of forgotten memories
        self._wanted: list[tuple[str, str, float]] = []

    @property
    def is_used(self) -> bool:
        return self._count > 0

    def next_op(self, kind: str = "") -> dict[str, Any]:
        """Returns the next operation; an append if the wanted kind is not possible."""
        kind = kind or self._rng.choices(self.KINDS, self._WEIGHTS)[0]
        space = self._rng.choice(list(SPACES))
        op: dict[str, Any] = {"op": kind, "space": space}
        if kind in ("append", "note"):
            return op | self._fresh(space, TALK if kind == "append" else "")
        if kind == "reconcile":
            return op | {"shown": self._changed_chat(space)}
        if kind in ("edit", "forget", "unforget"):
            return self._about(kind, space) or self.next_op("append")
        self._count += 1
        return op | {"n": self._count}

    def _fresh(self, space: str, log: str) -> dict[str, Any]:
        self._count += 1
        word = f"word{self._count}x"
        self._log[space, word] = log
        self._may[space, word] = {GONE}
        text = f"{word} is what I said of it"
        return {"word": word, "text": text, "ts": BEGIN + self._count}

    def _about(self, kind: str, space: str) -> dict[str, Any] | None:
        """Returns an operation on a memory with a known id."""
        wanted = [
            memory_id
            for memory_id in self._ids
            if memory_id[0] == space and self._can(kind, memory_id)
        ]
        if not wanted:
            return None
        key = self._rng.choice(wanted)
        op = {"op": kind, "space": space, "word": key[1], "id": self._ids[key]}
        if kind == "edit":
            self._count += 1
            op["text"] = f"{key[1]} is revised to {self._count}"
        return op

    def _can(self, kind: str, key: Key) -> bool:
        is_forgotten = self._may[key] == {FORGOTTEN}
        if kind == "unforget":
            return is_forgotten
        is_live = not self._may[key] & {FORGOTTEN, GONE}
        return is_live and (kind == "forget" or self._log[key] == TALK)

    def _changed_chat(self, space: str) -> list[tuple[str, float]]:
        """Changes, removes or inserts one exchange of a chat, and adds a new one."""
        chat = list(self._chats[space])
        if chat and self._rng.random() < 0.7:
            index = self._rng.randrange(len(chat))
            del chat[index]
            if self._rng.random() < 0.7:
                chat.insert(index, self._said(space))
        chat.append(self._said(space))
        chat = chat[-LONGEST_CHAT:]
        self._wanted = chat
        return [(text, ts) for _, text, ts in chat]

    def _said(self, space: str) -> tuple[str, str, float]:
        fresh = self._fresh(space, CHAT)
        return fresh["word"], fresh["text"], fresh["ts"]

    def begin(self, op: dict[str, Any]) -> Callable[[], None]:
        """Allows the old and the new state; call the result once it is acknowledged."""
        changes = self._changes(op)
        for key, becomes in changes.items():
            self._may[key] = self._may[key] | {becomes}
        if op["op"] == "reconcile":
            self._chats[op["space"]] = self._wanted

        def settle() -> None:
            for key, becomes in changes.items():
                self._may[key] = {becomes}
                if op["op"] == "erase":
                    self._erased.add(key)

        return settle

    def _changes(self, op: dict[str, Any]) -> dict[Key, str]:
        space = op["space"]
        own = {it: may for it, may in self._may.items() if it[0] == space}
        if op["op"] == "erase":
            return {it: GONE for it, may in own.items() if FORGOTTEN in may}
        if op["op"] == "reconcile":
            shown = {(space, word): text for word, text, _ in self._wanted}
            standing = [key for key in own if self._log[key] == CHAT and own[key] != {FORGOTTEN}]
            return {it: shown.get(it, GONE) for it in standing if it not in self._erased}
        if "word" not in op:
            return {}
        key = (space, op["word"])
        if op["op"] == "unforget":
            return {key: self._text_before[key]}
        if op["op"] == "forget":
            self._text_before[key] = next(iter(self._may[key]))
            return {key: FORGOTTEN}
        return {key: op["text"]}

    def learn(self, op: dict[str, Any], answer: dict[str, Any]) -> None:
        if "id" in answer:
            self._ids[op["space"], op["word"]] = answer["id"]

    def compare(self, seen: dict[str, Any]) -> tuple[list[str], list[str]]:
        """Returns the lost and the corrupt memories, and uses the seen state as the known one."""
        lost, corrupt = [], []
        for space, found in seen["spaces"].items():
            now, twice = self._found(space, found)
            corrupt += [f"{space}: {it} is there twice" for it in twice]
            for key in [key for key in self._may if key[0] == space]:
                is_now = now.pop(key, GONE)
                if is_now not in self._may[key]:
                    difference = f"{key}: {is_now!r}, not {self._may[key]}"
                    (lost if is_now == GONE else corrupt).append(difference)
                self._see(key, is_now)
            corrupt += [f"{key}: nobody ever said that" for key in now]
            corrupt += [f"{it} is not recalled" for it, ids in found["recalled"] if it not in ids]
            hidden = set(found["forgotten"])
            corrupt += [
                f"{space}: what is forgotten is recalled"
                for _, ids in found["recalled"]
                if hidden & set(ids)
            ]
        return lost, corrupt

    def _see(self, key: Key, is_now: str) -> None:
        was_erased = is_now == GONE and FORGOTTEN in self._may[key]
        self._may[key] = {is_now}
        if was_erased:
            self._erased.add(key)  # no later operation changes it
        if is_now not in (GONE, FORGOTTEN):
            self._text_before.pop(key, None)

    def _found(self, space: str, found: dict[str, Any]) -> tuple[dict[Key, str], list[str]]:
        words: Counter[str] = Counter()
        now: dict[Key, str] = {}
        for memory_id, text in [*found["live"][TALK], *found["live"][CHAT], *found["notes"]]:
            word = text.partition(" ")[0]
            words[word] += 1
            now[space, word] = text
            if (space, word) in self._may:
                self._ids[space, word] = memory_id
        named = {memory_id: key for key, memory_id in self._ids.items()}
        for memory_id in found["forgotten"]:
            if memory_id in named and named[memory_id] not in now:
                now[named[memory_id]] = FORGOTTEN
        return now, [word for word, count in words.items() if count > 1]

    def left_words(self, root: Path) -> list[str]:
        """Returns the erased words that are still in a file."""
        if not self._erased:
            return []
        found = []
        for space in {it[0] for it in self._erased}:
            own = [word.encode() for of, word in self._erased if of == space]
            for path in SPACES[space].folder(root).rglob("*"):
                data = path.read_bytes() if path.is_file() else b""
                found += [f"{path.name} still has {key.decode()}" for key in own if key in data]
        return found
