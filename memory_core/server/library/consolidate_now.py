"""Does the background work that is due at once, and tells which memories came of it."""

from collections import Counter
from collections.abc import Iterator, Mapping

from ...consolidation.assembly import build_runner
from ...consolidation.runner import Step
from ...domain.namespaces import Namespace
from ...domain.records import Memory
from ...infra.deadlines import NEVER
from ...memory.derived_memories import DerivedMemories
from ...memory.runtime import Runtime
from ...storage.contract import DerivedFilter

_MOST_LINES = 50
_LONGEST_LINE = 300


def consolidate_now(runtime: Runtime, owner: Namespace) -> str:
    """Returns the numbers of jobs, then a line for each new or outdated memory.

    Raises ConfigError without a language model, LLMUnavailable if it does not answer.
    """
    runner = build_runner(
        runtime.memory,
        runtime.settings,
        runtime.models,
        home=runtime.installation,
        clock=runtime.clock,
    )
    runner.end_pause()  # the caller may have repaired the model
    before = _derived(runtime, owner)
    due = runner.scan(owner, NEVER).due
    outcomes = Counter(step for step, _ in runner.run_due(owner, NEVER, due=due))
    runtime.schedule(owner)
    lines = list(_changes(before, _derived(runtime, owner)))
    more = [f"and {len(lines) - _MOST_LINES:,} more"] if len(lines) > _MOST_LINES else []
    counts = f"done: {outcomes[Step.DONE]:,}, failed: {outcomes[Step.FAILED]:,}"
    return "\n".join([counts, *lines[:_MOST_LINES], *more])


def _derived(runtime: Runtime, owner: Namespace) -> Mapping[str, Memory]:
    if not runtime.memory.has_namespace(owner):
        return {}
    found = DerivedMemories(runtime.memory).find(owner, DerivedFilter())
    return {memory.id: memory for memory in found}


def _changes(before: Mapping[str, Memory], after: Mapping[str, Memory]) -> Iterator[str]:
    for memory in after.values():
        known = before.get(memory.id)
        if known is None:
            flag = f" ({memory.derived.flag})" if memory.derived and memory.derived.flag else ""
            yield f"new {memory.kind}{flag}: {_short(memory)}"
        if _is_outdated(memory) and not (known and _is_outdated(known)):
            yield f"no longer true: {_short(memory)}"


def _is_outdated(memory: Memory) -> bool:
    return memory.derived is not None and memory.derived.valid_to is not None


def _short(memory: Memory) -> str:
    text = " ".join(memory.text.split())
    return text if len(text) <= _LONGEST_LINE else f"{text[: _LONGEST_LINE - 1]}…"
