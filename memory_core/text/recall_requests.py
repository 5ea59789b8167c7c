"""Recognises messages about what was said before: "what did you suggest again"."""

# ruff: noqa: RUF001

import re

from ..infra.lru_cache import memoize

_MAX_CHARS = 2_000  # the rest of a text is ignored
_CACHE_CHARS = 50_000
_YOU = r"(?:you|u|ya)"
_SAID = r"(?:say|said|tell|told|mention(?:ed)?|promised?|suggest(?:ed)?|recommend(?:ed)?|advised?)"
_WORDS = {
    "en": rf"remind me|{_YOU} (?:already |once |just )?(?:said|told me|mentioned|promised|suggested"
    rf"|recommended|advised)|did (?:{_YOU}|i|we) (?:ever |already )?{_SAID}"
    rf"|have i (?:ever |already )?(?:told|mentioned)|i (?:already )?told {_YOU}"
    r"|what(?:'?s| was| were) (?:your|ur|my|our) .{1,60}|name of (?:the|my|our|that)"
    r"|(?:what|who|where|when|which|how)\b.{1,60} again",
    "de": r"erinner (?:mich|uns)|(?:hast|hattest) du (?:mir |uns )?.{0,40}"
    r"(?:gesagt|erzählt|empfohlen|versprochen|gedroht|vorgeschlagen|geraten)"
    r"|(?:hab|habe|hatte) ich (?:dir )?.{0,40}(?:gesagt|erzählt|erwähnt)|wie hie(?:ß|ss)\w*"
    r"|(?:was|wer|wo|wann|wie|welche\w*)\b.{1,60} (?:noch ?mal|gleich|nochma)",
    "es": r"recu[eé]rdame|me (?:dijiste|contaste|recomendaste|prometiste|aconsejaste|sugeriste)"
    r"|te (?:dije|conté)|c[oó]mo (?:era|iba|se (?:ll|y)ama(?:ba)?) (?:lo|el|la|los|las|mi|tu)",
    "fr": r"rappelle[- ]moi|tu (?:m'|nous )?(?:avais|as) (?:déjà )?"
    r"(?:dit|raconté|conseillé|promis|recommandé|suggéré)|je t'(?:ai|avais) (?:déjà )?(?:dit|parlé)"
    r"|(?:c'était|c'est) (?:quoi|qui|où|quand) déjà|comment (?:il|elle|ça) s'appel\w+",
    "ru": r"напомни|ты (?:мне )?(?:говорил|сказал|советовал|обещал|рассказ|предлагал)\w*"
    r"|я (?:тебе )?(?:говорил|рассказ)\w*|как (?:там )?(?:звали|называл\w+)",
}
_UNSPACED = (
    "提醒我|你.{0,6}(?:说|說|讲|講|提|答应|答應|教|推荐|推薦|建议|建議)(?:过|過|的)"
    "|你(?:之前|上次|以前|那时|那時).{0,8}(?:说|說|讲|講|提|教|推荐|推薦|建议|建議)|欠我"
    "|我.{0,6}(?:告诉|告訴|跟你说|跟你說)过?|叫(?:什么|什麼|啥)来着|来着"
    "|(?:言って|話して|教えて|勧めて|約束して)(?:い?た|くれた)|(?:何|なん|誰|どこ|いつ)(?:だった|だ)?っけ|だっけ"
)
_REQUEST = re.compile(rf"(?<!\w)(?:{'|'.join(_WORDS.values())})(?!\w)|{_UNSPACED}", re.IGNORECASE)


@memoize(chars=_CACHE_CHARS)
def asks_what_was_said(text: str) -> bool:
    """Returns whether the text asks for, or refers to, what one of the two said before."""
    return bool(_REQUEST.search(text[:_MAX_CHARS].replace("’", "'")))
