"""Recognises questions about how things were before: "Where did I live before?", "以前住哪里?"."""

import re

_WORDS = {
    "en": r"before|previous(?:ly)?|earlier|former(?:ly)?|once|originally|back then|at the time|"
    r"used to|in the past|at first|no longer|any ?more|ex|old|my last|first",
    "de": r"früher\w*|vorher\w*|damals|ehemalig\w*|ursprünglich|einst|zuvor|nicht mehr|alte[nrsm]?",
    "es": r"antes|anterior(?:es|mente)?|antigu[oa]s?|entonces|originalmente|ya no|solía[ns]?",
    "fr": r"avant|auparavant|ancien(?:ne|s|nes)?|précédent\w*|autrefois|jadis|à l'époque|ne plus",
    "ru": r"раньше|прежде|прежн\w*|тогда|бывш\w*|сначала|больше не",
}
_UNSPACED = (
    "以前|之前|从前|過去|过去|原来|原先|曾经|曾|当时|那时|早先|前に|昔|かつて|当時|元々|もともと"
)
_CUES = re.compile(
    rf"(?<!\w)(?:{'|'.join(_WORDS.values())})(?!\w)|{_UNSPACED}",
    re.IGNORECASE,
)


def asks_how_things_were(text: str) -> bool:
    """Returns whether the text has a word that points to an earlier state of things."""
    return bool(_CUES.search(text))
