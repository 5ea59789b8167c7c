"""Puts right a statement that the next message corrects: "my locker is 14", "sorry, 41".

A message counts only if it says nothing else: another number or another weekday, or the right word
beside the wrong one ("Hanna, not Anna").
"""

# ruff: noqa: RUF001  (Cyrillic, Chinese punctuation)

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from . import stopwords
from .change_cues import (
    MAX_CORRECTION_CHARS,
    NUMBER,
    NUMERALS,
    SMALL_WORDS,
    corrects,
    is_alike,
    says_nothing_else,
    takes_back,
)

_NUMBER = re.compile(rf"[a-z]*\d[\d:.,a-z-]*|{NUMBER.pattern}", re.IGNORECASE)
_COUNTED = re.compile(r"\A(\d+)(?:st|nd|rd|th|[月日号號点點])\Z")
_DAY_OF_MONTH = re.compile(rf"(?P<number>[\d{NUMERALS}])(?P<unit>[日号號])")
_UNITS = ("月", "日号號", "点點时時")
_ARTICLES = r"(?:(?:on|at|the|um|am|der|den|el|a|las?|le|à|в|во|на|w)\s){0,2}\Z"
_DENIES_NEXT = re.compile(rf"(?:\b(?:not|nicht|pas|не|não|nie)\s{_ARTICLES}|不是\Z)", re.IGNORECASE)
_NO_MORE = re.compile(rf"\bno\s{_ARTICLES}", re.IGNORECASE)  # "el 15, no el 14"
_AFFIXES = re.compile(r"\A([^\W\d]*)\d.*?([^\W\d]*)\Z", re.DOTALL)  # the letters of BA118 and 9pm
_BARE_NUMBER = re.compile(r"\d[\d:.,]*")
_NUMBER_END = ".,:-"
_SIDE = r"\w[\w'’-]*(?:\s\w[\w'’-]*){0,2}"
_NOT = r"(?:not|nicht|no|pas|не|não|non|nie)"
# "Tom no come carne" is no contrast without a comma: other languages deny any verb by this word.
_AND_NOT = rf"(?:[,;]?\s(?:not|nicht)|[,;]\s(?:(?:and|und|y|et|а|и|e|i)\s)?{_NOT})"
_BUT = r"(?:but|sondern|sino|mais|а|mas|ma|tylko|ale)"
_CONTRASTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<right>{_SIDE}){_AND_NOT}\s(?P<wrong>{_SIDE})",
        rf"{_NOT}\s(?P<wrong>{_SIDE})(?:,?\s{_BUT}\s|,\s)(?P<right>{_SIDE})",
        r"(?:[^，,]{0,4}[，,])?是?(?P<right>[^\s，,是]{1,8})[，,]?不是(?P<wrong>[^\s，,是]{1,8})",
        r"(?:[^，,]{0,4}[，,])?不是(?P<wrong>[^\s，,是]{1,8})[，,]?(?:而是|是)(?P<right>[^\s，,是]{1,8})",
    )
)
# The name behind "called", in the statement and in the message.
_CALLED = re.compile(
    r"\b(?:called|named|name\sis|name['’]?s|hei(?:ß|ss)(?:t|e)|se\sllama|me\sllamo|s['’]appelle|зовут)"
    r"\s(?P<name>[^\W\d_][\w'’-]*)|叫(?:做)?(?P<unspaced>[\u4e00-\u9fff]{1,4})(?=$|[\s，,。.！!]|才对|才對)",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w[\w'’-]*")
_PAUSE = re.compile("[,，]")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_PRONOUNS = "she he it they is are was sie er es ist heißt ella él la lo elle il её его 她他它"
_LEAD_IN = frozenset(
    f"{_PRONOUNS} her his their my our name ihr sein mein ihre seine meine su mi nombre".split()
)
_EDGES = " \t\n.!。！~～…:)("  # not "*", which marks corrections
_WEEKDAYS = tuple(
    frozenset(days.split())
    for days in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag sonnabend",
        "lunes martes miércoles miercoles jueves viernes sábado sabado domingo",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "понедельник вторник среда среду четверг пятница пятницу суббота субботу воскресенье",
    )
)
_CHINESE_DAY = re.compile("(?:星期|周|週|礼拜|禮拜)[一二三四五六日天]")
_OTHER_FUNCTION_WORDS = (
    "please pls plz thanks thank thx ok okay yes yeah never ever though honestly really maybe "
    "perhaps yet today tomorrow now later said told ja danke heute jetzt vielleicht tú tu él ella "
    "gracias hoy ahora tal vez je il elle on nous vous merci maintenant peut-être я ты он она мы "
    "вы они спасибо сегодня сейчас eu você ele ela obrigado obrigada io lui lei grazie ona"
)
# Words that name nothing, so that none of them takes the place of another: "not tea, thanks".
_FUNCTION_WORDS = SMALL_WORDS.union(
    stopwords.ENGLISH.split(),
    stopwords.CONTRACTIONS.split(),
    stopwords.GERMAN.split(),
    _OTHER_FUNCTION_WORDS.split(),
)
_UNSPACED_FUNCTION_WORD = re.compile("[我你您他她它谁誰这這那]|[今明昨]天|现在|現在|谢|謝")
# The word that is denied, and the value in "不是41".
_DENIED = re.compile(
    r"\b(?:not|nicht|pas|не|não|nie)\s(?:(?:on|at|the|um|am|le|à|в|во|на|w)\s){0,2}(?P<word>\S+)"
    r"|(?<!是)不是(?P<unspaced>[^\s，,。.的是]+)"
)
# A subject that means the speaker, other than in "I mean" and "I meant".
_SPEAKER = re.compile(
    r"\bi\s(?!meant?\b|said|wrote|typed)|\bi['’]?m\s|\bich\s(?!mein|sagt|schrieb)|\byo\s"
    r"|\bje\s(?!voulais|me\s)|\bj['’]|\bя\s(?!имел|ошиб|хотел|перепут)|\beu\s(?!quis|errei)"
    r"|\bio\s(?!volevo)|我[是在有要]"
)
_CLOCK = re.compile(
    rf"\d\s?(?:[ap]\.?m\b|uhr\b|o['’]?clock\b|h\b)|\d:\d\d|[\d{NUMERALS}][点點時时]"
    r"|\b(?:at(?:\sthe)?|um|à|a\slas|son\slas|в|às|alle)\s\d"
)
_ASKS = re.compile(r"(?:\A|[\s,])(?:is|was|are)\s(?:it|she|he|that|this|they)\b")
_HAS_BECOME = re.compile(r"(?<!改成)(?<!改到)(?:\d+[号號日]?|[一二三四五六日天])了")


def corrected_statement(statement: str, message: str) -> str:
    """Returns the statement as the message corrects it, or "" if it corrects nothing.

    The correction follows in brackets if it may mean several numbers of the statement.
    """
    message = _with_days_as_in(statement, message.strip(_EDGES))
    if not message or len(message) > MAX_CORRECTION_CHARS or "?" in message or "？" in message:
        return ""
    if _tells_something_else(message.lower(), statement.lower()):
        return ""
    if corrects(message, statement):
        return _with_number(statement, message) or f"{statement} ({message})"
    return (
        _with_word(statement, message)
        or _with_name(statement, message)
        or _with_weekday(statement, message)
    )


def _with_days_as_in(statement: str, message: str) -> str:
    """Returns the message with days of the month as the statement writes them: 14日 or 14号."""
    found = _DAY_OF_MONTH.search(statement)
    return _DAY_OF_MONTH.sub(rf"\g<number>{found['unit']}", message) if found else message


def _tells_something_else(message: str, statement: str) -> bool:
    """Returns whether the message denies another value, or is of the speaker, of a time, or asks.

    "Not 41", "sorry, I am at 41", "wait, it's 5 am" and "no, is it 41" tell nothing of a locker.
    """
    denied = (found["word"] or found["unspaced"] for found in _DENIED.finditer(message))
    return (
        any(_stem(word.strip(".,;:!")) not in statement for word in denied)
        or bool(_SPEAKER.search(message) and not _SPEAKER.search(statement))
        or bool(_CLOCK.search(message) and not _CLOCK.search(statement))
        or bool(_ASKS.search(message) or _HAS_BECOME.search(message))
    )


def _stem(word: str) -> str:
    """Returns an ordinal's or a Chinese date's bare number; any other word as it is."""
    return _COUNTED.sub(r"\1", word)


@dataclass(frozen=True, slots=True)
class _Number:
    """A number at its place in a text, and the unit behind it, of Chinese dates and times."""

    start: int
    text: str
    unit: str

    @property
    def key(self) -> str:
        return _stem(self.text.lower())


def _with_number(statement: str, message: str) -> str:
    """Returns the statement with the new number, or "" if it is not clear which one is wrong."""
    known, said = _numbers(statement), _numbers(message)
    written = {number.key for number in known}
    new = [number for number in said if number.key not in written]
    if len(new) != 1:
        return ""
    wrong = _wrong_number(known, new[0], [one for one in said if one.key in written], message)
    if wrong is None:
        return ""
    right = _with_affixes(new[0].text, wrong.text)
    return statement[: wrong.start] + right + statement[wrong.start + len(wrong.text) :]


def _wrong_number(
    known: Sequence[_Number], new: _Number, repeated: Sequence[_Number], message: str
) -> _Number | None:
    """Returns the number that the new one replaces, or None if it may be several.

    A repeated number is the wrong one if the message takes it back: "14, sorry, 41", "41 not 14".
    Otherwise it is said to be right: "sorry, 12 May at 8".
    """
    taken_back = {one.key for one in repeated if _is_taken_back(one, new, message)}
    right = {one.key for one in repeated} - taken_back
    left = [one for one in known if one.key not in right]
    unit = [one for one in left if new.unit and one.unit == new.unit]
    choices: Iterable[Sequence[_Number]] = (
        [one for one in left if one.key in taken_back],
        unit,
        [one for one in left if is_alike(new.key, one.key, is_taken_back=False)],
        [one for one in left if is_alike(new.key, one.key, is_taken_back=True)],
    )
    wrong = next((found for found in choices if found), ())
    return wrong[0] if len(wrong) == 1 else None


def _is_taken_back(repeated: _Number, new: _Number, message: str) -> bool:
    """Returns whether the message denies this number, or takes it back before the new one."""
    before = message[: repeated.start]
    if new.start < repeated.start:
        return bool(_DENIES_NEXT.search(before) or _NO_MORE.search(before))
    between = message[repeated.start + len(repeated.text) : new.start].strip().lower()
    return bool(_DENIES_NEXT.search(before) or (between and takes_back(between)))


def _numbers(text: str) -> list[_Number]:
    found = ((one, one[0].rstrip(_NUMBER_END)) for one in _NUMBER.finditer(text))
    return [
        _Number(one.start(), number, _unit(text[one.start() + len(number) :]))
        for one, number in found
    ]


def _unit(rest: str) -> str:
    """Returns the counters that mean the same as the one at this place, or ""."""
    return next((units for units in _UNITS if rest[:1] and rest[0] in units), "")


def _with_affixes(new: str, known: str) -> str:
    """Returns the new number with the letters of the known one, if it has none of its own."""
    affixes = _AFFIXES.match(known)
    return f"{affixes[1]}{new}{affixes[2]}" if affixes and _BARE_NUMBER.fullmatch(new) else new


def _with_word(statement: str, message: str) -> str:
    for said in _without_lead_in(message, statement):
        for pattern in _CONTRASTS:
            if contrast := pattern.fullmatch(said):
                found = _places(statement, contrast["wrong"])
                if len(found) == 1 and _is_contrast(
                    contrast, statement, before=message[: -len(said)]
                ):
                    return _replaced(statement, found[0], contrast["right"])
    return ""


def _is_contrast(contrast: re.Match[str], statement: str, *, before: str) -> bool:
    """Returns whether the right words may stand in the place of the wrong ones.

    They have as many words, unless they are names, stand alone before a comma, or the message takes
    something back `before` them.
    """
    right, wrong = contrast["right"], contrast["wrong"]
    has_pause = bool(_PAUSE.search(contrast[0]))
    if _CJK.search(right):
        is_function_word = bool(_UNSPACED_FUNCTION_WORD.search(right))
        return not is_function_word and (has_pause or not set(right).isdisjoint(wrong))
    known, words = set(statement.lower().split()), right.split()
    new = [word for word in words if word.lower() not in known]
    if not _FUNCTION_WORDS.isdisjoint(word.lower() for word in (*new, words[-1])):
        return False
    is_taken_back = takes_back(before.lower()) if before else has_pause
    is_short = len(new) <= len(wrong.split()) or all(word[0].isupper() for word in new)
    return bool(new) and (is_short or is_taken_back)


def _without_lead_in(message: str, statement: str) -> Iterator[str]:
    """Yields the message, and what is left of it behind each word that leads to the right one.

    These are small words, pronouns and words of the statement: "no, he lives in Linz, not Graz".
    """
    yield message
    lead_in = SMALL_WORDS.union(_LEAD_IN, _WORD.findall(statement.lower()))
    for word in _WORD.finditer(message):
        if word[0].lower() not in lead_in:
            return
        if rest := message[word.end() :].lstrip(" ,;.!…-"):
            yield rest


def _places(statement: str, words: str) -> list[tuple[int, int]]:
    """Returns the spans of these words, or else those before an s: Tim in "tims birthday"."""
    edge = r"\b" if words.isascii() else ""
    for end in (edge, r"(?=s\b)"):
        found = re.finditer(rf"{edge}{re.escape(words)}{end}", statement, re.IGNORECASE)
        if places := [match.span() for match in found]:
            return places
    return []


def _replaced(statement: str, place: tuple[int, int], right: str) -> str:
    """Returns the statement with `right` at this place, without small words or words before it."""
    start, end = place
    before = SMALL_WORDS.union(word.lower() for word in _WORD.findall(statement[:start]))
    words = right.split(" ")
    while len(words) > 1 and words[0].lower() in before:
        words.pop(0)
    return f"{statement[:start]}{' '.join(words)}{statement[end:]}"


def _with_name(statement: str, message: str) -> str:
    """Returns the statement with the name of "sorry, she is called Hanna"."""
    known, said = list(_CALLED.finditer(statement)), list(_CALLED.finditer(message))
    if len(known) != 1 or len(said) != 1 or not takes_back(message.lower()):
        return ""
    (start, end), (first, last) = map(_span_of_name, (known[0], said[0]))
    rest = f"{message[: said[0].start()]} {message[last:]}".lower()
    if not says_nothing_else(rest, f"{statement} {_PRONOUNS}".lower()):
        return ""
    return statement[:start] + message[first:last] + statement[end:]


def _span_of_name(found: re.Match[str]) -> tuple[int, int]:
    return found.span("name" if found["name"] else "unspaced")


def _with_weekday(statement: str, message: str) -> str:
    if not takes_back(message.lower()):
        return ""
    places = _weekdays(statement)
    said = _weekdays(message)
    if len(places) != 1 or len(said) != 1:
        return ""
    (start, end), (first, last) = places[0], said[0]
    rest = f"{message[:first]} {message[last:]}"
    if not says_nothing_else(rest.lower(), statement.lower()):
        return ""
    return statement[:start] + message[first:last] + statement[end:]


def _weekdays(text: str) -> list[tuple[int, int]]:
    days = [match.span() for match in _CHINESE_DAY.finditer(text)]
    words = {word.span(): word[0].lower() for word in _WORD.finditer(text)}
    days += [span for span, word in words.items() if any(word in names for names in _WEEKDAYS)]
    return days
