"""Puts right what a message corrects: "my locker is 14", "sorry, 41".

A message counts only if it says nothing else: another number or another weekday, or the right word
beside the wrong one ("Hanna, not Anna").
"""

# ruff: noqa: RUF001  (Cyrillic, Chinese punctuation)

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from . import stopwords
from .number_corrections import (
    CJK,
    MAX_CORRECTION_CHARS,
    NUMERALS,
    SMALL_WORDS,
    corrects,
    says_nothing_else,
    stem,
    takes_back,
    with_days_as_in,
    with_number,
)

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
# Without letters that bend a verb: "学校じゃなくて休んだ" puts no word in the place of another.
_JA_SIDE = r"[\u4e00-\u9fff々]{1,6}|[ァ-ヶー]{1,8}"
_JA_BE = "(?:です|でした|だった|だよ|だね|だ|なの|ね|よ)*"
_JA_LEAD_IN = "(?:[^、，,]{1,6}[、，,])?"
_JAPANESE_CONTRASTS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_JA_LEAD_IN}(?P<wrong>{_JA_SIDE})(?:じゃ|では)な(?:くて?|い)[、，]?(?P<right>{_JA_SIDE}){_JA_BE}",
        rf"{_JA_LEAD_IN}(?P<right>{_JA_SIDE}){_JA_BE}[、，](?P<wrong>{_JA_SIDE})(?:じゃ|では)な(?:くて?|い){_JA_BE}",
    )
)
# The name behind "called", in the statement and in the message.
_CALLED = re.compile(
    r"\b(?:called|named|name\sis|name['’]?s|hei(?:ß|ss)(?:t|e)|se\sllama|me\sllamo|s['’]appelle|зовут)"
    r"\s(?P<name>[^\W\d_][\w'’-]*)|叫(?:做)?(?P<unspaced>[\u4e00-\u9fff]{1,4})(?=$|[\s，,。.！!]|才对|才對)",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w[\w'’-]*")
_MARKED_WORD = re.compile(r"\*\s?(?P<first>\w[\w'’-]+)|(?P<last>\w[\w'’-]+)\s?\*")
_ALIKE = 0.7  # of the letters, so that one word may be a misspelling of the other
_PAUSE = re.compile("[,，]")
_PRONOUNS = "she he it they is are was sie er es ist heißt ella él la lo elle il её его 她他它"
_LEAD_IN = frozenset(
    f"{_PRONOUNS} her his their my our name ihr sein mein ihre seine meine su mi nombre".split()
)
_EDGES = " \t\n.!。！~～…:)("  # not "*", which marks corrections
_WEEKDAYS = (
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag "
    "freitag samstag sonntag sonnabend lunes martes miércoles miercoles jueves viernes sábado "
    "sabado domingo lundi mardi mercredi jeudi vendredi samedi dimanche понедельник вторник среда "
    "среду четверг пятница пятницу суббота субботу воскресенье"
)
_WEEKDAY = re.compile(
    rf"(?<![\w'’-])(?P<day>(?:{'|'.join(_WEEKDAYS.split())})s?)(?![\w'’-])"
    "|(?P<unspaced>(?:星期|周|週|礼拜|禮拜)[一二三四五六日天]|[月火水木金土日]曜日?)",
    re.IGNORECASE,
)
_OTHER_FUNCTION_WORDS = (
    "please pls plz thanks thank thx ok okay yes yeah never ever though honestly really maybe "
    "perhaps yet today tomorrow now later said told ask call tell text love likes good ja "
    "danke heute jetzt vielleicht tú tu él ella "
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
_UNSPACED_FUNCTION_WORD = re.compile(
    "[我你您他她它谁誰这這那]|[今明昨]天|现在|現在|谢|謝"
    "|残念|正解|本当|大丈夫|最[高悪]|安心|結構|駄目"
)
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
# "No, martes no" and "dienstag nicht" only deny.
_DENIED_BEHIND = re.compile(
    rf"(?:\d|\b(?:{'|'.join(_WEEKDAYS.split())}))\s(?:no|não|nao|non|nicht|tampoco)\Z"
)
_ASKS = re.compile(r"(?:\A|[\s,])(?:is|was|are)\s(?:it|she|he|that|this|they)\b")
_HAS_BECOME = re.compile(r"(?<!改成)(?<!改到)(?:\d+[号號日]?|[一二三四五六日天])了")


def corrected_statement(statement: str, message: str) -> str:
    """Returns the statement as the message corrects it, or "" if it corrects nothing.

    The correction follows in brackets if it may mean several numbers of the statement.
    """
    message = with_days_as_in(statement, message.strip(_EDGES))
    if not message or len(message) > MAX_CORRECTION_CHARS or "?" in message or "？" in message:
        return ""
    if _tells_something_else(message.lower(), statement.lower()):
        return ""
    if corrects(message, statement):
        return with_number(statement, message) or f"{statement} ({message})"
    return (
        _with_word(statement, message)
        or _with_value(statement, message)
        or _with_spelling(statement, message)
    )


def _tells_something_else(message: str, statement: str) -> bool:
    """Returns whether the message denies another value, or is of the speaker, of a time, or asks.

    "Not 41", "sorry, I am at 41", "wait, it's 5 am" and "no, is it 41" tell nothing of a locker.
    """
    denied = (found["word"] or found["unspaced"] for found in _DENIED.finditer(message))
    return (
        any(stem(word.strip(".,;:!")) not in statement for word in denied)
        or bool(_SPEAKER.search(message) and not _SPEAKER.search(statement))
        or bool(_CLOCK.search(message) and not _CLOCK.search(statement))
        or bool(_DENIED_BEHIND.search(message))
        or bool(_ASKS.search(message) or _HAS_BECOME.search(message))
    )


def _with_word(statement: str, message: str) -> str:
    for said in _without_lead_in(message, statement):
        for pattern in (*_CONTRASTS, *_JAPANESE_CONTRASTS):
            if contrast := pattern.fullmatch(said):
                found = _places(statement, contrast["wrong"])
                if len(found) == 1 and _is_contrast(
                    contrast, statement, before=message[: -len(said)]
                ):
                    return _replaced(statement, found[0], contrast["right"])
    return ""


def _is_contrast(contrast: re.Match[str], statement: str, *, before: str) -> bool:
    """Returns whether the right words may stand in the place of the wrong ones.

    They have as many words, or one more if they begin the message and a comma follows: "new york,
    not boston". Names, and what the message takes something back `before`, may have more.
    """
    right, wrong = contrast["right"], contrast["wrong"]
    has_pause = contrast.re in _JAPANESE_CONTRASTS or bool(_PAUSE.search(contrast[0]))
    if CJK.search(right):
        is_function_word = bool(_UNSPACED_FUNCTION_WORD.search(right))
        return not is_function_word and (has_pause or not set(right).isdisjoint(wrong))
    known, words = set(statement.lower().split()), right.split()
    new = [word for word in words if word.lower() not in known]
    if wrong.isdecimal() and not all(map(_has_digit, new)):
        return False  # "Ana 60, not 50" tells nothing of what somebody owes Tom
    if not _FUNCTION_WORDS.isdisjoint(word.lower() for word in (*new, words[-1])):
        return False
    is_taken_back = bool(before) and takes_back(before.lower())
    most = len(wrong.split()) + (has_pause and not before)
    is_name = all(word[0].isupper() for word in new)
    return bool(new) and (len(new) <= most or is_name or is_taken_back)


def names_a_word_of(statement: str, message: str) -> bool:
    """Returns whether the message has a word of the statement that names something."""
    words = set(_WORD.findall(statement.lower())) & set(_WORD.findall(message.lower()))
    return any(not word.isdecimal() for word in words - _FUNCTION_WORDS)


def _has_digit(word: str) -> bool:
    return any(letter.isdecimal() for letter in word)


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


def _with_value(statement: str, message: str) -> str:
    """Returns the statement with the name of "sorry, she is called Hanna", or with a weekday."""
    for pattern, beside in ((_CALLED, _PRONOUNS), (_WEEKDAY, "во")):
        known, said = list(pattern.finditer(statement)), list(pattern.finditer(message))
        if len(known) != 1 or len(said) != 1 or not takes_back(message.lower()):
            continue
        (start, end), (first, last) = map(_span_of_value, (known[0], said[0]))
        rest = f"{message[: said[0].start()]} {message[last:]}"
        if says_nothing_else(rest.lower(), f"{statement} {beside}".lower()):
            return statement[:start] + message[first:last] + statement[end:]
    return ""


def _with_spelling(statement: str, message: str) -> str:
    """Returns the statement with the word of "*Mylo" or "Mylo*" for the one most like it."""
    marked = _MARKED_WORD.fullmatch(message)
    if not marked:
        return ""
    right = marked["first"] or marked["last"]
    alike = [
        word.span()
        for word in _WORD.finditer(statement)
        if word[0].lower() not in _FUNCTION_WORDS
        and SequenceMatcher(a=right.lower(), b=word[0].lower()).ratio() >= _ALIKE
    ]
    return _replaced(statement, alike[0], right) if len(alike) == 1 else ""


def _span_of_value(found: re.Match[str]) -> tuple[int, int]:
    return found.span(found.lastgroup or 0)
