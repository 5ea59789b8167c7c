"""Records each call of the language model in a rotating log: its job, memory ids and cost.

A line is JSON: `{"time": "2026-11-23T05:46:09Z", "job": "exchange_summary", "key": …, "model": …,
"ids": […], "prompt_tokens": …, "completion_tokens": …, "ms": …, "outcome": "answered"}`. With texts
also `asked` [{role, text}] and `answered`, with personal data hidden.
"""

import json
import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..domain.errors import StorageFailed
from ..domain.records import Turn
from ..infra import durable_files
from ..infra.redaction import redact_personal

NAME = "model_calls.jsonl"
_LONGEST_FILE = 5 * 2**20
_KEPT = 3
_LONGEST_TEXT = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One call. `outcome` is "answered", or the failure without any quote from a memory."""

    job: str
    key: str
    model: str
    ids: Sequence[str]
    asked: Sequence[Turn]
    answered: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    ms: int = 0
    outcome: str = "answered"


class AuditLog:
    """Appends to `folder`/model_calls.jsonl; older files end in .1, .2 and .3.

    Work goes on if it cannot be written; `fault` then says why.
    """

    def __init__(
        self, folder: Path, *, keeps_texts: bool, longest_file: int = _LONGEST_FILE
    ) -> None:
        self._path = folder / NAME
        self._keeps_texts = keeps_texts
        self._longest_file = longest_file
        self._lock = threading.Lock()
        self.fault = ""

    def note(self, call: ModelCall) -> None:
        """Writes one line."""
        line = json.dumps(self._fields(call), ensure_ascii=False, separators=(",", ":"))
        try:
            self._append(f"{line}\n".encode("utf-8", "replace"))
            self.fault = ""
        except StorageFailed as exc:
            self.fault = f"calls of the language model are not noted: {exc}"

    def _append(self, data: bytes) -> None:
        durable_files.make_folder(self._path.parent)
        with self._lock, durable_files.naming_errors(self._path):
            self._rotate()
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
            descriptor = os.open(self._path, flags, durable_files.FILE_MODE)
            try:
                os.write(descriptor, data)
            finally:
                os.close(descriptor)

    def _fields(self, call: ModelCall) -> Mapping[str, Any]:
        fields: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "job": call.job,
            "key": call.key,
            "model": call.model,
            "ids": list(call.ids),
            "prompt_tokens": call.prompt_tokens,
            "completion_tokens": call.completion_tokens,
            "ms": call.ms,
            "outcome": redact_personal(call.outcome),
        }
        if self._keeps_texts:
            fields["asked"] = [
                {"role": turn.role, "text": _redacted(turn.text)} for turn in call.asked
            ]
            fields["answered"] = _redacted(call.answered)
        return fields

    def _rotate(self) -> None:
        if not self._path.exists() or self._path.stat().st_size < self._longest_file:
            return
        for number in range(_KEPT, 0, -1):
            older = self._numbered(number - 1)
            if older.exists():
                os.replace(older, self._numbered(number))

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{NAME}.{number}") if number else self._path


def _redacted(text: str) -> str:
    # Redacted before it is cut: half a card number would not be recognised.
    return redact_personal(text[: 2 * _LONGEST_TEXT])[:_LONGEST_TEXT]
