"""Decides whether a sentence can be understood without the sentences before it.

"I found him behind the bakery" cannot: nobody knows whom. "My cat is old, and I carry him" can,
because a noun or a name with an article, a possessive or a capital letter stands before the
pronoun. English and Chinese are known. Sentences in other languages count as understandable,
unless they begin with a pronoun.
"""

import re

_WORD = re.compile(r"[A-Za-z]+")
_ENGLISH_PRONOUN = re.compile(r"\b(?:he|she|it|they|him|her|them)\b(?:['’]\w+)?", re.IGNORECASE)  # noqa: RUF001
_OTHER_PRONOUN_FIRST = re.compile(
    r"\W*(?:(?:er|sie|él|ella|ellos|ellas|elle|elles|ils|он|она|они)\b"
    r"|il\b(?! (?:y|faut|fait|fallait|est|me|m|nous|pleut|n)\b)|me (?:contó|dijo)\b"
    r"|彼(?:女|ら)?[はが])",
    re.IGNORECASE,
)
_ARTICLES = "a an the my our your his their this these some two three four five another every"
_NO_NAMES_AT_THE_START = (
    "i we you yes no and but so also then now today yesterday well oh ok okay because if when what "
    "sometimes maybe"
)
_DETERMINERS, _NO_NAMES = frozenset(_ARTICLES.split()), frozenset(_NO_NAMES_AT_THE_START.split())
_SPEAKERS = frozenset(("i", "we", "you", "and"))
_CHINESE_PRONOUN = re.compile("[它他她牠]")
_CONTRADICTS = re.compile(r"\W*(?:but\b|但是|不过)", re.IGNORECASE)
_CLAUSE_END = re.compile("[，,。；;！!]")  # noqa: RUF001
# The speaker without a relative or a possession: "我妈妈说她" names who she is.
_SPEAKER_ALONE = re.compile("[我咱]们?(?![们妈爸姐哥弟妹爷奶外老的女儿先男朋同家孩侄舅姑叔姨丈婆])")
_NAMELESS_START, _NAMELESS_CLAUSE = 2, 12  # characters before a pronoun in which nobody is named


def is_self_contained(sentence: str) -> bool:
    """Returns False if a pronoun refers to somebody or something not named before it.

    Also returns False for a sentence that begins with "but", since it contradicts one before it.
    """
    return not (
        _CONTRADICTS.match(sentence)
        or _OTHER_PRONOUN_FIRST.match(sentence)
        or _is_bare_in_chinese(sentence)
        or _is_bare_in_english(sentence)
    )


def _is_bare_in_english(sentence: str) -> bool:
    found = _ENGLISH_PRONOUN.search(sentence)
    return found is not None and not _names_something(sentence[: found.start()])


def _names_something(beginning: str) -> bool:
    """Returns whether these words hold a name, or a noun with an article or a possessive."""
    words = _WORD.findall(beginning)
    for index, word in enumerate(words):
        following = words[index + 1].lower() if index + 1 < len(words) else ""
        if word.lower() in _DETERMINERS and following:
            return True
        may_be_name = word[0].isupper() and word.lower() not in _NO_NAMES
        if may_be_name and (index > 0 or following not in _SPEAKERS):
            return True
    return False


def _is_bare_in_chinese(sentence: str) -> bool:
    found = _CHINESE_PRONOUN.search(sentence)
    if found is None:
        return False
    before = sentence[: found.start()]
    if _CLAUSE_END.search(before):
        return False
    if len(before) <= _NAMELESS_START:
        return not before or bool(_SPEAKER_ALONE.search(before))
    return len(before) <= _NAMELESS_CLAUSE and bool(_SPEAKER_ALONE.search(before))
