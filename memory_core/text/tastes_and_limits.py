"""Recognises texts that state a lasting limit or taste.

"I'm allergic to nuts", "haven't touched meat in years" and "I'm terrified of heights" limit what
may be proposed; "I always drink tea" states a taste.
"""

# ruff: noqa: RUF001

from ..infra.lru_cache import memoize
from .patterns import search_for

_CACHE_CHARS = 200_000
_LIMITS = {
    "en": r"allerg\w+|intoleran\w+|vegan|veggie|vegetarian|pescatarian|c(?:o)?eliac|diabetic|halal"
    r"|kosher|teetotal|sober|lactose|gluten|anaphyla\w+|epipen|phobi\w+"
    r"|(?:can'?t|cannot|don'?t|doesn'?t|won'?t|isn'?t|never|no longer|not|ain'?t)(?: \w+)?"
    r" (?:eat|eats|drink|drinks|have|stand|like|touch|take|watch|read|bear|abide|allowed|do)"
    r"|(?:haven'?t|hasn'?t) (?:touched|eaten|had|drunk|drank|tasted)"
    r"|(?:quit|stopped|gave up|given up) (?:eating|drinking|meat|dairy|sugar|alcohol|caffeine"
    r"|coffee|booze)"
    r"|hates?|afraid|scared|scares?|terrif(?:ied|ies|y\w*)|panic\w*|freaks? me out"
    r"|swell\w*|swole|swollen|gives? me|kill me|makes me (?:ill|sick)|upsets? my stomach"
    r"|no \w+ (?:for|with|because|since)|off (?:sugar|dairy|meat|alcohol|caffeine|coffee)"
    r"|sworn off|cut out",
    "de": r"\w*allergi\w+|\w*unverträglich\w*|vertrag\w*|vegan\w*|vegetari\w+|zöliakie|diabet\w+"
    r"|laktose|gluten|koscher|halal|epipen|phobie|schwillt|\w*angst|panik|hass\w*|verzicht\w*"
    r"|(?:darf|soll|sollte) (?:\w+ ){0,3}(?:kein\w*|nix|nichts)"
    r"|(?:ess|esse|isst|trink|trinke|trinkt|mag|vertrage)"
    r" (?:\w+ ){0,4}(?:kein\w*|nicht|nix|nur|keinerlei)|kein\w* \w+ mehr|gar nicht"
    r"|kann (?:\w+ )?nicht (?:ab|leiden|sehen|ausstehen)|nie",
    "es": r"al[eé]rgi\w+|intoleran\w+|vegan[oa]s?|vegetarian[oa]s?|cel[ií]ac[oa]s?"
    r"|diab[eé]tic[oa]s?|lactosa|gluten|no (?:me |le |les |nos )?(?:puedo|puede|pueden|como|come"
    r"|comen|bebo|bebe|tomo|toma|soporto|aguanto|gusta|gustan|tolera|sienta|sientan)"
    r"|sin (?:comer|beber|tomar|probar)|dej[eé] de (?:comer|beber|tomar)|odi[oa]"
    r"|sienta(?:n)? (?:fatal|mal)|p[aá]nico|miedo|fobia|hinch\w+|ni verl[oa]|prohibid\w+|nada de",
    "fr": r"allergi\w+|intol[eé]ran\w+|v[ée]gan\w*|v[ée]g[ée]tarien\w*|c(?:œ|oe)liaque"
    r"|diab[ée]tique|lactose|gluten|(?:mange|bois|boit|aime|supporte|peux|peut|digère|prends?)"
    r"(?: \w+)? (?:pas|plus|jamais|que)|arrêté (?:de (?:manger|boire)|la viande|l'alcool)"
    r"|d[ée]teste|peur|panique|phobie|gonfl\w+|sans (?:sel|sucre)|interdit\w*|r[ée]gime|[ée]pipen"
    r"|horreur",
    "ru": r"аллерги\w+|неперенос\w+|веган\w*|вегетариан\w+|диабет\w*|лактоз\w*|глютен\w*"
    r"|безлактозн\w+"
    r"|живот (?:крутит|болит|пучит) (?:от|после)|от \w+ (?:живот|тошнит|мутит|пучит|крутит)"
    r"|не (?:ем|ест|пью|пьет|пьёт|могу|люблю|любит|переношу|переносит|выношу|терплю|идет|идёт|ем"
    r"|едим)|бросила? пить|терпеть|ненавижу|боюсь|боится|страх\w*|паник\w+|опуха\w+|обсып\w+"
    r"|нельзя|исключить",
}
_LIMITS_UNSPACED = (
    "过敏|過敏|忌口|忌|吃素|素食|清真|糖尿|痛风|痛風|不耐|不(?:能|可以|敢|喜欢|喜歡|吃|喝|沾|碰)|不行|少吃"
    "|别(?:碰|吃|喝)|別(?:碰|吃|喝)|疹|戒|讨厌|討厭|怕|恐惧|恐懼|一(?:吃|喝).{0,4}就"
    "|アレルギー|じんましん|蕁麻疹|苦手|嫌い|ダメ|だめ|駄目|あかん|アカン|(?<![a-zà-ÿ])ng(?![a-zà-ÿ])|無理|食べられ|食べれな|(?:お腹|腹)を?(?:壊|こわ|くだ|下)|恐怖症|飲めな|飲まな|食べ(?:て(?:い)?)?な|避けて"
    "|ベジタリアン|ヴィーガン|ビーガン|糖尿|乳糖|グルテン|怖[いくが]|控えて|断ち|禁酒|[酒肉草]は?やめ[たて]"
)
_TASTES = {
    "en": r"loves?|favou?rites?|prefers?|only (?:ever )?(?:eat|drink|watch|read|listen)\w*"
    r"|usual(?:ly)?|always",
    "de": r"lieblings\w*|liebe|(?:trink|ess|nehm)\w* (?:\w+ )?(?:immer|nur|abends|morgens)|immer",
    "es": r"encantan?|favorit[oa]s?|prefer\w+|solo (?:como|bebo|tomo)"
    r"|siempre (?:tomo|bebo|como|pido)",
    "fr": r"adore|pr[ée]f[éè]r\w*|favori\w*|toujours|jamais",
    "ru": r"обожа\w+|любим\w+|всегда|никогда|только (?:ем|пью|беру)|как обычно",
}
_TASTES_UNSPACED = (
    "最爱|最愛|最喜欢|最喜歡|爱吃|愛吃|爱喝|愛喝|不爱|不愛|只(?:吃|喝|看|听)|平时就|平時就|固定|从来不|從來不"
    "|大好き|好物|好き|いつも|絶対|目がありません|目がない"
)

# Reports whether a text has words of a lasting diet, allergy, dislike or fear.
states_a_limit = memoize(chars=_CACHE_CHARS)(search_for(_LIMITS.values(), _LIMITS_UNSPACED))
# Reports whether a text has words of a lasting taste or habit.
states_a_taste = memoize(chars=_CACHE_CHARS)(search_for(_TASTES.values(), _TASTES_UNSPACED))


def states_a_taste_or_limit(text: str) -> bool:
    return states_a_limit(text) or states_a_taste(text)
