"""One turn's trace as table rows and sentences."""

import time
from collections.abc import Mapping, Sequence

from ....domain.unicode import well_formed
from ....memory.traces import Injected, Trace
from ....recall.results import Candidate, Dropped
from ....text.locales import Words
from ..common.memory_text import clipped
from ..common.wording import day_text
from .cards import shown_ids
from .details import detail_text

TableRow = list[str]

INJECTED_COLUMNS = ("form", "date", "score", "why", "tokens", "text")
DROPPED_COLUMNS = ("reason", "date", "score", "why", "text")
_MAX_LABEL_CHARS = 70


def trace_choices(traces: Sequence[Trace], words: Words) -> list[tuple[str, str]]:
    """Returns (label, key) of each trace, in the given order; the first one is the last answer."""
    labels = [
        f"{_format_time(trace.ts, words)} · {clipped(well_formed(trace.query), _MAX_LABEL_CHARS)}"
        for trace in traces
    ]
    if labels:  # its question stands below
        labels[0] = words("answer_newest", when=_format_time(traces[0].ts, words))
    return [(label, trace_key(trace)) for label, trace in zip(labels, traces, strict=True)]


def trace_key(trace: Trace) -> str:
    return f"{trace.ts:.6f}"


def trace_by_key(traces: Sequence[Trace], wanted: str | None) -> Trace | None:
    """Returns the trace with this key, else the first one, if there is any."""
    return next((trace for trace in traces if trace_key(trace) == wanted), next(iter(traces), None))


def injected_rows(trace: Trace, words: Words) -> list[TableRow]:
    """Returns rows of the recalled memories, best first, then of the system block."""
    known = {recalled.memory.id: recalled.candidate for recalled in trace.recall.kept}
    scores = {memory_id: candidate.score for memory_id, candidate in known.items()}
    ordered = sorted(trace.injected, key=lambda entry: -scores.get(entry.memory_id, -1.0))
    return [_injected_row(entry, known, words) for entry in ordered]


def dropped_rows(trace: Trace, words: Words) -> list[TableRow]:
    """Returns rows of the memories that were found but are not in the prompt, best first."""
    used = shown_ids(trace)
    found = sorted(
        (*trace.dropped, *trace.recall.dropped), key=lambda entry: -entry.candidate.score
    )
    return [_dropped_row(entry, words) for entry in found if entry.candidate.memory.id not in used]


def outcome_text(trace: Trace, words: Words) -> str:
    """Returns the cost of the recall and its problems, one line each."""
    cost = words(
        "summary", tokens=trace.tokens, recall=trace.recall.elapsed_ms, added=trace.added_ms
    )
    first = cost if trace.injected else f"{words['nothing_injected']} {cost}"
    wanted = trace.recall.need
    need = "" if wanted is None else words("need", need=wanted)
    noted = [detail_text(note, words) for note in (trace.skipped, *trace.notes)]
    return well_formed("\n".join([first, *filter(None, (need, *noted))]))


def score_text(candidate: Candidate, words: Words) -> str:
    """Returns the parts of the score, such as `words 0.31 + meaning 0.20`.

    The part that an earlier message left to the memory stands behind the sum, to which it does not
    belong.
    """
    parts = [_part_text(name, value, words) for name, value in candidate.parts.items()]
    kept = [_part_text("sticky", candidate.carried_over, words)] if candidate.carried_over else []
    return " · ".join(filter(None, (" + ".join(parts), *kept)))


def _part_text(name: str, value: float, words: Words) -> str:
    return f"{words.get(f'part_{name}', name)} {value:.2f}"


def _injected_row(entry: Injected, known: Mapping[str, Candidate], words: Words) -> TableRow:
    form = words.get(f"form_{entry.form}", entry.form)
    candidate = known.get(entry.memory_id)
    if candidate is None:
        return [form, "", "", "", str(entry.tokens), well_formed(entry.text)]
    return [
        form,
        day_text(candidate.memory.ts, words),
        f"{candidate.score:.2f}",
        score_text(candidate, words),
        str(entry.tokens),
        well_formed(entry.text),
    ]


def _dropped_row(entry: Dropped, words: Words) -> TableRow:
    memory = entry.candidate.memory
    reason = words[f"reason_{entry.reason}"]
    return [
        words("reason_detail", reason=reason, detail=detail_text(entry.detail, words))
        if entry.detail
        else reason,
        day_text(memory.ts, words),
        f"{entry.candidate.score:.2f}",
        score_text(entry.candidate, words),
        memory.text,
    ]


def _format_time(ts: float, words: Words) -> str:
    """Returns the time, with its day unless that is today."""
    day, shown = day_text(ts, words), time.strftime("%H:%M", time.localtime(ts))
    is_today = day == day_text(time.time(), words)
    return shown if is_today else words("day_and_time", day=day, time=shown)
