"""Recognises "don't remember this: …" in plain words, at the beginning or the end of a message.

The same words may tell what somebody has forgotten ("don't remember that, sorry"), or mean a thing
("don't save this file"). So most need something beside them: off_the_record_words.py says which
ones need what. "This stays between us" asks for no such thing: a secret is told to be known.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese punctuation)

import re

from ..patterns import quick_search
from .off_the_record_clauses import statement_beside_clause
from .off_the_record_context import PERSON, REPORT, REPORT_BEHIND, THING
from .off_the_record_words import EMOJI, LANGUAGES, SEPARATOR, UNSPACED, Language
from .remember_requests import LONGEST_START

_LONGEST_END = 120  # letters at the end of a message that are searched
_NAMES_A_THING_WITHIN = 80  # letters beside the request that may name the thing
_REPORTS_WITHIN = 30
may_ask = quick_search(
    r"remember|memori|save|store|record|log\b|memory|keep|write|put\sth|merk|schreib|speicher|notier|behalt|guard|acuerd|recuerd|regist"
    r"|an?not|apunt|grab|reti?en|souvien|mémoi?r|gedächtnis|note|enregistr|sauvegard|garde|запомин|сохраня|записыва|для\s(?:записи|протокола)|[记記录錄存]|ないで|覚えなくて|オフレコ"
    "|grav|salv|lembr|ricord|conserv|zapami|zapisuj|notuj|zachowuj|pami[ęe]c"
    "|mem[óo]ri|памят|지 ?[마말]"
    r"|rem{1,3}b|remeb|\bsav\b|off\srecord|forget|vergiss|merks|almacen|extraofi|olv[ií]d|quede|stocke|[ée]cris|oublie|noter|delete|lösch|notiz|effacer|\bnotas?\b|trace|写进|寫進"
    "|запам|запомн|забудь|записи|[覚お]ぼ?え|忘れて|するな"
)


def _any(*requests: str) -> str:
    return f"(?:{'|'.join(requests)})"


def _with_please(one: Language, *requests: str) -> str:
    return rf"(?:{one.please},?\s)?{_any(*requests)}(?:,?\s{one.please})?"


def _polite(one: Language, *requests: str) -> str:
    return rf"(?:{one.please},?\s{_any(*requests)}|{_any(*requests)},?\s{one.please})"


def _before_a_statement(one: Language) -> str:
    return rf"""{_any(one.clear, one.with_please)},?\s{one.please}\s+(?=\S)(?!(?:{one.goes_on})\s)
        |(?:{_with_please(one, one.clear, one.with_statement, one.named)}
            |{_polite(one, one.with_please, one.with_statement_and_please)})
          {SEPARATOR}(?=(?:{one.statement_start}))"""


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


_ASKING = _any(
    *(_with_please(one, one.clear) for one in LANGUAGES),
    *(_polite(one, one.with_please) for one in LANGUAGES),
    *(one.clear for one in UNSPACED),
)
_MARKED = _any(
    *(_with_please(one, one.with_please, one.with_colon, one.named) for one in LANGUAGES),
    *(one.with_colon for one in UNSPACED),
)
_BEFORE_A_STATEMENT = _any(
    *map(_before_a_statement, LANGUAGES), *(one.before_a_statement for one in UNSPACED)
)
_BEHIND_A_STATEMENT = _any(
    rf"\s{_any(*(_polite(one, one.clear, one.with_please) for one in LANGUAGES))}",
    *(one.behind_a_statement for one in UNSPACED),
)
_BREAK = rf"(?:[,，;；.。!！?？…、—–\n()~/<>{EMOJI}-]|(?<=けど)|(?<=から))"
_WITH_OWN = _any(*(_with_please(one, one.with_statement) for one in LANGUAGES))
_CLEAR_WITH_OWN = _any(
    *(_with_please(one, one.named) for one in LANGUAGES),
    *(_polite(one, one.with_statement_and_please) for one in LANGUAGES),
)
_ALONE = _any(_WITH_OWN, _CLEAR_WITH_OWN, *(one.alone for one in (*LANGUAGES, *UNSPACED)))
_BEHIND_A_PERSON = rf"(?:{_BREAK}\s?{_WITH_OWN}|{SEPARATOR}{_CLEAR_WITH_OWN})"
_LEAD_IN = rf"""[\s{EMOJI}]{{0,9}}
    (?:(?:ok(?:ay)?|hey|hi|hello|so|and|but|also|oh|btw|by\sthe\sway|well|now|um|uh
    |lol|omg|yo|wait|listen|hey\s(?!they\b|you\b)[^\W\d_]{{3,20}}|hallo|ach|und|aber|übrigens|oye|hola|bueno|y|pero|et|mais|au\sfait|ну|и|а|кстати
    |对了|對了|那个|那個|ねえ|あの)\b[\s,，、!:.…]{{0,4}}){{0,2}}
    (?:(?P<name>(?![\u3040-\ud7a3])[^\W\d_]{{2,20}})\s?,\s{{0,3}})?"""
_END = rf"[\s.。!！~～…()）\]:;/{EMOJI}]{{0,9}}\Z"
_AGREED = r"(?:,?\s(?:ok(?:ay)?|vale|ок(?:ей)?|хорошо)\??)?"
_OPEN, _CLOSE = r"[(（\[]", r"\s?[.!。！]?\s?[)）\]]"
# Requests that nothing but a break, a colon or brackets has to set apart.
_CLEAR_START = _compiled(rf"""{_LEAD_IN}{_OPEN}?\s?
    (?:{_ASKING}{_AGREED}(?:{_CLOSE}|\s?[:：,，、;；.。!！…—–{EMOJI}-]|(?<=けど)(?=\S)|(?<=\?)(?=\s)|\s?\Z
        |(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])|\s(?:but|aber|pero|mais|но)\b)
      |{_MARKED}(?:\s?[:：]|{_CLOSE}))
    [\s:：,，、;；.。!！…—–{EMOJI}-]{{0,9}}""")
_CLEAR_END = _compiled(rf"""
    (?:(?:^|{_OPEN}|{_BREAK}|\b(?:and|but|so|und|aber|y|pero|et|mais|но)
        |\s(?=(?:только|тока|ток)\s))\s?{_ASKING}
      |{_OPEN}\s?{_MARKED}){_END}""")
_WHOLE = _compiled(rf"{_LEAD_IN}{_ALONE}{_END}")
# Requests beside a statement. Without a comma, "this" may begin the name of a thing ("this file"),
# and the rest may say why that thing must not be saved ("i need to edit it first").
_START = _compiled(rf"{_LEAD_IN}{_BEFORE_A_STATEMENT}")
_FINISH = _compiled(rf"{_BEHIND_A_STATEMENT}{_END}")
_FINISH_OF_A_PERSON = _compiled(rf"{_BEHIND_A_PERSON}{_END}")
# A command that does not begin its message, "hey, /off I quit", still means what it says.
_SLASH_INSIDE = re.compile(
    r"(?<!\bon)\s[/／](?:off(?=\s+\w|\W*\Z)|不记录|不記錄)[\s:：,，]*", re.IGNORECASE
)
_LONGEST_AROUND = 500  # letters; a longer text only happens to have such a word
_CODE = "```"


def text_beside_request(text: str) -> str | None:
    """Returns what a message says beside such a request, which may be nothing.

    Returns None for a message without one.
    """
    match = _SLASH_INSIDE.search(text) if len(text) <= _LONGEST_AROUND else None
    if match and _CODE not in text:
        return f"{text[: match.start()]} {text[match.end() :]}".strip()
    end = max(0, len(text) - _LONGEST_END)
    if not (may_ask(text[:LONGEST_START]) or may_ask(text[end:])):
        return None
    match = _CLEAR_START.match(text)
    if match and (match.end() < len(text) or not match["name"]):  # not "Fired, don't save this"
        said = text[match.end() :].strip()
        return None if REPORT_BEHIND.match(said) else said
    if match := _CLEAR_END.search(text, end):
        return text[: match.start()].strip()
    if _WHOLE.match(text):
        return ""
    found = _statement_beside_request(text, end)
    if found is None and len(text) <= _LONGEST_AROUND:
        found = statement_beside_clause(text)
    return found


def _statement_beside_request(text: str, end: int) -> str | None:
    """Returns the statement without which the request may be talk, or mean a thing."""
    if match := _START.match(text):
        said = text[match.end() :]
        if not THING.search(said[:_NAMES_A_THING_WITHIN]):
            return said.strip()
    match = _FINISH.search(text, end) or _FINISH_OF_A_PERSON.search(text, end)
    if match is None:
        return None
    said = text[: match.start()]
    is_of_nobody = match.re is _FINISH_OF_A_PERSON and not PERSON.search(said)
    if is_of_nobody or THING.search(said[-_NAMES_A_THING_WITHIN:]):
        return None
    return None if REPORT.search(said[-_REPORTS_WITHIN:]) else said.strip()
