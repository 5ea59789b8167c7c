"""Fields of a line that shows a derived memory: its date, and a remark if it is no present fact."""

from collections.abc import Iterator
from datetime import tzinfo

from ..domain.derivations import Derivation, Flag
from ..domain.records import Memory
from ..recall.results import Recalled
from .templates import date_in_digits, weekday_and_date

_REMARKS = {
    Flag.FICTION: "told as a story, not real",
    Flag.ROLE_PLAY: "said in a role-play, not real",
    Flag.HYPOTHETICAL: "only imagined",
}
_OUTDATED = "no longer so"


def derived_fields(recalled: Recalled, text: str, tz: tzinfo | None) -> dict[str, str]:
    """Returns the template's fields; none for a memory that is not derived."""
    memory = recalled.memory
    if memory.derived is None:
        return {}
    is_outdated = recalled.candidate.is_outdated
    remarks = ", ".join(_remarks(memory.derived, tz, is_outdated=is_outdated))
    return {
        "date": _date_of(memory, tz),
        "memory_message": f"({remarks}) {text}" if remarks else text,
    }


def _date_of(memory: Memory, tz: tzinfo | None) -> str:
    """Returns the day of what the memory tells, else of when it was said."""
    told = memory.derived.event_from if memory.derived else None
    ts = memory.ts if told is None else told
    return (weekday_and_date(ts, tz)[1] if ts is not None else "") or date_in_digits(ts, tz)


def _remarks(derived: Derivation, tz: tzinfo | None, *, is_outdated: bool) -> Iterator[str]:
    if derived.flag is not None:
        yield _REMARKS[derived.flag]
    if is_outdated:
        ended = "" if derived.valid_to is None else weekday_and_date(derived.valid_to, tz)[1]
        yield f"until {ended}" if ended else _OUTDATED
