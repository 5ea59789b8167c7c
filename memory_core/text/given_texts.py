"""Recognises requests to work on a text that the message itself gives.

"Translate this: …" and "fix the grammar: …" need the given text, and no memory that shares words
with it.
"""

# ruff: noqa: RUF001

import re

_POLITE = (
    r"^\W*(?:(?:please|pls|plz|can you|could you|would you|hey|ok(?:ay)?|now|so|quick(?:ly)?|bitte"
    r"|kannst du|por favor|puedes|me|s['’]il te pla[iî]t|stp|peux[- ]tu|tu peux|пожалуйста"
    r"|можешь)[\s,]+)*"
)
_VERBS = (
    r"(?:re-?write|rephrase|reword|paraphrase|translate|summari[sz]e|proof-?read|correct|edit"
    r"|improve|polish|shorten|simplify|spell-?check)\b"
    r"|(?:fix|check) (?:(?:the|my|this|any) )*"
    r"(?:grammar|spelling|typos?|text|sentence|email|english|this)\b"
    r"|make (?:this|that)\b|how do (?:you|i) say\b"
    r"|(?:übersetz|korrigier|verbesser|formulier|kürz|überarbeit|fass|prüf|umschreib)\w*\b"
    r"|(?:traduce|traduzca|corrige|corrija|mejora|resume|reescribe|reformula|acorta|revisa)\w*\b"
    r"|(?:tradui[st]|corrige|réécris|reformule|résume|améliore|raccourcis|relis)\w*\b"
    r"|(?:переведи|исправь|перепиши|перефразируй|сократи|улучши|проверь|отредактируй)(?:те)?\b"
)
_UNSPACED = re.compile(
    "^(?:请|請|麻烦|帮我|幫我|把)?.{0,6}(?:翻译|翻譯|改写|改寫|润色|潤色|修改|总结|總結|概括|纠正|糾正|缩写|改错)"
    "|(?:訳し|翻訳し|直し|添削し|要約し|校正し|言い換え)て"
)
_REQUEST = re.compile(rf"{_POLITE}(?:{_VERBS})", re.IGNORECASE)
_LEAST = 12  # characters of a given text
_REST = f".{{{_LEAST},}}"
_GIVEN = re.compile(rf"[\"“”„«»「『]{_REST}|[:：]\s*{_REST}|\n\s*{_REST}", re.DOTALL)
_MAX_REQUEST = 160  # characters before the given text
_LEAST_WIDE = 6  # as above, in scripts without blanks
_GIVEN_WIDE = re.compile(rf"[\"“”「『:：\n].{{{_LEAST_WIDE},}}", re.DOTALL)


def gives_text_to_work_on(text: str) -> bool:
    """Returns whether the message asks to rewrite, translate or correct a text that it gives."""
    start = text[:_MAX_REQUEST]
    if _REQUEST.search(start):
        return bool(_GIVEN.search(text))
    return not start.isascii() and bool(_UNSPACED.search(start) and _GIVEN_WIDE.search(text))
