"""Recognises texts about a change, corrections, and questions about the present or a former state.

"We moved to Fridays", "3370 sorry", "When do we meet now?", "Where did I live before?"
"""
# ruff: noqa: RUF001

import re
from collections import Counter

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
MAX_CORRECTION_CHARS = 60  # of a message that says nothing else
_MAX_EARLIER_CHARS = 500
# Words that take back, and words that may stand beside the number.
_TAKING_BACK = {
    "en": "sorry sry soz wait no nope oops whoops ops actually mean meant correction typo mistake "
    "rather not nvm argh ugh pardon",
    "de": "sorry moment warte halt nein nee ne ups hoppla quatsch falsch meinte meine vertippt "
    "entschuldigung tschuldigung verzeihung doch nicht korrektur",
    "es": "perdón perdon perdona no digo espera ups oops quise equivoqué disculpa siento "
    "corrección",
    "fr": "pardon non enfin attends oups désolé désolée erreur plutôt voulais pas trompé trompée",
    "ru": "ой извини извините сорри сори нет не стоп погоди подожди точнее вернее упс опечатка "
    "ошибся ошиблась прости пардон тьфу",
    "pt": "desculpa desculpe não nao ops espera aliás alias minto digo errei",
    "it": "scusa no anzi volevo ops aspetta cioè cioe ho sbagliato",
    "pl": "sorry przepraszam nie znaczy czekaj ups pomyłka czyli",
    "ko": "아니 아니다 아니야 미안 미안해 죄송 죄송해요 잠깐 앗 아차",
}
_BESIDE = {
    "en": "i it its it's it’s is the a make that at on to and hang hold on um uh er my bad should "
    "be was pm am o'clock o’clock oh ah lol lmao haha hahaha fuck damn shit omg",
    "de": "ich ist es sind um uhr am der die das den und ach sondern eigentlich äh mein fehler",
    "es": "es son era a la las el lo y me decir mejor dicho quería",
    "fr": "c'est c’est je dire à le la les en fait suis me et h",
    "ru": "а в это то есть я имела имел виду на блин",
    "pt": "é as às a o são quis dizer e",
    "it": "è alle le il la sono dire e",
    "pl": "to o jest na",
    "ko": "아 이야 야 예요 이에요 입니다 시",
}
SMALL_WORDS = {
    word for words in (_TAKING_BACK, _BESIDE) for one in words.values() for word in one.split()
}
_TAKES_BACK = {word for words in _TAKING_BACK.values() for word in words.split()}
_UNSPACED_TAKING_BACK = re.compile(
    "抱歉|对不起|對不起|不好意思|不对|不對|不是|错了?|錯了?|打错|打錯|说错|說錯|应该是|應該是|才对|才對|等等|更正"
    "|哦不|^不(?![对對])|啊不(?![对對])|ごめん(?:なさい|ね)?|すみません|すまん|違う|違った|ちがう|じゃなく(?:て|った)|ではなく|間違え(?:た|ました)?"
    "|待って|いや|やっぱり?|訂正|^あ(?=[、,\\s\\d一-龠])"
)
_UNSPACED_BESIDE = re.compile(
    "[哦啊是的了呢吧嗯改成说說打]|です|でした|だった|だよ|だ|や|よ|ね|の|で|に|は|あ"
)
NUMERALS = "〇零一二三四五六七八九十两"
NUMBER = re.compile(rf"[a-z]*\d[\d:.,a-z]*|[{NUMERALS}]+(?=[点點号號时時日月楼樓层層室番])")
_WORD = re.compile(r"[^\W\d_][\w'’]*")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_SHORT_NUMBER = 2  # digits; "9pm" may become "10pm"
_LONG_NUMBER = 3  # digits; nobody types nearly the same ones by chance
_MARK = "*"  # as people mark corrections: "3370*"


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


def corrects(later: str, earlier: str) -> bool:
    """Returns whether `later` says nothing but another number in place of one of `earlier`."""
    later, earlier = later.strip().lower(), earlier[:_MAX_EARLIER_CHARS].lower()
    if len(later) > MAX_CORRECTION_CHARS or "?" in later or "？" in later:
        return False
    known = _numbers(earlier)
    new = [number for number in _numbers(later) if number not in known]
    if not (new and known):
        return False
    is_taken_back = takes_back(later)
    pairs = ((one, other) for one in new for other in known)
    has_pair = any(is_alike(*pair, is_taken_back=is_taken_back) for pair in pairs)
    return has_pair and says_nothing_else(later, earlier)


def _numbers(text: str) -> list[str]:
    return [number.rstrip(".,:") for number in NUMBER.findall(text)]


def names_a_number(text: str) -> bool:
    """Returns whether the text has a number, so that another one may correct it."""
    return bool(_numbers(text[:_MAX_EARLIER_CHARS].lower()))


def takes_back(text: str) -> bool:
    """Returns whether a message in lower case has a word or a mark that takes something back."""
    words = _WORD.findall(text)
    return (
        _MARK in (text[0], text[-1])
        or not _TAKES_BACK.isdisjoint(words)
        or bool(_UNSPACED_TAKING_BACK.search(text))
    )


def is_alike(new: str, known: str, *, is_taken_back: bool) -> bool:
    """Returns whether one may be typed for the other: as long, or nearly the same digits."""
    first, second = _digits(new), _digits(known)
    if is_taken_back:
        is_time = ":" in new + known and min(len(first), len(second)) <= _SHORT_NUMBER
        are_short = max(len(first), len(second)) <= _SHORT_NUMBER
        return len(first) == len(second) or are_short or is_time
    if len(first) != len(second) or len(first) < _LONG_NUMBER:
        return False
    different = sum(one != other for one, other in zip(first, second, strict=True))
    return different == 1 or Counter(first) == Counter(second)


def _digits(number: str) -> str:
    return "".join(letter for letter in number if letter.isdecimal() or letter in NUMERALS)


def says_nothing_else(later: str, earlier: str) -> bool:
    """Returns whether a correction has but numbers, small words and words of `earlier`.

    Both are in lower case.
    """
    rest = _UNSPACED_TAKING_BACK.sub(" ", NUMBER.sub(" ", later))
    rest = _UNSPACED_BESIDE.sub(" ", rest)
    words = {word for word in _WORD.findall(rest) if not _CJK.search(word)}
    letters = set(_CJK.findall(rest)) - set(earlier)
    return not letters and words <= SMALL_WORDS | set(_WORD.findall(earlier))
