"""Tells whether a message is about a thing of its writer that a memory mentions: "my back is fine".

Small talk has such words, too: "my day was long". These tell of nothing known.
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
_OWN_THING = {
    language: re.compile(rf"\b(?:{my}) ([^\W\d_]{{3,}})", re.IGNORECASE)
    for language, my in _MY.items()
}
_GENERAL = frozenset(
    (
        *("day", "days", "life", "god", "goodness", "gosh", "bad", "turn", "age", "mind", "way"),
        *("own", "first", "last", "next", "new", "old", "opinion", "word", "words", "point"),
        *("fault", "question", "answer", "message", "time", "morning", "evening"),
        *("night", "week", "weekend", "month", "year", "name", "dear", "friend", "love", "best"),
        *("favorite", "favourite", "thing", "things", "idea", "mood", "side", "home"),
        *("tag", "leben", "gott", "meinung", "fehler", "frage", "zeit", "woche", "morgen"),
        *("abend", "nacht", "name", "lieber", "liebe", "neuer", "neue", "neues", "erste"),
        *("día", "dia", "vida", "dios", "opinión", "culpa", "pregunta", "tiempo", "semana"),
        *("noche", "nombre", "amor", "querido", "querida", "mejor", "nuevo", "nueva", "casa"),
        *("dieu", "vie", "journée", "jour", "avis", "faute", "question", "temps", "semaine"),
        *("soirée", "nuit", "nom", "amour", "cher", "chère", "pote", "dernier", "dernière"),
        *("piace", "piacciono", "sento", "chiamo", "sembra", "manca", "fa"),  # Italian
    )
)


def own_things(text: str) -> frozenset[str]:
    """Returns the terms of the things that the writer calls their own."""
    patterns = [_OWN_THING[one] for one in languages_of(text) if one in _OWN_THING]
    found = {thing.casefold() for pattern in patterns for thing in pattern.findall(text)}
    return frozenset(term for thing in found - _GENERAL for term in terms(thing))
