"""One turn's trace as rows and sentences: what reached the prompt, what did not, and why."""

import time
from collections.abc import Mapping, Sequence

from ....infra.unicode import well_formed
from ....memory.traces import Injected, Trace
from ....prompt.templates import date_in_digits
from ....recall.results import Candidate, Dropped
from ....text.locales import Words

TableRow = list[str]

INJECTED_COLUMNS = ("form", "date", "score", "why", "tokens", "text", "conversation", "id")
DROPPED_COLUMNS = ("reason", "date", "score", "why", "text", "conversation", "id")
_MAX_LABEL_CHARS = 70


def trace_choices(traces: Sequence[Trace]) -> list[tuple[str, str]]:
    """(label, key) of each, in the order given."""
    return [(f"{_format_time(it.ts)} · {_shorten(it.query)}", trace_key(it)) for it in traces]


def trace_key(trace: Trace) -> str:
    return f"{trace.ts:.6f}"


def trace_by_key(traces: Sequence[Trace], wanted: str | None) -> Trace | None:
    """The one with this key; else the first, if there is any."""
    return next((it for it in traces if trace_key(it) == wanted), next(iter(traces), None))


def injected_rows(trace: Trace, words: Words) -> list[TableRow]:
    """What was recalled for this message, best first, then what is always there."""
    known = {it.memory.id: it.candidate for it in trace.recall.kept}
    scores = {memory_id: it.score for memory_id, it in known.items()}
    ordered = sorted(trace.injected, key=lambda it: -scores.get(it.memory_id, -1.0))
    return [_injected_row(it, known, words) for it in ordered]


def dropped_rows(trace: Trace, words: Words) -> list[TableRow]:
    """Best first."""
    found = sorted((*trace.dropped, *trace.recall.dropped), key=lambda it: -it.candidate.score)
    return [_dropped_row(it, words) for it in found]


def outcome_text(trace: Trace, words: Words) -> str:
    """What it cost and what went otherwise than it should, one thing a line."""
    cost = words(
        "summary", tokens=trace.tokens, recall=trace.recall.elapsed_ms, added=trace.added_ms
    )
    first = cost if trace.injected else f"{words['nothing_injected']} {cost}"
    wanted = trace.recall.need
    need = "" if wanted is None else words("need", need=wanted)
    return well_formed("\n".join([first, *filter(None, (need, trace.skipped, *trace.notes))]))


def score_text(candidate: Candidate, words: Words) -> str:
    """The parts of the score: `words 0.31 + meaning 0.20`."""
    said = dict(candidate.parts) | (
        {"sticky": candidate.carried_over} if candidate.carried_over else {}
    )
    parts = (f"{words.get(f'part_{name}', name)} {it:.2f}" for name, it in said.items())
    return " + ".join(parts)


def _injected_row(it: Injected, known: Mapping[str, Candidate], words: Words) -> TableRow:
    form = words.get(f"form_{it.form}", it.form)
    candidate = known.get(it.memory_id)
    if candidate is None:
        return [form, "", "", "", str(it.tokens), well_formed(it.text), "", _first_id(it.memory_id)]
    memory = candidate.memory
    return [
        form,
        date_in_digits(memory.ts),
        f"{candidate.score:.2f}",
        score_text(candidate, words),
        str(it.tokens),
        well_formed(it.text),
        well_formed(memory.conversation),
        memory.id,
    ]


def _dropped_row(it: Dropped, words: Words) -> TableRow:
    memory = it.candidate.memory
    reason = words[f"reason_{it.reason}"]
    return [
        f"{reason} ({it.detail})" if it.detail else reason,
        date_in_digits(memory.ts),
        f"{it.candidate.score:.2f}",
        score_text(it.candidate, words),
        memory.text,
        well_formed(memory.conversation),
        memory.id,
    ]


def _first_id(ids: str) -> str:
    """A summary was made of several memories."""
    first, *others = ids.split() or [""]
    return f"{first} +{len(others)}" if others else first


def _format_time(ts: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(ts))


def _shorten(text: str) -> str:
    line = " ".join(well_formed(text).split())
    return line if len(line) <= _MAX_LABEL_CHARS else f"{line[: _MAX_LABEL_CHARS - 1]}…"
