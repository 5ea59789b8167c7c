"""Recognises messages that ask for a proposal: "Was soll ich kochen?", "pick a film"."""
# ruff: noqa: RUF001

import re

_START = r"(?:^|[.!?,;:\n]\s*)\W*"
_POLITE_EN = (
    r"(?:(?:please|pls|plz|hey|hi|ok(?:ay)?|so|and|then|now|also|just|go|come on|quick(?:ly)?|can|"
    r"could|would|will|you|u|help me(?: to)?|let'?s|i (?:want|need) you to"
    r"|i'?d like you to)[\s,]+)*"
)
_VERBS_EN = (
    r"suggest|recommend|order|pick|choose|plan|make|cook|bake|get|bring|fetch|give|find|fix|pour"
    r"|mix"
    r"|whip up|come up with|think (?:up|of)|decide|propose|put (?:together|on)|list|surprise|serve"
    r"|organi[sz]e|prepare|play"
)
# Alternatives that begin with a word.
_ASKS = {
    "en": r"(?:what|where|which)(?: \w+){0,3} (?:should|shall|can|could|might) (?:i|we|you)\b"
    r"|what'?s for (?:breakfast|lunch|dinner|supper|tea)\b|(?:any|some|an?) (?:\w+ )?ideas?\b"
    r"|(?:recommendation|suggestion)s?\b|what to (?:eat|cook|drink|watch|read|make|do|order"
    r"|get)\b",
    "de": r"(?:schlag\w*|empf[ie]\w+hl\w*|bestell\w*|koche?|back|mach|such|plane?|bring|gib"
    r"|stelle?|nenne?|denk|überlege?|wähle?|bereite?|organisiere?|spiele?|finde) "
    r"(?:\w+ )?(?:mir|uns|mal|bitte|eine?n?|n|ne|was|ein|dir)\b"
    r"|(?:was|wo|wohin|welche\w*)(?: \w+){0,2} (?:soll\w*|könnt\w*|kann|können)(?: \w+)? (?:ich"
    r"|wir)\b|was (?:soll|könnt|kann|koch|ess|mach)\w*(?: \w+)? (?:ich|wir)\b"
    r"|\w*(?:idee|vorschlag|vorschläge|empfehlung)|schlag\w* .{1,60} vor\b",
    "es": r"(?:recomi[eé]nd|sugi[eé]r|p[ií]d|p[oó]n|haz|hag|prep[aá]r|busc|b[uú]sc|plan[eé]"
    r"|planific"
    r"|[aá]rm|el[ií]j|escog|esc[oó]g|inv[eé]nt|tr[aá]e|s[ií]rv|d[aá]|pi[eé]ns|prop[oó]n|cocin"
    r"|organ[ií]z)\w*(?:me|nos)\b|(?:haz|arma|prepara|propón|propon|planea|sugiere|recomienda|pon"
    r"|elige|piensa|busca)\b"
    r"|qu[eé](?: \w+)? (?:puedo|podemos|podr[ií]a|podr[ií]amos|ceno|cenamos|cocino|hago|hacemos"
    r"|como|comemos|preparo|preparamos|pido|pedimos|vemos|veo|leo|bebo|tomo|debo|me recomiendas)\b"
    r"|(?:a ?d[oó]nde|dime a donde) (?:vamos|llev\w+|voy|puedo|podemos)\b|ideas? (?:de|para)\b"
    r"|dime (?:qu[eé]|d[oó]nde)\b",
    "fr": r"(?:fais|faites|propose|proposez|trouve|trouvez|suggère|suggérez|conseille|conseillez"
    r"|recommande|recommandez|commande|commandez|prépare|préparez|donne|donnez|choisis|choisissez"
    r"|planifie|organise|invente|sers|servez|apporte|apportez|mets|mettez)"
    r"[- ](?:moi|nous|m'|ma|mon|une?|des|le|la)\b|(?:qu'est[- ]ce qu|que |quoi |où )\w*[' ]?\w*"
    r"(?:pourrais|peux|peut|vais|devrais|mange|cuisine|faire|manger|cuisiner|boire|regarder)\b"
    r"|idées? (?:de|pour)\b|on (?:mange|boit|fait|regarde|cuisine) quoi\b",
    "ru": r"(?:посоветуй|предложи|закажи|собери|составь|придумай|подскажи|выбери|приготовь|сделай"
    r"|дай|накидай|распиши|найди|принеси|налей|спланируй|порекомендуй|включи|поставь|испеки)"
    r"(?:те)?\b|(?:посоветуйте|составьте)\b"
    r"|(?:что|чего|куда|где)(?: (?:бы|мне|нам|тебе))*(?: \w+)? "
    r"(?:приготовить|поесть|съесть|выпить|попить|посмотреть|почитать|заказать|сходить|поехать"
    r"|сварить|испечь|взять)\b|идеи\b",
}
_ASKS_UNSPACED = (
    "推荐|推薦|建议|建議|[帮幫]我.{0,4}(?:想|点|點|开|開|安排|选|選|挑|做|列|规划|規劃|订|訂|买|買)"
    "|[给給][我].{0,3}(?:点|點|倒|做|列|来|來|泡|放|拿)|[来來](?:个|個|点|點|杯|份|首)|点个|點個|列[个個]"
    "|[吃喝看听聽读讀玩做](?:什么|什麼|啥)|去哪儿?(?:玩|吃|逛)|什么好|什麼好|啥好|想想"
    "|おすすめ|オススメ|お勧め|提案|考えて|教えて|選んで|決めて|作って|出して|ちょうだい|頼んで"
    "|注文して|献立|ください|くれ(?:る|ない|ん|$)|リスト|何.{0,3}(?:食べ|飲|作|見|観|読|しよう)"
)
_MAX_CHARS = 2_000  # the rest of a text is ignored
# Searched in lower case, which takes half as long as ignoring the case; of ASCII texts, without
# the words of other scripts.
_BEGINS = rf"{_START}{_POLITE_EN}(?:{_VERBS_EN})\b"
_ASKS_FOR_ONE = re.compile(
    rf"\b(?:{'|'.join(_ASKS.values())})|{_BEGINS}|{_ASKS_UNSPACED}", re.MULTILINE
)
_IN_ASCII = "|".join(words for language, words in _ASKS.items() if language != "ru")
_ASKS_IN_ASCII = re.compile(rf"\b(?:{_IN_ASCII})|{_BEGINS}", re.MULTILINE)


def asks_for_a_proposal(text: str) -> bool:
    """Returns whether the text asks for something to be proposed, fetched or prepared."""
    plain = _plain(text).lower()
    return bool((_ASKS_IN_ASCII if plain.isascii() else _ASKS_FOR_ONE).search(plain))


def _plain(text: str) -> str:
    return text[:_MAX_CHARS].replace("’", "'")
