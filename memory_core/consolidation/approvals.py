"""Approves proposals of the review by rule, without the language model."""

from collections.abc import Iterable, Sequence

from ..config.consolidation_settings import AutoApprove, ConsolidationSettings
from ..domain.records import MemoryKind
from ..memory.inbox import PROPOSED, Reason, note_of, open_proposals
from ..memory.namespace_memory import NamespaceMemory
from ..storage.log.events import Event, EventType
from .contract import JobModel, Reflection, Result, Task, Update


class Approvals:
    """Makes notes of the kinds that `consolidation.auto_approve` names, each memory only once."""

    name = "approvals"

    def __init__(self, *, settings: ConsolidationSettings) -> None:
        self._min_times = settings.proposal_min_times
        self._only_insights = settings.auto_approve is AutoApprove.INSIGHTS

    def keys(self, events: Sequence[Event]) -> Iterable[str]:
        """Returns the ids of new facts and insights, and of facts that were said again."""
        return list(dict.fromkeys(filter(None, map(_changed_proposal, events))))

    def prepare(self, opened: NamespaceMemory, key: str) -> Task | None:
        found = open_proposals(opened, min_times=self._min_times, ids=[key])
        if not found or (self._only_insights and found[0].memory.kind is not MemoryKind.INSIGHT):
            return None
        (proposal,) = found
        if proposal.reason is not Reason.CHANGED and _was_approved(opened, key):
            return None  # the user withdrew the note
        old = opened.records([note.id for note in proposal.replaces])
        records = {key: proposal.record, **old}
        return Task(key=key, records=records, details={"proposal": proposal})

    def run(self, task: Task, model: JobModel) -> Sequence[Result]:
        proposal = task.details["proposal"]
        older = tuple(note.id for note in proposal.replaces)
        update = Update(new=note_of(proposal), replaces=older)
        return [Reflection(updates=(update,), read=(task.key,))]


def _changed_proposal(event: Event) -> str:
    if event.op is EventType.SUPERSEDE:
        return str(event.fields.get("superseded_by", ""))
    is_proposed = event.op is EventType.NOTE and event.fields.get("kind") in PROPOSED
    return event.id if is_proposed else ""


def _was_approved(opened: NamespaceMemory, key: str) -> bool:
    record = opened.records([key]).get(key)
    derived = record.memory.derived if record else None
    made = opened.records(derived.reflected_into) if derived else {}
    return any(one.memory.kind is MemoryKind.KNOWLEDGE for one in made.values())
