"""Fields of a line that shows a derived memory: its date, and a remark if it is no present fact."""

from collections.abc import Iterator
from datetime import tzinfo

from ..domain.derivations import Derivation
from ..recall.results import Recalled
from ..text.locales import Words
from .templates import date_in_digits, weekday_and_date


def derived_fields(
    derived: Derivation, recalled: Recalled, text: str, words: Words, tz: tzinfo | None
) -> dict[str, str]:
    """Returns the template's fields for a derived memory."""
    is_outdated = recalled.candidate.is_outdated
    remarks = words["between_remarks"].join(_remarks(derived, words, tz, is_outdated=is_outdated))
    return {
        "date": _date_of(derived, recalled.memory.ts, words, tz),
        "memory_message": words("remarked", remarks=remarks, text=text) if remarks else text,
    }


def _date_of(derived: Derivation, said: float | None, words: Words, tz: tzinfo | None) -> str:
    """Returns the day of what the memory tells, else of when it was said."""
    ts = said if derived.event_from is None else derived.event_from
    day = weekday_and_date(ts, tz, words)[1] if ts is not None else ""
    return day or date_in_digits(ts, tz)


def _remarks(
    derived: Derivation, words: Words, tz: tzinfo | None, *, is_outdated: bool
) -> Iterator[str]:
    if derived.flag is not None:
        yield words[f"flag_{derived.flag.name.lower()}"]
    if is_outdated:
        ended = "" if derived.valid_to is None else weekday_and_date(derived.valid_to, tz, words)[1]
        yield words("until", date=ended) if ended else words["outdated"]
