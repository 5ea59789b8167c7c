"""Recorded answers of a language model, by the hash of the prompt that it saw.

`answers.jsonl` holds a line {"prompt": hash, "answer": text} for each. Prompts without an answer
are collected, so that somebody can ask a model for them: pending.jsonl holds a line
{"prompt": hash, "turns": [[role, text], ...]} for each.
"""

import hashlib
import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from memory_core.domain.errors import LLMRefused
from memory_core.domain.records import Turn
from memory_core.infra.deadlines import Interrupt
from memory_core.providers.llm.base import Completion, LLMRequest

ANSWERS, PENDING = "answers.jsonl", "pending.jsonl"
_LOST = 0.2  # of the fields
_WRONG = 0.2  # of the numbers that a verdict names

Spoil = Callable[[str], str]


def prompt_key(turns: Sequence[Turn]) -> str:
    """Returns the hash of all turns of a prompt, with their roles."""
    said = json.dumps([[turn.role.value, turn.text] for turn in turns], ensure_ascii=False)
    return hashlib.sha256(said.encode()).hexdigest()[:32]


class RecordedModel:
    """A background model that gives recorded answers. Refuses a prompt that has none.

    `pending` collects the prompts without an answer.
    """

    name = "recorded"

    def __init__(self, folder: Path, *, spoil: Spoil) -> None:
        self._answers = read_answers(folder)
        self._spoil = spoil
        self.pending: dict[str, list[list[str]]] = {}

    def ask(self, request: LLMRequest, interrupt: Interrupt) -> Completion:
        key = prompt_key(request.turns)
        answer = self._answers.get(key)
        if answer is None:
            self.pending[key] = [[turn.role.value, turn.text] for turn in request.turns]
            raise LLMRefused("no answer to this prompt was recorded")
        return Completion(text=self._spoil(answer))


def read_answers(folder: Path) -> Mapping[str, str]:
    path = folder / ANSWERS
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {row["prompt"]: row["answer"] for row in map(json.loads, filter(None, lines))}


def write_pending(folder: Path, pending: Mapping[str, list[list[str]]]) -> Path:
    path = folder / PENDING
    lines = (
        json.dumps({"prompt": key, "turns": turns}, ensure_ascii=False)
        for key, turns in pending.items()
    )
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def good(answer: str) -> str:
    """Returns the answer as it was given."""
    return answer


def mediocre(answer: str) -> str:
    """Returns the answer of a weak model: a fifth of the fields is empty, a fifth of the verdicts
    names other numbers. Equal answers are always spoilt equally.
    """
    chance = random.Random(answer)
    try:
        found = json.loads(answer)
    except ValueError:
        return answer
    for fact in found.get("facts", []):
        for name in fact:
            if chance.random() < _LOST:
                fact[name] = ""
    for verdict in ("repeats", "replaces", "denies", "unsure"):
        for pair in found.get(verdict, []):
            if chance.random() < _WRONG:
                pair[1] = pair[1] % 12 + 1
    return json.dumps(found, ensure_ascii=False)


def broken(answer: str) -> str:
    """Returns the answer of a model that breaks off in the middle of the JSON."""
    return re.sub(r"[{}\[\]]", "", answer)[: max(1, len(answer) // 2)]


QUALITIES: Mapping[str, Spoil] = {"good": good, "mediocre": mediocre, "broken": broken}
