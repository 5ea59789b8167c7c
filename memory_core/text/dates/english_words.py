"""English words in dates, as parts of patterns, and the words that show the tense around one."""

import re

from .calendar import Occurrence
from .rule_engine import DIGIT
from .tenses import Tenses

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
LONG_MONTHS = """january february march april may june july august september october november
    december""".split()  # noqa: SIM905
LONG_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

LETTER = r"[^\W\u4e00-\u9fff]"  # not Chinese, which has no blanks: 在May
B, E = rf"(?<!{LETTER})(?<!-)", rf"(?!{LETTER}|-)"
MONTH = rf"(?:{'|'.join(LONG_MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)(?![^\W\d_])\.?"
LONG_WEEKDAY = rf"(?:{'|'.join(LONG_WEEKDAYS)}){E}"
WEEKDAY = rf"(?:{'|'.join(LONG_WEEKDAYS)}|mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun){E}"
YEAR = rf"(?:19|20)[0-9]{{2}}(?!{LETTER}|%)"
PART = r"(?:morning|afternoon|evening|night)"

# Words that may follow a date, but rarely follow a name or a verb of the same spelling.
_FOLLOWERS = (
    "i|we|you|he|she|it|they|my|our|your|his|her|their|the|a|an|and|but|when|that|which|was|were|is"
    "|with|where|because|so|for|if|until|till|(?:19|20)[0-9]{2}"
)
_END = r"$|[^\w\s'’-]"  # noqa: RUF001
GO_ON = rf"(?=\s*(?:{_END}|(?:{_FOLLOWERS})(?!\w)))"
_TIME_OF_DAY = r"[0-2]?[0-9](?:[:.][0-5][0-9]|\s?[ap]\.?m)"
ENDS_CLAUSE = rf"(?=\s*(?:{_END}|(?:at|{_TIME_OF_DAY})(?!\w)))"
AFTER_ORDINAL = (
    rf"(?=\s*(?:{_END}|(?:{_FOLLOWERS}|of|at|in|to|or|have|had|did|between|from|around|{_TIME_OF_DAY})"
    r"(?!\w)))"
)

MONTH_CUES = frozenset([*MONTHS, *LONG_MONTHS, "sept"])
WEEKDAY_CUES = frozenset([*WEEKDAYS, *LONG_WEEKDAYS, "tues", "weds", "thur", "thurs"])
DIGITS = frozenset([DIGIT])

