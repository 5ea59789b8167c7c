"""Recognises messages that ask for a proposal, and texts that state a lasting taste or limit.

"Was soll ich kochen?" asks for a proposal; "I'm allergic to nuts", "I only drink tea" and "I'm
terrified of heights" limit what may be proposed.
"""
# ruff: noqa: RUF001

import re

from ..infra.lru_cache import memoize

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
_ASKS = {
    "en": rf"{_START}{_POLITE_EN}(?:{_VERBS_EN})\b"
    r"|\b(?:what|where|which)(?: \w+){0,3} (?:should|shall|can|could|might) (?:i|we|you)\b"
    r"|\bwhat'?s for (?:breakfast|lunch|dinner|supper|tea)\b|\b(?:any|some|an?) (?:\w+ )?ideas?\b"
    r"|\b(?:recommendation|suggestion)s?\b|\bwhat to (?:eat|cook|drink|watch|read|make|do|order"
    r"|get)\b",
    "de": r"\b(?:schlag\w*|empf[ie]\w+hl\w*|bestell\w*|koche?|back|mach|such|plane?|bring|gib"
    r"|stelle?|nenne?|denk|überlege?|wähle?|bereite?|organisiere?|spiele?|finde) "
    r"(?:\w+ )?(?:mir|uns|mal|bitte|eine?n?|n|ne|was|ein|dir)\b"
    r"|\b(?:was|wo|wohin|welche\w*)(?: \w+){0,2} (?:soll\w*|könnt\w*|kann|können)(?: \w+)? (?:ich"
    r"|wir)\b|\bwas (?:soll|könnt|kann|koch|ess|mach)\w*(?: \w+)? (?:ich|wir)\b"
    r"|\b\w*(?:idee|vorschlag|vorschläge|empfehlung)\w*\b|\bschlag\w* .{1,60} vor\b",
    "es": r"\b(?:recomi[eé]nd|sugi[eé]r|p[ií]d|p[oó]n|haz|hag|prep[aá]r|busc|b[uú]sc|plan[eé]"
    r"|planific"
    r"|[aá]rm|el[ií]j|escog|esc[oó]g|inv[eé]nt|tr[aá]e|s[ií]rv|d[aá]|pi[eé]ns|prop[oó]n|cocin"
    r"|organ[ií]z)\w*(?:me|nos)\b|\b(?:haz|arma|prepara|propón|propon|planea|sugiere|recomienda|pon"
    r"|elige|piensa|busca)\b"
    r"|\bqu[eé](?: \w+)? (?:puedo|podemos|podr[ií]a|podr[ií]amos|ceno|cenamos|cocino|hago|hacemos"
    r"|como|comemos|preparo|preparamos|pido|pedimos|vemos|veo|leo|bebo|tomo|debo|me recomiendas)\b"
    r"|\b(?:a ?d[oó]nde|dime a donde) (?:vamos|llev\w+|voy|puedo|podemos)\b|\bideas? (?:de|para)\b"
    r"|\bdime (?:qu[eé]|d[oó]nde)\b",
    "fr": r"\b(?:fais|faites|propose|proposez|trouve|trouvez|suggère|suggérez|conseille|conseillez"
    r"|recommande|recommandez|commande|commandez|prépare|préparez|donne|donnez|choisis|choisissez"
    r"|planifie|organise|invente|sers|servez|apporte|apportez|mets|mettez)"
    r"[- ](?:moi|nous|m'|ma|mon|une?|des|le|la)\b|\b(?:qu'est[- ]ce qu|que |quoi |où )\w*[' ]?\w*"
    r"(?:pourrais|peux|peut|vais|devrais|mange|cuisine|faire|manger|cuisiner|boire|regarder)\b"
    r"|\bidées? (?:de|pour)\b|\bon (?:mange|boit|fait|regarde|cuisine) quoi\b",
    "ru": r"\b(?:посоветуй|предложи|закажи|собери|составь|придумай|подскажи|выбери|приготовь|сделай"
    r"|дай|накидай|распиши|найди|принеси|налей|спланируй|порекомендуй|включи|поставь|испеки)"
    r"(?:те)?\b|\b(?:посоветуйте|составьте)\b"
    r"|\b(?:что|чего|куда|где)(?: (?:бы|мне|нам|тебе))*(?: \w+)? "
    r"(?:приготовить|поесть|съесть|выпить|попить|посмотреть|почитать|заказать|сходить|поехать"
    r"|сварить|испечь|взять)\b|\bидеи\b",
}
_ASKS_UNSPACED = (
    "推荐|推薦|建议|建議|[帮幫]我.{0,4}(?:想|点|點|开|開|安排|选|選|挑|做|列|规划|規劃|订|訂|买|買)"
    "|[给給][我].{0,3}(?:点|點|倒|做|列|来|來|泡|放|拿)|[来來](?:个|個|点|點|杯|份|首)|点个|點個|列[个個]"
    "|[吃喝看听聽读讀玩做](?:什么|什麼|啥)|去哪儿?(?:玩|吃|逛)|什么好|什麼好|啥好|想想"
    "|おすすめ|オススメ|お勧め|提案|考えて|教えて|選んで|決めて|作って|出して|ちょうだい|頼んで"
    "|注文して|献立|ください|くれ(?:る|ない|ん|$)|リスト|何.{0,3}(?:食べ|飲|作|見|観|読|しよう)"
)
_STATES = {
    "en": r"allerg\w+|intoleran\w+|vegan|veggie|vegetarian|pescatarian|c(?:o)?eliac|diabetic|halal"
    r"|kosher|teetotal|lactose|gluten|anaphyla\w+|epipen"
    r"|(?:can'?t|cannot|don'?t|doesn'?t|won'?t|isn'?t|never|no longer|not|ain'?t)(?: \w+)?"
    r" (?:eat|eats|drink|drinks|have|stand|like|touch|take|watch|read|bear|abide|allowed|do)"
    r"|hates?|loves?|favou?rites?|prefers?|only (?:ever )?(?:eat|drink|watch|read|listen)\w*"
    r"|usual(?:ly)?"
    r"|afraid|scared|scare|terrified|phobi\w+|swell\w*|swole|swollen|gives? me|kill me|makes me ill"
    r"|no \w+ (?:for|with|because|since)|off (?:sugar|dairy|meat|alcohol|caffeine|coffee)|always"
    r"|sworn off|cut out",
    "de": r"\w*allergi\w+|\w*unverträglich\w*|vertrag\w*|vegan\w*|vegetari\w+|zöliakie|diabet\w+"
    r"|laktose"
    r"|gluten|darf (?:\w+ ){0,2}(?:kein\w*|nix|nichts)|(?:ess|esse|isst|trink|trinke|trinkt|mag"
    r"|vertrage)"
    r" (?:\w+ ){0,2}(?:kein\w*|nicht|nix|nur|immer|keinerlei)|kein\w* \w+ mehr|hass\w*"
    r"|lieblings\w*|liebe"
    r"|(?:trink|ess|nehm)\w* (?:\w+ )?(?:immer|nur|abends|morgens)|nie|\w*angst|phobie|schwillt"
    r"|koscher|halal|epipen|gar nicht|kann (?:\w+ )?nicht (?:ab|leiden|sehen|ausstehen)",
    "es": r"al[eé]rgi\w+|intoleran\w+|vegan[oa]s?|vegetarian[oa]s?|cel[ií]ac[oa]s?"
    r"|diab[eé]tic[oa]s?"
    r"|lactosa|gluten|no (?:me |le |les |nos )?(?:puedo|puede|pueden|como|come|comen|bebo|bebe"
    r"|tomo|toma"
    r"|soporto|aguanto|gusta|gustan|tolera|sienta|sientan)|odi[oa]|encantan?|favorit[oa]s?"
    r"|prefer\w+|solo (?:como|bebo|tomo)|siempre (?:tomo|bebo|como|pido)|sienta(?:n)? (?:fatal|mal)"
    r"|p[aá]nico|miedo|fobia|hinch\w+|ni verl[oa]|prohibid\w+|nada de",
    "fr": r"allergi\w+|intol[eé]ran\w+|v[ée]gan\w*|v[ée]g[ée]tarien\w*|c(?:œ|oe)liaque"
    r"|diab[ée]tique|lactose"
    r"|gluten|(?:mange|bois|boit|aime|supporte|peux|peut|digère|prends?)(?: \w+)? (?:pas|plus"
    r"|jamais|que)|d[ée]teste|adore|pr[ée]f[éè]r\w*|favori\w*|toujours|jamais|peur|phobie|gonfl\w+"
    r"|sans (?:sel|sucre)|interdit\w*|r[ée]gime|[ée]pipen|horreur",
    "ru": r"аллерги\w+|неперенос\w+|веган\w*|вегетариан\w+|диабет\w*|лактоз\w*|глютен\w*"
    r"|безлактозн\w+"
    r"|не (?:ем|ест|пью|пьет|пьёт|могу|люблю|любит|переношу|переносит|выношу|терплю|идет|идёт|ем"
    r"|едим)"
    r"|терпеть|ненавижу|обожа\w+|любим\w+|всегда|никогда|боюсь|боится|страх\w*|опуха\w+|обсып\w+"
    r"|нельзя|исключить|только (?:ем|пью|беру)|как обычно",
}
_STATES_UNSPACED = (
    "过敏|過敏|忌口|忌|吃素|素食|清真|糖尿|痛风|痛風|不耐|不(?:能|可以|敢|爱|愛|喜欢|喜歡|吃|喝|沾)|不行|少吃"
    "|戒|讨厌|討厭|最爱|最愛|最喜欢|最喜歡|爱吃|愛吃|爱喝|愛喝|只(?:吃|喝|看|听)|平时就|平時就|固定|从来不|從來不"
    "|怕|恐惧|恐懼|一(?:吃|喝).{0,4}就"
    "|アレルギー|苦手|嫌い|大好き|好物|好き|ダメ|だめ|駄目|(?<![a-zà-ÿ])NG(?![a-zà-ÿ])|無理|食べられ|飲めな|飲まな|食べな|避けて"
    "|ベジタリアン|ヴィーガン|ビーガン|糖尿|乳糖|グルテン|いつも|絶対|怖い|目がありません|目がない|控えて|断ち"
)
_FOOD = (
    r"snacks?|nibbles|eat|eating|dish|meal|hungry|thai|sushi|curry|essen|hunger|gericht|comer"
    r"|botana|tapas?|hambre|manger|soupers?|collations?|go[uû]ter|faim|поесть|меню|еду|еды|салат\w*"
    r"|ужин\w*"
)
_DRINK = (
    r"drinks?|thirsty|beverage|trinken|durst|getränk\w*|beber|bebida|sed|boire|boisson|soif|выпить"
    r"|попить|напит\w*|пить"
)
_TRIP = (
    r"weekend|day (?:out|trip)|trip|outing|attractions?|sightseeing|date night|wochenende|ausflug"
    r"|unternehmen|fin de semana|finde|excursi[oó]n|week-?end|sortie|выходны\w+|прогул\w+"
    r"|экскурс\w+"
)
_MAX_CHARS = 2_000  # the rest of a text is ignored
_CACHE_CHARS = 200_000
# Searched in lower case, which takes half as long as ignoring the case; of ASCII texts, without
# the words of other scripts.
_ASKS_FOR_ONE = re.compile(f"{'|'.join(_ASKS.values())}|{_ASKS_UNSPACED}", re.MULTILINE)
_ASKS_IN_ASCII = re.compile(
    "|".join(words for language, words in _ASKS.items() if language != "ru"), re.MULTILINE
)
_LIMITS = re.compile(
    rf"(?<!\w)(?:{'|'.join(_STATES.values())})(?!\w)|{_STATES_UNSPACED}", re.IGNORECASE
)
_FIELD_WORDS = {
    "food": re.compile(rf"(?<!\w)(?:{_FOOD})(?!\w)|吃|菜|食べ|飯|ごはん|料理|献立", re.IGNORECASE),
    "drink": re.compile(rf"(?<!\w)(?:{_DRINK})(?!\w)|喝|飲", re.IGNORECASE),
    "trip": re.compile(rf"(?<!\w)(?:{_TRIP})(?!\w)|周末|週末|デート|出かけ|遊び|玩", re.IGNORECASE),
}


def asks_for_a_proposal(text: str) -> bool:
    """Returns whether the text asks for something to be proposed, fetched or prepared."""
    plain = _plain(text).lower()
    return bool((_ASKS_IN_ASCII if plain.isascii() else _ASKS_FOR_ONE).search(plain))


def fields_named(text: str) -> frozenset[str]:
    """Returns the fields that the text has words of: food, drink, trip."""
    plain = _plain(text)
    return frozenset(name for name, words in _FIELD_WORDS.items() if words.search(plain))


@memoize(chars=_CACHE_CHARS)
def states_a_limit(text: str) -> bool:
    """Returns whether the text has words of a lasting taste, habit, diet, allergy or fear."""
    return bool(_LIMITS.search(_plain(text)))


def _plain(text: str) -> str:
    return text[:_MAX_CHARS].replace("’", "'")
