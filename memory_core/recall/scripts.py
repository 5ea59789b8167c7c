"""In which scripts a text is written: as much of its language as can be told for certain."""

import re
from collections import Counter

_RANGES = {
    "latin": "A-Za-z\u00c0-\u024f",
    "cyrillic": "\u0400-\u052f",
    "arabic": "\u0600-\u06ff",
    "han": "\u3400-\u4dbf\u4e00-\u9fff",
    "kana": "\u3040-\u30ff",
    "hangul": "\uac00-\ud7af",
}
_LETTERS = {name: re.compile(f"[{letters}]") for name, letters in _RANGES.items()}


def scripts_in(text: str) -> Counter[str]:
    """Script → number of letters. Chinese characters among kana are Japanese."""
    found = Counter({name: len(letters.findall(text)) for name, letters in _LETTERS.items()})
    if found["kana"]:
        found["kana"] += found.pop("han")
    return +found


def main_script(text: str) -> str:
    """That of most letters; empty where there are none of these scripts."""
    return max(scripts_in(text).items(), key=lambda it: it[1], default=("", 0))[0]
