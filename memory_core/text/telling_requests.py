"""Recognises short requests to be told something: "dime la clave", "the code please".

The verb and "please" do not belong to the thing that is asked for.
"""
# ruff: noqa: RUF001

import re

from ..infra.lru_cache import memoize

_MAX_CHARS = 300  # longer messages say more than what they ask for
_CACHE_CHARS = 50_000
_DETERMINER = r"(?=\s+(?:the|my|our|his|her|their|that|those|what|where|who|when|which|how)\b)"
_AGAIN = r"(?:\s+(?:again|quick(?:ly)?|nochmal|noch\s+mal|mal|bitte|otra\s+vez|encore|снова))*"
_ME = r"(?:[\s-]+(?:me|us|mir|mich|uns|moi|nous|мне|нам))"
_VERBS = {
    "en": rf"(?:tell|show|give|remind|send|text){_ME}(?!\s+an?\b)"
    rf"|(?:say|name|repeat|tell){_DETERMINER}",
    "de": rf"(?:sage?|nenne?|gib|zeige?|schicke?|erinnere?|verrate?|wiederhole?){_ME}"
    r"|(?:sage?|nenne?|gib|wiederhole?)"
    r"(?=\s+(?:der|die|das|den|mein\w*|unser\w*|wie|wo|was|wer)\b)",
    "es": r"(?:d[ií]|da|p[aá]sa|m[aá]nda|rep[ií]te|recu[eé]rda|cu[eé]nta|env[ií]a|ens[eé]ña)"
    r"(?:me|nos)",
    "pt": r"(?:(?:me|nos)\s+)?(?:diz|diga|dá|fala|passa|manda|lembra|repete)(?:-(?:me|nos))?",
    "it": r"(?:dim|dam|ricorda|ripeti|manda|passa|mostra)(?:mi|ci)",
    "fr": rf"(?:re)?(?:dis|donne|rappelle|montre|envoie|file|passe|répète){_ME}"
    r"|(?:re)?(?:dis|donne|rappelle|répète)(?=\s+(?:le|la|les|mon|ma|mes|l['’]|où|qui|quand|comment))",
    "ru": r"(?:скажи|подскажи|напомни|дай|назови|повтори|скинь|пришли|покажи)(?:те)?"
    r"(?:\s+(?:мне|нам|ещё\s+раз|еще\s+раз|пожалуйста))*",
}
_PLEASE = (
    r"(?:please|pls|plz|bitte|por\s+favor|porfa(?:vor)?|s['’]il\s+(?:te|vous)\s+pla[iî]t|stp|svp"
    r"|per\s+(?:favore|piacere)|пожалуйста|плиз)"
)
_VERB = re.compile(
    rf"^\W*(?:(?:{_PLEASE}|hey|ok(?:ay)?|so|and|und|y|et|а|ну|e)\b[\s,]*)*"
    rf"(?:{'|'.join(_VERBS.values())})(?!\w){_AGAIN}(?:\s+{_PLEASE}(?!\w))?",
    re.IGNORECASE,
)
_PLEASE_LAST = re.compile(rf"[\s,]{_PLEASE}\W*$", re.IGNORECASE)
_WIDE_VERB = re.compile(
    "^(?:请|請|麻烦|麻煩)?(?:告诉|告訴|提醒|发给|發給|再说一?[下遍])我?(?:一下)?"
    "|(?:再)?(?:说|說|报|報|念)一?下|(?:告诉|告訴|发|發|给|給)我(?:一下)?[。!！]*$"
    "|[をの]?(?:もう一度|もういっかい)?(?:教えて|言って|お願い|おねがい|ちょうだい|頂戴|見せて|送って)"
    "(?:くれる|ください|下さい|よ|ね)?[。!！?？]*$"
)
# Not requests for a fact: something new, or another form of the answer ("shorter please").
_NEW = re.compile(
    r"\W*(?:some|something|another|more|eine?[nmrs]?|n|was|etwas|mehr|un[aeo]?|unos|unas|algo|otro|otra"
    r"|des|du|quelque|qualcosa|um|uma|что[-‑]нибудь|ещё|еще)(?!\w)",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"\W*(?:\w+er|more|less|again|help|stop|wait|once\s+more|hilfe|ruhe|weiter|nochmal|otra\s+vez|más"
    r"|ayuda|encore|plus|moins|aide|ancora|aiuto|mais|ajuda|ещё|еще|снова|потише"
    r"|(?:in|auf|en|em|на|по)\s+\S+)[\s,]+\S+\W*$",
    re.IGNORECASE,
)
_DEFINITE = re.compile(
    r"\W*(?:the|my|our|das|die|der|den|mein\w*|el|la|los|las|mis?|le|les|l['’]|mon|ma|mes|il|lo|o|a"
    r"|os|as|meu|minha|mio|mia|мо[йяеёию]|наш\w*)(?!\w)",
    re.IGNORECASE,
)
_MAX_WORDS, _MAX_BARE_WORDS = 7, 3  # "the code of the garden gate please", "wifi code please"
_LETTER = re.compile(r"[^\W_]")


@memoize(chars=_CACHE_CHARS)
def asks_to_be_told(text: str) -> bool:
    """Returns whether a message is a short request to be told or given something."""
    if len(text) > _MAX_CHARS:
        return False
    verb = _VERB.match(text)
    if verb:
        return not _NEW.match(text, verb.end())
    if _PLEASE_LAST.search(text):
        longest = _MAX_WORDS if _DEFINITE.match(text) else _MAX_BARE_WORDS
        return len(text.split()) <= longest and not _FORM.match(text)
    return not text.isascii() and bool(_WIDE_VERB.search(text))


def without_asking_to_be_told(text: str) -> str:
    """Returns "la clave" for "dime la clave por favor"; a text of nothing else stays whole."""
    if not asks_to_be_told(text):
        return text
    rest = _PLEASE_LAST.sub(" ", _VERB.sub(" ", text))
    rest = rest if rest.isascii() else _WIDE_VERB.sub(" ", rest)
    return rest if _LETTER.search(rest) else text
