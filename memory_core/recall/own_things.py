"""Tells whether a statement is about a thing that the user called theirs before: "my back is fine".

Words of small talk such as "my day" do not count.
"""

import re

from ..text.language import languages_of
from ..text.search_terms import terms

_MY = {
    "en": "my",
    "de": "mein(?:e[mnr]?)?",
    "es": "mis?",
    "fr": "m(?:on|a|es)",
    "pt": "meus?|minhas?",
    "it": "mi[ao]|miei?",
}
_OF_SMALL_TALK = {
    "en": """day days life god goodness gosh bad turn age mind way own first last next new old
        opinion word words point fault question answer message time morning evening night week
        weekend month year name dear friend love best favorite favourite thing things idea mood
        side home""",
    "de": """tag leben gott meinung fehler frage zeit woche morgen abend nacht name lieber liebe
        neuer neue neues erste""",
    "es": """día dia vida dios opinión culpa pregunta tiempo semana noche nombre amor querido
        querida mejor nuevo nueva casa""",
    "fr": """dieu vie journée jour avis faute question temps semaine soirée nuit nom amour cher
        chère pote dernier dernière""",
    "pt": "deus vida opinião culpa pergunta tempo noite nome amor",
    "it": "dio vita opinione colpa domanda tempo nome amore",
}
_OWN_THING = {
    language: re.compile(
        rf"\b(?:{my}) (?!(?:{'|'.join(_OF_SMALL_TALK[language].split())})\b)([^\W\d_]{{3,}})"
    )
    for language, my in _MY.items()
}


def tells_of_same_thing(message: str, told: str) -> bool:
    """Returns whether both texts call the same thing "my …", in the language of both together."""
    message, told = message.casefold(), told.casefold()
    return any(
        (things := _own_things(message, pattern))
        and not things.isdisjoint(_own_things(told, pattern))
        # A few words alone seldom show their language: "mi" begins Italian verbs, too.
        and languages_of(f"{message}\n{told}") == (language,)
        for language, pattern in _OWN_THING.items()
    )


def _own_things(text: str, pattern: re.Pattern[str]) -> frozenset[str]:
    return frozenset(term for thing in pattern.findall(text) for term in terms(thing))
