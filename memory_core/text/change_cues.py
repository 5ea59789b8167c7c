"""Recognises texts about a change or a repetition, and questions about a present or former state.

"We moved to Fridays", "scrap that, 7pm", "dizzy again", "When do we meet now?", "Where did I live
before?"
"""
# ruff: noqa: RUF001

import re

from ..infra.lru_cache import memoize
from .language import languages_of
from .patterns import one_of, search_for

_CHANGES = {
    "en": r"now|no longer|any ?more|instead|changed?|changing|moved|moving|switch(?:ed|ing)?|new"
    r"|after all|postponed|(?:pushed|put|moved|brought) (?:back|forward|up)|rescheduled"
    r"|cancell?ed|called off|quit|update|replac(?:ed|ing)|swapped|broke up|gave up|takes? over"
    r"|shift(?:ed|ing)?|delayed|retir(?:ed|es|ing)|fired|giving up|given up|halved|doubled"
    r"|put (?:\w+ ){0,4}off|(?:pushed|put|moved|brought) (?:\w+ ){1,4}(?:back|forward|up|to)"
    r"|transferr?(?:ed|ing)?|left (?:my|the|us|for)|leaving|lowered|raised"
    r"|went up to|(?:gone|went) back to"
    r"|turns out|from (?:now|today|tomorrow)(?: on)?|finally|stopped|backed out"
    r"|fell through|resits?|resitting|retakes?|retaking",
    "de": r"jetzt|nun|nicht mehr|kein\w* mehr|doch|statt(?:dessen)?|(?:vor)?verschoben"
    r"|(?:vor)?verlegt|geändert|umgezogen|gewechselt|wechs(?:le|el|elt|eln)|abgesagt"
    r"|neue?[rnms]?|inzwischen|mittlerweile|ab (?:sofort|heute|morgen|jetzt)|gekündigt|getrennt"
    r"|aufgehört|umgestellt|ersetzt|(?:in|im) (?:rente|ruhestand)|umgebucht|verlässt|verlassen"
    r"|erhöht|gesenkt|verdoppelt|halbiert|rausgeworfen|gefeuert|doch nicht|geplatzt"
    r"|(?:nach|wiederholungs)prüfung|nachschreib\w*|nachtermin",
    "es": r"ahora|ya no|en (?:vez|lugar) de|cambi\w+|nuev[oa]s?|aplaz\w+|pospuest\w+|pospus\w+"
    r"|adelant\w+|retras\w+|al final|dej[éo]|he dejado|mud(?:o|amos|é)|cancel\w+"
    r"|pas(?:an|aron|ado) (?:al?|para)|muev\w+|movi(?:eron|[óo]|do)|se (?:ha )?jubil\w+|renunci\w+"
    r"|dej(?:e|ó|amos|aron|ado)|sub(?:ido|ieron|ió)|baj(?:ado|aron|ó)|reemplaz\w+|sustitu\w+"
    r"|me (?:sal[íi]|corrieron|echaron)|me (?:dejaron|han dejado) plantad[oa]",
    "fr": r"maintenant|désormais|finalement|au lieu|chang\w+|nouv(?:eau|el|elle)s?|report[ée]\w*"
    r"|décal\w+|avancée?s?|annul\w+|déménag\w+|remplac\w+|quittée?|arrêtée?"
    r"|n(?:e |').{1,20} plus|(?:pris|prend|part\w*) (?:à |a |en |sa )*(?:la )?retraite"
    r"|repouss\w+|avanc[ée]\w*|déplac\w+|laiss[ée] tomber|viré\w*|augment[ée]\w*|diminu\w+"
    r"|(?:m'|nous )(?:a|ont) (?:plant|lâch)\w+|tombé\w* à l'eau|rebondi|rattrapages?",
    "ru": r"теперь|больше не|уже не|вместо|перен[её]с\w*|помен\w+|смен\w+|переш\w+"
    r"|нов(?:ый|ая|ое|ые|ого|ой|ую)|передума\w+|отмен\w+|уволи\w+|переех\w+|переезж\w+|в итоге"
    r"|бросил\w*|замен\w+|съехал\w*|уезжа\w+|уехал\w*|сдвину\w+|отлож\w+|вышла? на пенсию"
    r"|подняли|повысил\w*|снизил\w*|ушёл|ушел|ушла|сорвал\w+|пересда[чюдм]\w*"
    r"|расста(?:лись|лась|лся|ёмся|емся)|разве(?:лись|лась|лся|л(?:ся|ась))",
}
_CHANGES_UNSPACED = (
    "现在|現在|改|换|換|不再|不做了|不去了|新的|新来|新來|延期|延到|推迟|推遲|提前|取消|搬|辞职|辭職"
    "|调到|調到|变成|變成|分手|今は|もう|変わ|変え|変更|やめ|辞め|新しい|になった|になりました"
    "|引っ越|早まっ|中止|代わり|別れ|ずれ|延び|延ば|延期|やっぱ|リスケ|離婚|退職|引退|移っ|移り|転職|転校|乗り換え"
    "|挪|退休|离职|離職|转到|轉到|涨到|漲到|涨了|降到|调成|調成|取代|代替"
    "|补考|補考|重考|泡汤|泡湯|谈好了|談好了|再試験?|追試|ダメになった|駄目になった"
)
# Words that take back what was just said: "wait no its 41 not 14".
_CORRECTIONS = {
    "en": r"no,? wait|wait,? (?:no|actually|sorry)|scra(?:p|tch) that|(?:typo|correction)(?=\W)"
    r"|i meant?(?=:| (?:to (?:say|write|type)|(?:on )?[a-z]*day|[0-9]))|my mistake"
    r"|(?:its?|it['’]s) (?:actually )?(?:the )?(?:[a-z]*day|\S*[0-9]\S*?),? not"
    r"|(?:got|had|said|wrote|typed|gave you) (?:\w+ ){0,3}wrong",
    "de": r"(?:moment|halt|stopp?|warte),? (?:nein|nee|doch|falsch)"
    r"|(?:nein|nee),? (?:moment|halt|warte)|korrektur|ich meinte|vertippt|verschrieben"
    r"|stimmt (?:doch )?nicht|hab\w* (?:\w+ ){0,3}falsch (?:gesagt|geschrieben|angegeben|getippt)",
    "es": r"(?:no,? )?espera,? (?:no|que)|no,? espera|correcci[óo]n|quise decir|quer[íi]a decir"
    r"|me equivoqu[ée]|me he equivocado|perd[óo]n,? (?:es|son|era)|mejor dicho",
    "fr": r"(?:non,? )?attends?,? (?:non|en fait)|non,? attends?|correction|je voulais dire"
    r"|je me suis tromp[ée]e?|erreur de ma part|pardon,? c['’]est|ou plutôt",
    "ru": r"(?:нет,? )?(?:стой|подожди|погоди),? нет|нет,? (?:стой|подожди|погоди)|поправка|вернее"
    r"|точнее|я имел[аи]? в виду|ошиб(?:ся|лась)|перепутала?|опечатка"
    r"|имел[аи]? в ?виду|не то (?:написала?|сказала?)"
    r"|(?:нет|ой|упс|тьфу|стоп),? не \S+(?: \S+)?,? а"
    r"|не \d\S*,? а \d\S*|\d\S*,? а не \d\S*|не во? \w+,? а во? \w+|(?:вру|тьфу),? (?:во?|не|\d+)",
}
_CORRECTIONS_UNSPACED = (
    "不对|不對|说错|說錯|搞错|搞錯|打错|打錯|写错|寫錯|记错|記錯|更正|纠正|糾正"
    "|じゃなくて|間違え|まちがえ|訂正|打ち間違|あ、?(?:違う|ちがう)|違った(?=[、。\\s])"
    "|(?:[0-9]|曜日?|[日時円番])じゃなかった|やっぱり?[^。！!？?]{0,10}(?:[0-9]|曜)"
)
_PRESENT = {
    "en": r"now(?:adays)?|these days|at (?:the moment|present)|current(?:ly)?|still|latest|new"
    r"|any ?more|finally|actually|end(?:s|ed|ing)? up|in the end",
    "de": r"jetzt|nun|aktuell\w*|momentan|zur ?zeit|derzeit|noch|inzwischen|mittlerweile"
    r"|neue?[rnms]?|letztlich|letztendlich|am ende",
    "es": r"ahora|ahorita|actual(?:mente|es)?|todavía|aún|al final|nuev[oa]s?|últim[oa]s?"
    r"|hoy en día|estos días|ya",
    "fr": r"maintenant|actuel(?:le|lement)?s?|encore|désormais|finalement|nouv(?:eau|el|elle)s?"
    r"|en ce moment|dernière?s?|ces jours-ci",
    "ru": r"теперь|сейчас|щас|нынче|ещ[её]|нов(?:ый|ая|ое|ые|ого|ой|ую)|последн\w+|в итоге",
}
_PRESENT_UNSPACED = (
    "现在|現在|目前|如今|最新|还是|還是|最近|后来|後來|结果|結果|結局"
    "|今は|今の|いま|新しい|もう|まだ|になったん|にしたん|ことになった"
)
_FORMER = {
    "en": r"before|previous(?:ly)?|earlier|former(?:ly)?|once|originally|back then|at the time|"
    r"used to|in the past|at first|no longer|any ?more|ex|(?:my|our|his|her|their) (?:old|last)|"
    r"(?:have|has) \w+ ever",
    "de": r"früher\w*|vorher\w*|damals|ehemalig\w*|ursprünglich|einst|zuvor|nicht mehr",
    "es": r"antes|anterior(?:es|mente)?|antigu[oa]s?|entonces|originalmente|ya no|solía[ns]?",
    "fr": r"avant|auparavant|ancien(?:ne|s|nes)?|précédent\w*|autrefois|jadis|à l'époque|"
    r"ne plus",
    "ru": r"раньше|прежде|прежн\w*|тогда|бывш\w*|сначала|больше не",
}
_PAST_TENSE = {
    "en": r"was|were|did|had",
    "de": r"war(?:en|st)?|hatte\w*",
    "es": r"era[ns]?|fue(?:ron)?",
    "fr": r"étai\w+",
    "ru": r"был[аио]?",
}
_FORMER_UNSPACED = (
    "以前|之前|从前|過去|过去|原来|原先|曾经|曾|当时|那时|早先|前に|昔|かつて|当時|元々|もともと"
)
# Words of something that happens once more. "See you again" and また明日 only say goodbye.
_REPETITIONS = one_of(
    r"(?<!see you )(?<!see u )again(?! soon)|wieder(?!sehen)|erneut|encore une fois|à nouveau"
    r"|de nouveau|otra vez|de nuevo|opnieuw|weer|di nuovo|outra vez|de novo|опять|снова|znowu|znów"
    r"|yine|tekrar"
)
_REPETITION = re.compile(
    rf"{_REPETITIONS.pattern}|又|再次|再び|また(?!明日|あした|ね|今度|来週|後で|あとで)"
)
_MAX_CHARS = 2_000  # the rest of a text is ignored
_CACHE_CHARS = 200_000


