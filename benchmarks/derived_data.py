"""The published observations and summaries of LoCoMo's conversations, as a scripted extractor's.

https://github.com/snap-research/locomo: each observation names the turns that it was made of.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.locomo import TurnId, turn_ids

_OBSERVATION = "session_{}_observation"
_SUMMARY = "session_{}_summary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One observed fact of one speaker. `turns` are those that it names."""

    session: int
    subject: str
    text: str
    turns: tuple[TurnId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """All that was extracted from one conversation; `summaries` by number of the session."""

    observations: Sequence[Observation]
    summaries: Mapping[int, str]


def read_extracted(path: Path) -> dict[str, Extracted]:
    """Returns name of the conversation → the memories extracted from it."""
    records = json.loads(path.read_text(encoding="utf-8"))
    return {record["sample_id"]: _extracted(record) for record in records}


def _extracted(record: Mapping[str, Any]) -> Extracted:
    observed, raw = record["observation"], record["session_summary"]
    sessions = range(1, 1 + max(len(observed), len(raw)))
    return Extracted(
        observations=[
            observation
            for session in sessions
            for observation in _observations(session, observed.get(_OBSERVATION.format(session)))
        ],
        summaries={
            session: raw[_SUMMARY.format(session)]
            for session in sessions
            if raw.get(_SUMMARY.format(session))
        },
    )


def _observations(
    session: int, by_subject: Mapping[str, Sequence[Any]] | None
) -> Iterator[Observation]:
    """Yields the observations that name a turn; some name several, as a list or in one text."""
    for subject, found in (by_subject or {}).items():
        for text, named in found:
            turns = turn_ids([named] if isinstance(named, str) else named)
            if turns:
                yield Observation(session=session, subject=subject, text=text, turns=tuple(turns))
