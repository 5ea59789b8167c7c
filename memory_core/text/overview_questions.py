"""Recognises messages that ask for all that is known of the user, a part of their life, or chats.

"What do you know about me?" and "what are my hobbies?" share no word with what they ask for, so no
search finds it. An overview is asked for by a whole message: "what do you know about me and Tom"
asks for something else. A part of the user's life is asked for by a clause with nothing but light
words around it ("do you even remember …", "my boss asks …"): "do I have pets that may travel" asks
for something else.
"""

# ruff: noqa: RUF001  (Chinese punctuation)

import re

from .overview_words import ALSO_SAID, OVERVIEWS, WHAT_WAS_SAID
from .overview_words import Overview as Overview
from .patterns import plain_question
from .questions import stands_alone, without_adverbs_of_time
from .subject_statements import OwnSubject as OwnSubject
from .subject_words import any_question_in_ascii, question_pattern

_MAX_CHARS = 160  # of a message that asks for an overview
_MAX_CLAUSE = 120  # characters of a question for a part of the user's life
_MAX_MESSAGE = 400  # characters of a message that asks it among other things
_CLAUSE_END = re.compile(r"[.!?,;:…()\n]+|[。！？，；：（）、]|\s-+\s")
_QUESTION_MARK = re.compile("[?？]")


def overview_asked_for(text: str, names: tuple[str, ...] = ()) -> Overview | None:
    """Returns the overview that the whole message asks for, or None. Ignores `names` around it."""
    if len(text) > _MAX_CHARS:
        return None
    plain = plain_question(text, names)
    if ALSO_SAID.fullmatch(plain) and not _QUESTION_MARK.search(text):
        return None
    return next((kind for kind, pattern in OVERVIEWS.items() if pattern.fullmatch(plain)), None)


def only_asks_what_was_said(text: str, names: tuple[str, ...] = ()) -> bool:
    """Returns whether a message, without its dates, only asks what was said at that time."""
    if len(text) > _MAX_CHARS:
        return False
    plain = plain_question(text, names)
    patterns = WHAT_WAS_SAID, OVERVIEWS[Overview.LAST_CHATS]
    return any(pattern.fullmatch(plain) for pattern in patterns)


def own_subject_asked_for(text: str, names: tuple[str, ...] = ()) -> OwnSubject | None:
    """Returns the part of the user's life that the message or one of its clauses asks for, or None.

    Ignores `names` around it.
    """
    if len(text) > _MAX_MESSAGE:
        return None
    clauses = [clause for clause in _CLAUSE_END.split(text) if clause.strip()]
    asked = (text, *clauses) if len(clauses) > 1 else (text,)
    found = (_asked_for(clause, names) for clause in asked if len(clause) <= _MAX_CLAUSE)
    return next(filter(None, found), None)


def _asked_for(clause: str, names: tuple[str, ...]) -> OwnSubject | None:
    plain = without_adverbs_of_time(plain_question(clause, names))
    whole = any_question_in_ascii() if plain.isascii() else question_pattern(*OwnSubject)
    if not whole.search(plain):
        return None
    for subject in OwnSubject:
        found = question_pattern(subject).search(plain)
        if found and stands_alone(found):
            return subject
    return None
