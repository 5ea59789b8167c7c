"""One turn's trace as rows and sentences: what reached the prompt, what did not, and why."""

import time
from collections.abc import Mapping, Sequence

from ....infra.unicode import well_formed
from ....memory.traces import Injected, Trace
from ....prompt.templates import date_in_digits
from ....recall.results import Candidate, Dropped
from ....text.locales import Words

Row = list[str]

INJECTED = ("form", "date", "score", "why", "tokens", "text", "conversation", "id")
DROPPED = ("reason", "date", "score", "why", "text", "conversation", "id")
_LONGEST_LABEL = 70


def turns(traces: Sequence[Trace]) -> list[tuple[str, str]]:
    """(label, key) of each, in the order given."""
    return [(f"{_clock(it.ts)} · {_short(it.query)}", key(it)) for it in traces]


def key(trace: Trace) -> str:
    return f"{trace.ts:.6f}"


def chosen(traces: Sequence[Trace], wanted: str | None) -> Trace | None:
    """The one with this key; else the first, if there is any."""
    return next((it for it in traces if key(it) == wanted), next(iter(traces), None))


def injected_rows(trace: Trace, words: Words) -> list[Row]:
    """What was recalled for this message, best first, then what is always there."""
    known = {it.memory.id: it.candidate for it in trace.recall.kept}
    scores = {memory_id: it.score for memory_id, it in known.items()}
    ordered = sorted(trace.injected, key=lambda it: -scores.get(it.memory_id, -1.0))
    return [_injected(it, known, words) for it in ordered]


def dropped_rows(trace: Trace, words: Words) -> list[Row]:
    """Best first."""
    found = sorted((*trace.dropped, *trace.recall.dropped), key=lambda it: -it.candidate.score)
    return [_dropped(it, words) for it in found]


def happened(trace: Trace, words: Words) -> str:
    """What it cost and what went otherwise than it should, one thing a line."""
    cost = words(
        "summary", tokens=trace.tokens, recall=trace.recall.elapsed_ms, added=trace.added_ms
    )
    first = cost if trace.injected else f"{words['nothing_injected']} {cost}"
    wanted = trace.recall.need
    need = "" if wanted is None else words("need", need=wanted)
    return well_formed("\n".join([first, *filter(None, (need, trace.skipped, *trace.notes))]))


def why(candidate: Candidate, words: Words) -> str:
    """The parts of the score: `words 0.31 + meaning 0.20`."""
    said = dict(candidate.parts) | ({"sticky": candidate.lent} if candidate.lent else {})
    parts = (f"{words.get(f'part_{name}', name)} {it:.2f}" for name, it in said.items())
    return " + ".join(parts)


def _injected(it: Injected, known: Mapping[str, Candidate], words: Words) -> Row:
    form = words.get(f"form_{it.form}", it.form)
    candidate = known.get(it.memory_id)
    if candidate is None:
        return [form, "", "", "", str(it.tokens), well_formed(it.text), "", _first(it.memory_id)]
    memory = candidate.memory
    return [
        form,
        date_in_digits(memory.ts),
        f"{candidate.score:.2f}",
        why(candidate, words),
        str(it.tokens),
        well_formed(it.text),
        well_formed(memory.conversation),
        memory.id,
    ]


def _dropped(it: Dropped, words: Words) -> Row:
    memory = it.candidate.memory
    reason = words[f"reason_{it.reason}"]
    return [
        f"{reason} ({it.detail})" if it.detail else reason,
        date_in_digits(memory.ts),
        f"{it.candidate.score:.2f}",
        why(it.candidate, words),
        memory.text,
        well_formed(memory.conversation),
        memory.id,
    ]


def _first(ids: str) -> str:
    """A summary was made of several memories."""
    first, *others = ids.split() or [""]
    return f"{first} +{len(others)}" if others else first


def _clock(ts: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(ts))


def _short(text: str) -> str:
    line = " ".join(well_formed(text).split())
    return line if len(line) <= _LONGEST_LABEL else f"{line[: _LONGEST_LABEL - 1]}…"