_WHEN = {"last": Occurrence.LAST, "past": Occurrence.LAST, "previous": Occurrence.LAST}
_WHEN |= {"next": Occurrence.NEXT, "coming": Occurrence.NEXT}
_GOES_ON = re.compile(GO_ON, re.IGNORECASE)
_A = "['’]"  # noqa: RUF001
# Without verbs that have the same form in the present ("put", "read").
_PAST_WORDS = frozenset(
    """did was were had said told went came saw met made took gave found knew thought felt
    kept began brought wrote sat stood lost paid ran spoke grew won taught bought sent built
    slept spent caught drew broke drove ate drank sang swam flew threw wore rode rose chose
    fell fought forgot froze hid hung left lent lit meant sold shook shot sank stole stuck
    struck swore woke withdrew became heard held led dreamt learnt burnt spilt dug bit blew
    fed bled bred dealt fled forgave overslept knelt laid rang sought slid spun swept swung
    tore wept understood been done gone seen happened ago last yesterday remember""".split()  # noqa: SIM905
)
_FUTURE_WORDS = frozenset(
    """will won gonna gotta wanna upcoming plan plans planned planning remind should shall
    must may might can could would tomorrow due deadline am is are comes goes starts begins
    opens closes ends leaves arrives returns meets flies moves visits plays gets takes turns
    marries happens expires departs lands celebrates works needs wants sees makes does gives
    runs drives brings picks travels lets whats starting coming leaving arriving returning
    till until""".split()  # noqa: SIM905
)
# Not the past: "is scheduled", "am tired". No verb in the past: "need", "indeed".
_ED = (
    rf"(?<!\bam )(?<!\bis )(?<!\bare )(?<!\bbe )(?<!{_A}m )(?<!{_A}re )(?<!{_A}s )"
    r"(?<!\bso )(?<!not )"
    r"\b(?!indeed|exceed|succeed|proceed|hundred|sacred|naked|scared|bored|excited|tired)\w{3,}ed\b"
)
_NO_DOING = (
    "think|know|mean|guess|wonder|believe|suppose|like|love|hate|say|tell|remember|recall|forget"
    "|don|was|were|can|let|put|read|quit|cut|hit|set|bet|hurt|cost|shut|spread|beat|bid"
    "|have|on|in|at|by|and|or|the|a|an|all|two|both|who|that|again|too|about|for|from|since|until"
    "|were|not|of|to|as|but|last|just|also|really|still|always|never|only|probably|often|usually"
    "|actually|now|so|then|if|when|what|where|how|why|with|next|this|every|some|any|ever|already"
)
_USUALLY = r"(?:(?:also|really|still|always|probably|often|usually|actually|only|just|now)\s+)?"
_PERSONS = ("i", "we", "you", "they", "he", "she", "it", "anyone", "anybody")
# "Have I got" is the present.
_NOT_HAVE = "".join(rf"(?<!\b{verb} {person} )" for verb in ("have", "has") for person in _PERSONS)
_ASKED_TO = (
    "call|ring|text|meet|come|bring|pick|visit|wake|help|join|book|buy|send|write"
    "|don['’]?t\\s+forget"  # noqa: RUF001
)
TENSES = Tenses(
    past_before=r"\b(?:since|last)\s+(?:the\s+)?",
    future_before=(
        rf"(?:(?:\b(?:is|are)|{_A}s)\s+(?:(?:on|in|at|over)\s+)?|\bby\s+"
        r"|\b(?:booked|scheduled|planned|due|in)\s+(?:\w+\s+)?for\s+(?:the\s+)?"
        r"|\b(?:moved|postponed|pushed|put\s+off|rescheduled|brought)\s+(?:\w+\s+)?(?:to|till|until)"
        r"\s+(?:the\s+)?)"
    ),
    future_after=r"\s*(?:is|are)\b(?!\s+(?:when|where|why|how)\b)",
    past_words=_PAST_WORDS,
    past=rf"\bremind\s+me\s+what\b|(?<!{_A}ve )(?<!{_A}s ){_NOT_HAVE}\bgot\b|{_ED}",
    future_words=_FUTURE_WORDS,
    future=(
        r"\b(?:going\s+to|coming\s+up|about\s+to|see\s+you|looking\s+forward)\b"
        rf"|{_A}(?:ll|m|re)\b|\b(?:he|she|it|what|there|who|let){_A}s\b"
        rf"|\b(?:have|has)\s+(?:{'|'.join(_PERSONS)})\s+got\b"
        r"|(?:\b(?:have|has)|['’]ve\s+got|['’]s\s+got)\s+"  # noqa: RUF001
        r"(?:an?|the|to|my|our|your|his|her|no|some|two)\b"
        r"|\b(?:do|does|don['’]?t|doesn['’]?t)\s+(?:i|we|you|they|he|she|it)\s+"  # noqa: RUF001
        r"(?!know|think|remember|recall|like|love)\w+"
        rf"|\b(?:i|we|you|they)\s+{_USUALLY}(?!(?:{_NO_DOING})\b)[a-z]{{2,}}\b"
        rf"|^\W*(?:please\s+)?(?:{_ASKED_TO})\b"
    ),
)


def occurrence_of(lead: str | None, usual: Occurrence) -> Occurrence:
    """Returns the occurrence that a word such as "last" means, else the usual one."""
    return _WHEN.get((lead or "").lower(), usual)


def is_followed_by_clause(match: re.Match[str]) -> bool:
    return bool(_GOES_ON.match(match.string, match.end()))


def month_number(name: str) -> int:
    return MONTHS.index(name[:3].lower()) + 1


def weekday_number(name: str) -> int:
    return WEEKDAYS.index(name[:3].lower())
