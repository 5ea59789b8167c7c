"""Compares the observations of one exchange with those known about the same people.

If two cannot both be true, the newer one holds. Nothing is deleted: the older one is recalled
for questions about the past. Uncertain pairs wait for a person to decide.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ..domain.derivations import PLAN
from ..domain.errors import BadAnswer
from ..domain.records import Memory
from ..memory.namespace_memory import NamespaceMemory
from ..storage.log.events import Event, EventType
from ..text.prompt_files import PromptContract, quoted
from ..text.token_counter import beginning
from .calendar_days import minute_of
from .contract import Doubtful, JobModel, Replaced, Result, Task
from .job_model import PromptedJob, answer_schema, number_of
from .similar_facts import OBSERVATIONS, is_open, key_of, similar_facts

PROMPT = PromptContract(
    name="contradictions",
    folder=Path(__file__).parent / "prompts",
    required=("new", "known"),
    json_keys=("repeats", "replaces", "denies", "unsure"),
)
_VERDICTS = ("repeats", "replaces", "denies", "unsure")
_PAIRS = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}
_SCHEMA = answer_schema(dict.fromkeys(_VERDICTS, _PAIRS))
_LONGEST, _FACT_TOKENS = 300, 100

Pair = tuple[Memory, Memory]


class Contradictions(PromptedJob):
    """Compares with `contradiction_max_known` observations: same property or similar words."""

    name = "contradictions"
    contract, schema = PROMPT, _SCHEMA

    def keys(self, events: Sequence[Event]) -> Iterable[str]:
        """Returns the source ids of new observations, as those of an exchange share a job."""
        notes = (event.fields for event in events if event.op is EventType.NOTE)
        made = (fields for fields in notes if fields.get("kind") in OBSERVATIONS)
        return list(dict.fromkeys(str(source) for own in made for source in own.get("sources", ())))

    def prepare(self, opened: NamespaceMemory, key: str) -> Task | None:
        made = (entry for entry in opened.derived_records([key]) if is_open(entry.memory))
        new = sorted(made, key=lambda entry: entry.seq)
        limit = self._settings.contradiction_max_known
        known = similar_facts(opened, new, limit=limit) if new else []
        if not known:
            return None
        records = {entry.memory.id: entry for entry in (*new, *known)}
        details = {
            "new": [entry.memory for entry in new],
            "known": [entry.memory for entry in known],
        }
        return Task(key=key, records=records, details=details)

    def run(self, task: Task, model: JobModel) -> Sequence[Result]:
        new, known = task.details["new"], task.details["known"]
        fields = {"new": _listed(new), "known": _listed(known)}
        answer = self._ask(model, fields, like="\n".join(memory.text for memory in new))
        named = {name: list(_pairs(answer[name], new, known)) for name in _VERDICTS}
        repeated = {one.id for one, _ in named["repeats"]}
        denied = [pair for pair in named["denies"] if pair[0].id not in repeated]
        replaced = [pair for pair in named["replaces"] if pair[0].id not in repeated]
        results: list[Result] = [_repeat(*pair) for pair in named["repeats"]]
        results += [_denial(*pair) for pair in denied]
        results += [_replacement(*pair) for pair in replaced if _may_replace(*pair)]
        settled = {frozenset((one.id, other.id)) for one, other in (*denied, *replaced)}
        unsure = [
            pair for pair in named["unsure"] if frozenset(one.id for one in pair) not in settled
        ]
        return [*_distinct(results), *_doubts(unsure, repeated)]


def _listed(memories: Sequence[Memory]) -> str:
    return "\n".join(
        f"[{number}] {_day(memory)}{quoted(beginning(memory.text, _FACT_TOKENS), limit=_LONGEST)}"
        for number, memory in enumerate(memories, start=1)
    )


def _day(memory: Memory) -> str:
    plan = "plan " if key_of(memory) == PLAN else ""
    return f"{minute_of(memory.ts)} {plan}"


def _pairs(value: object, new: Sequence[Memory], known: Sequence[Memory]) -> Iterable[Pair]:
    """Yields the pairs that the model named. Raises BadAnswer for numbers that it was not given."""
    if not isinstance(value, list):
        raise BadAnswer("a verdict is no list of pairs")
    for pair in value:
        numbers = [number_of(one) for one in pair] if isinstance(pair, list) else []
        if len(numbers) != 2 or not (0 < numbers[0] <= len(new) and 0 < numbers[1] <= len(known)):
            raise BadAnswer("a verdict names facts that it was not given")
        yield new[numbers[0] - 1], known[numbers[1] - 1]


def _repeat(memory: Memory, known: Memory) -> Replaced:
    """Lets the known one replace the new one, which returns if the known one is forgotten."""
    return Replaced(old=memory.id, new=known.id, valid_to=memory.ts)


def _denial(memory: Memory, known: Memory) -> Replaced:
    """Lets the one said later replace the other, which then never held."""
    newer, older = _newest_first(memory, known)
    return Replaced(old=older.id, new=newer.id, valid_to=older.ts)


def _may_replace(memory: Memory, known: Memory) -> bool:
    """Returns False for a plan that would replace a fact."""
    newer, older = _newest_first(memory, known)
    return key_of(newer) != PLAN or key_of(older) == PLAN


def _replacement(memory: Memory, known: Memory) -> Replaced:
    newer, older = _newest_first(memory, known)
    return Replaced(old=older.id, new=newer.id)


def _newest_first(memory: Memory, known: Memory) -> Pair:
    """Orders two observations by the time of saying; at the same time, the known one is older."""
    return (known, memory) if (known.ts or 0.0) > (memory.ts or 0.0) else (memory, known)


def _distinct(results: Sequence[Result]) -> list[Result]:
    """Returns at most one replacement of each observation, the first."""
    first: dict[str, Result] = {}
    for result in results:
        if isinstance(result, Replaced):
            first.setdefault(result.old, result)
    return list(first.values())


def _doubts(unsure: Sequence[Pair], repeated: Iterable[str]) -> list[Result]:
    skipped, others = set(repeated), dict[str, dict[str, None]]()
    for memory, known in unsure:
        if memory.id not in skipped:
            others.setdefault(memory.id, {})[known.id] = None
    return [Doubtful(memory_id=name, others=tuple(found)) for name, found in others.items()]
