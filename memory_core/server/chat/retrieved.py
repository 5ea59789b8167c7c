"""The `retrieved` field of an answer: the memories in the prompt, in two lists.

The fields are those of OpenPersistentMemory, `ts` in seconds since the epoch.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any

from ...admin.exporters.row_fields import conversation_name
from ...domain.records import empty_mapping
from ...infra.calendar_time import to_datetime
from ...prompt.plan import PromptPlan
from ...prompt.system_block import EXTRACT_FORM, SYSTEM_FORM
from ...recall.results import Form, Recall, Recalled

_SYSTEM_FORMS = (SYSTEM_FORM, EXTRACT_FORM)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreResult:
    """Says if an exchange is on disk. `reason` may say why it is not; it never has its words."""

    is_stored: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """The memories in a prompt. `notes` say in plain words what was skipped or missing.

    `standing` are the lines in every prompt of the conversation, whatever the message.
    `explanation` says what recall left out and why, if the request asked for it.
    """

    replay: tuple[dict[str, Any], ...] = ()
    summary_only: tuple[dict[str, Any], ...] = ()
    standing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    explanation: Mapping[str, Any] = field(default_factory=empty_mapping)

    def payload(self, stored: StoreResult) -> dict[str, Any]:
        """Returns the field's value. A reason for not storing the exchange is among the notes."""
        return {
            "replay": list(self.replay),
            "summary_only": list(self.summary_only),
            "always_in_prompt": list(self.standing),
            "notes": [*self.notes, *filter(None, [stored.reason])],
            "stored": stored.is_stored,
            **self.explanation,
        }


def retrieved_in(recall: Recall, plan: PromptPlan) -> Retrieved:
    """Returns the memories that the plan injects, in the order of recall.

    A recalled memory that only the system block quotes is among the lines with that text, too.
    """
    recalled_ids = {recalled.memory.id for recalled in recall.kept}
    own = {part.memory_id: part for part in plan.injected if part.form not in _SYSTEM_FORMS}
    parts = {part.memory_id: part for part in plan.injected} | own
    used = [(recalled, part) for recalled in recall.kept if (part := parts.get(recalled.memory.id))]
    return Retrieved(
        replay=tuple(_replay(recalled) for recalled, part in used if part.form == Form.REPLAY),
        summary_only=tuple(
            _fields(recalled) | {"summary": part.text}
            for recalled, part in used
            if part.form != Form.REPLAY
        ),
        standing=tuple(
            part.text
            for part in plan.injected
            if part.form in _SYSTEM_FORMS or part.memory_id not in recalled_ids
        ),
        notes=(*recall.degraded_reasons, *plan.problems),
    )


def explanation_of(recall: Recall, plan: PromptPlan) -> dict[str, Any]:
    """Returns the fields that say what was left out, best first, and how likely one was wanted."""
    dropped = sorted((*recall.dropped, *plan.dropped), key=lambda drop: -drop.candidate.score)
    return {
        "need": None if recall.need is None else round(recall.need, 4),
        "dropped": [
            {
                "memory_id": drop.candidate.memory.id,
                "score": round(drop.candidate.score, 4),
                "reason": drop.reason.value,
                "detail": drop.detail,
            }
            for drop in dropped
        ],
    }


def iso_time(ts: float | None) -> str | None:
    """Returns a time in ISO 8601, UTC; None for an unknown or impossible one."""
    moment = to_datetime(ts, UTC)
    return moment.isoformat() if moment else None


def _replay(recalled: Recalled) -> dict[str, Any]:
    exchange = recalled.memory.exchange
    return _fields(recalled) | {
        "raw_user": exchange.user if exchange else "",
        "raw_assistant": exchange.assistant if exchange else "",
    }


def _fields(recalled: Recalled) -> dict[str, Any]:
    memory = recalled.memory
    return {
        "memory_id": memory.id,
        "ts": memory.ts,
        "score": round(recalled.candidate.score, 4),
        "conv_id": conversation_name(memory),
        "turn_id": memory.turn_id,
    }
