"""Recognises questions for a time or an amount, and texts that contain one."""
# ruff: noqa: RUF001

import re

from ..infra.lru_cache import memoize

_ASKS = {
    "en": r"when|(?:what|which) (?:day|date|time|night|week|month)"
    r"|how (?:much|many|long|old|often)",
    "de": r"wann|welche[rnms]? (?:tag|datum|uhrzeit)|wie ?viele?|wie (?:spät|lange|alt|oft)"
    r"|um wie ?viel",
    "es": r"cu[aá]ndo|a qu[eé] hora|qu[eé] d[ií]a|cu[aá]nt[oa]s?",
    "fr": r"quand|quel(?:le)? (?:jour|heure|date)|combien",
    "ru": r"когда|во сколько|сколько|как(?:ого|ой) (?:числа|день)|по каким дням",
}
_ASKS_UNSPACED = (
    "几|幾|多少|什么时候|什麼時候|啥时候|啥時候|哪天|いつ|何時|何日|何曜|いくら|何歳|何円|いくつ"
)
_DAYS = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch"
    r"|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
    r"|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche"
    r"|понедельник|вторник|сред[ауы]|четверг|пятниц|суббот|воскресен"
    "|[一二三四五六七八九十][号月点點日千百萬万]|曜"
)
_ASKED = re.compile(rf"(?<!\w)(?:{'|'.join(_ASKS.values())})(?!\w)|{_ASKS_UNSPACED}", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_DAY = re.compile(_DAYS, re.IGNORECASE)
_MAX_CHARS = 2_000  # letters that are read
_CACHE_CHARS = 200_000


def asks_for_a_value(text: str) -> bool:
    """Returns whether the text asks "when", "how much" or the like."""
    return bool(_ASKED.search(text[:_MAX_CHARS]))


@memoize(chars=_CACHE_CHARS)
def has_a_value(text: str) -> bool:
    """Returns whether the text has a number or a day of the week."""
    text = text[:_MAX_CHARS]
    return bool(_DIGIT.search(text) or _DAY.search(text))
