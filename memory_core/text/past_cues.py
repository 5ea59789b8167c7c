"""Recognises questions in the past tense or about a former state: "Where did I live before?"."""

import re

_WORDS = {
    "en": r"before|previous(?:ly)?|earlier|former(?:ly)?|once|originally|back then|at the time|"
    r"used to|in the past|at first|no longer|any ?more|ex|(?:my|our|his|her|their) (?:old|last)|"
    r"was|were|did|had|(?:have|has) \w+ ever",
    "de": r"früher\w*|vorher\w*|damals|ehemalig\w*|ursprünglich|einst|zuvor|nicht mehr|"
    r"war(?:en|st)?|hatte\w*",
    "es": r"antes|anterior(?:es|mente)?|antigu[oa]s?|entonces|originalmente|ya no|"
    r"solía[ns]?|era[ns]?|fue(?:ron)?",
    "fr": r"avant|auparavant|ancien(?:ne|s|nes)?|précédent\w*|autrefois|jadis|à l'époque|"
    r"ne plus|étai\w+",
    "ru": r"раньше|прежде|прежн\w*|тогда|бывш\w*|сначала|больше не|был[аио]?",
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
