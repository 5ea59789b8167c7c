"""Recognises sentences in which speakers talk of themselves, and those that address the other one.

Only "I" counts: "we" may mean both speakers. English, German, French, Spanish and Chinese.
"""

import re

from .sentences import is_question, sentences

_FIRST = re.compile(
    r"\b(?:i|my|me|mine|myself|ich|mein(?:e[mnrs]?)?|mich|mir|je|moi|mes|yo|mis?|soy|tengo)\b"
    r"|\bj['’]|[我俺](?!们)",  # noqa: RUF001
    re.IGNORECASE,
)
_SECOND = re.compile(
    r"\b(?:you|your|yours|yourself|du|dein(?:e[mnrs]?)?|dich|dir|tu|toi|tes|vous|votre|vos"
    r"|tú|tus|usted)\b|[你您]",
    re.IGNORECASE,
)


def speaks_of_oneself(sentence: str) -> bool:
    """Returns whether the sentence has a word for "I", "my" or the like."""
    return bool(_FIRST.search(sentence))


def addresses_listener(sentence: str) -> bool:
    """Returns whether the sentence has a word for "you", "your" or the like."""
    return bool(_SECOND.search(sentence))


def sentences_to_listener(message: str) -> list[str]:
    """Returns the sentences that address the listener, which may tell of the listener's doings."""
    return [sentence for sentence in sentences(message) if addresses_listener(sentence)]


def statements_of_oneself(message: str) -> list[str]:
    """Returns the statements of a message that say "I", none of which addresses the listener.

    Statements without any "I" belong to them ("Lost my keys. Found them in the car.").
    """
    own = [one for one in sentences(message) if not addresses_listener(one)]
    stated = [one for one in own if not is_question(one)]
    return stated if any(map(speaks_of_oneself, stated)) else []