# A word of change ("now", "instead", "moved"), or one that takes something back.
tells_of_a_change = memoize(chars=_CACHE_CHARS)(
    search_for(
        [*_CHANGES.values(), *_CORRECTIONS.values()],
        f"{_CHANGES_UNSPACED}|{_CORRECTIONS_UNSPACED}",
    )
)
takes_something_back = memoize(chars=_CACHE_CHARS)(
    search_for(_CORRECTIONS.values(), _CORRECTIONS_UNSPACED)
)
# A word that points to the present state of things.
asks_about_now = search_for(_PRESENT.values(), _PRESENT_UNSPACED)
# A word that points to an earlier state. A past tense does not: "What was the new code again?"
asks_for_a_former_state = search_for(_FORMER.values(), _FORMER_UNSPACED)
_WAS = {language: one_of(words) for language, words in _PAST_TENSE.items()}
_MAY_BE_PAST = one_of("|".join(_PAST_TENSE.values()))


def without_repetition(text: str) -> str:
    """Returns a text in lower case without its words for "again", or "" if it has none."""
    plain = text[:_MAX_CHARS].lower()
    rest, count = (_REPETITIONS if plain.isascii() else _REPETITION).subn("", plain)
    return rest if count else ""


def asks_how_things_were(text: str) -> bool:
    """Returns whether the text has a word that points to an earlier state, or a past tense."""
    text = text[:_MAX_CHARS].lower()
    if asks_for_a_former_state(text):
        return True
    if not _MAY_BE_PAST.search(text):
        return False
    # The past tense of its own language: "was" is German, too.
    tenses = (_WAS[language] for language in languages_of(text) if language in _WAS)
    return any(tense.search(text) for tense in tenses)
