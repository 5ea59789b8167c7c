"""English words in dates, as parts of patterns."""

import re

from .calendar import Occurrence
from .rule_engine import DIGIT

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
LONG_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
LONG_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

LETTER = r"[^\W\u4e00-\u9fff]"  # not Chinese, which has no blanks: 在May
B, E = rf"(?<!{LETTER})(?<!-)", rf"(?!{LETTER}|-)"
MONTH = rf"(?:{'|'.join(LONG_MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)(?![^\W\d_])\.?"
LONG_WEEKDAY = rf"(?:{'|'.join(LONG_WEEKDAYS)}){E}"
WEEKDAY = rf"(?:{'|'.join(LONG_WEEKDAYS)}|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun){E}"
YEAR = rf"(?:19|20)[0-9]{{2}}(?!{LETTER}|%)"
PART = r"(?:morning|afternoon|evening|night)"

# Words that may follow a date, but rarely follow a name or a verb of the same spelling.
_FOLLOWERS = (
    "i|we|you|he|she|it|they|my|our|your|his|her|their|the|a|an|and|but|when|that|which|was|were|is"
    "|with|where|because|so|for|if|until|till|(?:19|20)[0-9]{2}"
)
_END = r"$|[^\w\s'’-]"  # noqa: RUF001
GO_ON = rf"(?=\s*(?:{_END}|(?:{_FOLLOWERS})(?!\w)))"
AFTER_ORDINAL = rf"(?=\s*(?:{_END}|(?:{_FOLLOWERS}|of|at|in|to|or|have|had|did)(?!\w)))"

MONTH_CUES = frozenset([*MONTHS, *LONG_MONTHS, "sept"])
WEEKDAY_CUES = frozenset([*WEEKDAYS, *LONG_WEEKDAYS, "tues", "thur", "thurs"])
DIGITS = frozenset([DIGIT])

_WHEN = {"last": Occurrence.LAST, "past": Occurrence.LAST, "previous": Occurrence.LAST}
_WHEN |= {"next": Occurrence.NEXT, "coming": Occurrence.NEXT}
_GOES_ON = re.compile(GO_ON, re.IGNORECASE)


def occurrence_of(lead: str | None, usual: Occurrence) -> Occurrence:
    """Returns the occurrence that a word such as "last" means, else the usual one."""
    return _WHEN.get((lead or "").lower(), usual)


def is_followed_by_clause(match: re.Match[str]) -> bool:
    return bool(_GOES_ON.match(match.string, match.end()))


def month_number(name: str) -> int:
    return MONTHS.index(name[:3].lower()) + 1


def weekday_number(name: str) -> int:
    return WEEKDAYS.index(name[:3].lower())
