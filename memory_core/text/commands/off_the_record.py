"""Recognises "don't remember this: …" in plain words, at the beginning or the end of a message.

The same words may tell what somebody has forgotten ("don't remember that, sorry"), or mean a thing
("don't keep it"). So most need a colon, a "please", brackets, or the memory by its name. "This
stays between us" asks for no such thing: a secret is told to be known.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese punctuation)

import re

from . import named_memory_requests, run_on_requests
from . import off_the_record_words as words
from .english import LONGEST_START

_LONGEST_END = 120  # letters at the end of a message that are searched
MAY_ASK = re.compile(
    r"remember|memori|save|store|record|log\b|memory|merk|speicher|notier|behalt|guard|acuerd|recuerd|regist"
    r"|an?not|apunt|grab|reti?en|souvien|mémoi?r|gedächtnis|note|enregistr|sauvegard|garde|запомин|сохраня|записыва|для\s(?:записи|протокола)|[记記录錄存]|ないで|覚えなくて|オフレコ"
    "|grav|salv|lembr|ricord|conserv|zapami|zapisuj|notuj|zachowuj|pami[ęe]c"
    "|mem[óo]ri|памят|지 ?[마말]",
    re.IGNORECASE,
)
_LOUD, _QUIET = (f"(?:{'|'.join(patterns)})" for patterns in (words.LOUD, words.QUIET))
_AT_THE_START = re.compile(
    rf"""\s{{0,9}}{words.LEAD_IN}(?:
      {_LOUD}(?P<brackets>\s?[)）\]])?(?:\s?[:：,，、;；.。!！…—–-]|(?<=[{words.HAN}])\s+(?=[{words.HAN}])|\s(?:but|aber|pero|mais|но)\b|(?<=けど)(?=\S)|\s?\Z)
      |{_QUIET}\s?[:：]
      |[(（\[]\s?(?:{_LOUD}|{_QUIET}|{words.CHINESE_BRACKETED})\s?[.!。！]?\s?[)）\]])
    [\s:：,，、;；.。!！…—–-]{{0,9}}""",
    re.IGNORECASE | re.VERBOSE,
)
_AT_THE_END = re.compile(
    rf"""(?:(?:^|[,，;；.。!！?？…、—–\n-]|\b(?:and|but|so|und|aber|y|pero|et|mais|но)|(?<=けど)|(?<=から)
      |\s(?=(?:только|тока|ток)\s))\s?{_LOUD}
      |[(（\[]\s?(?:{_LOUD}|{_QUIET}|{words.CHINESE_BRACKETED}))
    [\s.。!！~～…)）\]]{{0,9}}\Z""",
    re.IGNORECASE | re.VERBOSE,
)

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
    if not (MAY_ASK.search(text, 0, LONGEST_START) or MAY_ASK.search(text, end)):
        return None
    if match := _AT_THE_START.match(text):
        return text[match.end() :].strip()
    if match := _AT_THE_END.search(text, end):
        return text[: match.start()].strip()
    said = run_on_requests.text_beside_request(text, end)
    return named_memory_requests.text_beside_request(text, end) if said is None else said
