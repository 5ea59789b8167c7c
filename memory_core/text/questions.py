"""Recognises questions, and what may stand around one without changing it.

Light words ("do you even remember …", "… this year") and reporting verbs ("my boss asks …") leave
the question as it is.
"""

# ruff: noqa: RUF001

import re

from ..infra.lru_cache import memoize
from .patterns import search_for
from .sentences import is_question

_FILLER = (
    r"(?:(?:so|and|but|ok|okay|hey|hi|well|um|please|also|by the way|und|bitte|et|oh|ah|ну)"
    r"[,\s]+)*"
)
# Before a verb or an adjective, these begin a question: "what am", "how old", "who is".
_ENGLISH = r"""(?:what|where|who|whom|whose|why|how|which|when)(?:['’](?:s|re|d|m|ll))?\s+
    (?!(?:i|we|my|our|a|an|the)\b)
    |(?:what|who|how|why|which|whose)\s+(?:i|my|we|our)\b(?!.*\b(?:is|are|was|were|means?)\b)
    |(?:where|when)\s+(?:my|our)\b(?!.*\b(?:i|we)\b)(?!.*,)
    |(?:what|where|who|when|how)s\s+(?:my|the|our)\b|(?:am|do|did|have|was)\s+i\b|(?:have|had|did|do)n['’]t\s+i\b
    |(?:please\s+)?(?:remind|tell|show|give|ask)\s+me\b|(?:do\s+)?you\s+(?:still\s+)?
        (?:know|remember|recall)\b|guess\s+wh|let\s+me\s+know\b|any\s+(?:idea|plans)\b
    |(?:got\s+)?(?:any(?:thing|body|one)|owt)\s+(?:else\s+)?(?:on|for|planned|booked|happening|due)\b
    |i\s+(?:wonder|(?:(?:just\s+)?(?:forgot|forget))|(?:do|can|could)(?:n['’]t|not|\s+not)
        \s+(?:know|remember|recall))\s+(?:what|where|when|who|whose|why|how|which|if|whether)\b
    |i(?:['’]d|\s+would)\s+(?:like|love)\s+to\s+know\b|i\s+(?:want|need)\s+to\s+know\b"""
_GERMAN_WORDS = r"""(?:wer|wem|wessen|wen|wann|warum|wieso|weshalb|wie|woher|wohin|wo|was
    |wie\s?viele?|welche[rsnm]?|wo(?:r?(?:mit|für|gegen|über|an|auf|von|durch|zu|in|nach|bei|um|aus)))"""
# These begin statements and exclamations: "wie gesagt", "was mich nervt", "bin ich froh".
_NO_GERMAN_QUESTION = r"""(?!wie\s+(?:gesagt|immer|dem\s+auch|erwähnt|gehabt)\b
    |wie\s+(?:ich|du)\s+(?:(?:ja|schon|bereits|dir|sicher|vielleicht)\s+)*
        (?:wei(?:ß|ss)t|sagte|gesagt|erzählt|erwähnt)
    |wie\s+(?:schön|geil|cool|toll|krass|süß|lieb|nett|blöd|doof|schade|peinlich|lecker|traurig)\b
        (?!\s+(?:ist|is|war|sind|waren|findest)\b)
    |was\s+(?:at|a|the|my|born|ill|sick|just|really|pretty|very|too|not|never|going)\b
    |was\s+(?!ging|fing|hing|bring)\w{2,}ing\b
    |wann\s+immer|wer\s+hätte\s+gedacht|was\s+soll(?:['’]?s|\s+ich\s+sagen)\b|was\s+mich\b
    |was\s+für\s+(?:ein\w?\s+)?(?:\w+\s+)?(?:tag|woche|nacht|stress|chaos|glück)\b(?!\s+(?:ist|is|war|haben|hab)\b)
    |was\s+.{0,40}\s(?:angeht|betrifft)\b
    |(?:was|wo|wer)\s+(?:ich|wir|mich)\s.*\b(?:ist|sind|gibt['’]?s?)\s+\w
    |bin\s+ich\s+(?:(?:so|echt|voll|total|grad)\s+)*(?:froh|müde|glücklich|traurig|gespannt|fertig|kaputt)\b
    |(?:mag|kann)\s+ich\s+(?:(?:gar|überhaupt|auch|eh|echt|halt)\s+)+nicht\b|mag\s+ich\s+nicht\b
    |(?:\w+\s+ich|weißt\s+du)\s.*\bhalt\b|darf\s+ich\s+vorstellen\b
    |habe?\s+ich\s+(?:(?:dir|schon|mal|eigentlich)\s+)*(?:erzählt|gesagt|erwähnt)\s+dass\b
    |(?:sag(?:e|st)?|erzähle?|zeige?)\s+mir\s+(?:(?:bloß|ja)\s+)?(?:nicht|nix|nichts)\b)"""
_GERMAN = rf"""(?:(?:na|ja|nee|nein|du|ach|und|ähm?|öhm?|hm+|sa(?:g|ch)\s+mal?)[,:\s]+)*
    {_NO_GERMAN_QUESTION}(?:
    (?:wer|wem|wessen|was|wann|warum|wieso|weshalb|wie|wie\s?viele?[rn]?|wohin|woher|welche[rsnm]?
    |wo(?:r?(?:mit|für|gegen|über|an|auf|von|durch|zu|in|nach|bei|um|aus))?
    |(?:an|auf|in|mit|von|bei|für|gegen|zu|aus|um|bis|seit|ab)\s+(?:was|wem|wen|wann|welche[rsnm]?)
    |um\s+wie\s?viel)\b
    |(?:bin|habe?|mag|wohne|arbeite|war|hatte|kann|soll|muss|darf|heiße)\s+ich\b
    |(?:hat|hatte|haben)\s+(?:mein|unser)\w{{0,3}}\b|(?:war|ist)\s+(?:das|es)\s+nicht\b
    |(?:wollte|sollte|musste|hatte)\s+(?:ich|wir)\s+nicht\b
    |(?:hast|bist|wei(?:ß|ss)t|kannst|kennst|magst|könntest|erinnerst)\s+du\b
    |(?:haste|biste|wei(?:ß|ss)te|kannste|kennste|könnteste)\s+(?:noch|mal|dir|mir|schon|ne|{_GERMAN_WORDS})\b
    |(?:wei(?:ß|ss)t(?:e|\s+du)|erinnerst\s+du\s+dich|kannst\s+du\s+(?:mir|mal|mir\s+mal)\s+sagen)
        (?:\s+(?:noch|zufällig|eigentlich|vielleicht))?,\s*{_GERMAN_WORDS}\s+\w
    |(?:steht|ist|is|war|läuft|liegt|gibt['’]?s)\s+(?:am|heute|morgen|übermorgen|gestern|nächste\w?)\s
        [\w\s.]{{0,30}}\bwas\b(?:\s+(?:an|los|geplant))?\W*\Z
    |(?:sag(?:e|st)?|erzähle?|verrate?|zeige?|nenne?)\s+mir\b|erinner[en]?\s+(?:mir|mich)\b
    |ich\s+(?:frage\s+mich|wei(?:ß|ss)\s+nicht\s+mehr|habe\s+vergessen)\b
    |(?:ich\s+)?hab['’]?\s+vergessen,?\s+{_GERMAN_WORDS}\b
    |(?:ich\s+)?komme?\s+(?:(?:grad|gerade|jetzt|einfach)\s+)*nicht\s+(?:mehr\s+)?drauf,?\s+{_GERMAN_WORDS}\b
    |keine\s+ahnung\s+mehr,?\s+{_GERMAN_WORDS}\b)"""
_FRENCH = r"""(?:où|quand|qui|que|quoi|comment|pourquoi|combien|quel(?:le)?s?|est-ce|qu['’]est-ce
    |c(?:['’]est)?\s+(?:quoi|koi|qui|où|quand(?=\s+(?:que|mon|ma|mes|le|la|les|ton|ta|tes|déjà)\b
        |\s+l['’]|\W*\Z))|(?:à|de|avec|chez|pour|en)\s+(?:quoi|qui|quel(?:le)?s?))\b
    |(?:(?:il\s+)?y\s?['’]?a|j['’]ai|on\s+a|t(?:u\s+|['’])as)\s+quoi\b
    |(?:rappelle|dis|montre|raconte)[-\s]moi\b|tu\s+(?:te\s+souviens|te\s+rappelles)\b
    |tu\s+sais\b(?!\s+(?:que\s+(?:je\b|j['’]|m(?:on|a|es)\b)|j['’]|je\s))
    |t['’]as\s+retenu\b
    |m(?:on|a|es)\s(?:\w+\s){1,3}(?:c['’]est|c)\s(?:quoi\b|(?:qui|quand|où|comment)(?:\sdéjà)?\W*\Z)
    |\w+\sc['’]est\squi\W*\Z
    |(?:te\s+souviens|sais|peux|connais)-tu\b|je\s+(?:me\s+demande|ne\s+sais\s+plus)\b
    |(?:suis|ai)-je\b"""
_FRENCH_AT_THE_END = r"""[^.!?]{0,80}(?<!pas\s)(?<!plus\s)(?<!importe\s)(?<!sais\s)
    (?:c['’]est|ai|a|habite|vis|vit|bosse|travaille|fais|fait|s['’]appel+e|rdv|sors?|pars?
      |né|née|allé|allée|suis|allergique|parlé|dit|rendez-vous)\s
    (?:où|quand|comment|combien|(?:à|de|avec|chez|pour|en)\s(?:quoi|qui)
      |(?:à\s)?quel(?:le)?\s(?:âge|age|heure|jour))(?:\sdéjà)?\W*\Z"""
_IBERIAN = r"""(?:a|de|en)\s+que\s+(?:hora|d[ií]a|color|talla|ciudad|barrio|calle|hablamos)\b
    |mis?\s+(?:\w+\s){1,2}c[oó]mo\s+se\s+llam\w+\W*\Z
    |(?:(?:a|de|con|en|por|para|com|em)\s+)?(?:qué|q|qui[eé]n(?:es)?|cu[aá]l(?:es)?
    |cuándo|cómo|dónde|donde|cu[aá]nt[oa]s?|o\s+que|quem|qual|quais|onde|quanto|por\s+que)\b
    |cuando\s+\w+\s+(?:el|la|los|las|lo|mis?|tus?|sus?)\s+(?=\w+(?:\s+del?\s+(?:la\s+)?\w+)?\W*\Z)
    |(?:(?:tengo|tenemos|hay|había)\s+)?algo\s+(?:para\s+)?(?:el|este|mañana|hoy)\b
    |(?:c[oó]mo|como)\s+(?:se\s+llama|me\s+llamo|me\s+chamo|se\s+chama)\b
    |(?:recu[eé]rdame|record[aá]me|dime|dec[ií]me|cu[eé]ntame|cont[aá]me|lembra-me|me\s+lembra|diga-me|me\s+diga|me\s+diz|diz-me)\b
    |(?:te\s+(?:acuerdas|acord[aá]s)|(?:t[uú]\s+|vos\s+|você\s+)?(?:sabes?|sab[eé]s|recuerdas
        |record[aá]s|lembras?))\b(?!\s+q(?:ue)?\s+(?:me\s+\w+[éí]|soy|estoy|fui|ya|no|hoy|ayer)\b)
    |(?:me\s+pregunto|no\s+(?:recuerdo|me\s+acuerdo|sé))\s+(?:si|qu|c[oó]m|cu|d[oó]nd)"""
_ITALIAN = r"""(?:(?:a|di|con|in|per)\s+)?(?:chi|(?:che\s+)?cosa|dove|quando|quale?|quali
    |quant[oaie])\b
    |come\s+(?:si\s+chiama|mi\s+chiamo|sto)\b|(?:ricordami|dimmi|ti\s+ricordi|puoi\s+dirmi)\b
    |mi\s+chiedo\b"""
_DUTCH = rf"""{_NO_GERMAN_QUESTION}(?:wie|wat|wanneer|waarom|hoe|welke?
    |waar(?:mee|voor|tegen|over|aan|op|van|in|naar)?)\b
    |(?:herinner|vertel|zeg)\s+m(?:e|ij)\b|(?:weet|kun|herinner)\s+j(?:e|ij)\b
    |(?:ben|heb|woon|werk)\s+ik\b"""
_POLISH = r"""(?:(?:na|w|z|o|do|od)\s+)?(?:kto|co|kogo|komu|czego|czym|gdzie|kiedy|dlaczego|czemu
    |jak(?:i|a|ie|iego|iej)?|któr[yae]|ile|czy)\b|(?:przypomnij|powiedz)\s+mi\b
    |(?:wiesz|pamiętasz)\b"""
_RUSSIAN = r"""(?:(?:а|так|слушай|блин)\s+)?
    (?:(?:на|в|во|с|о|об|к|у|от|из|для|до|по|про)\s+)?
    (?:кто|кого|кому|кем|(?:что|ч[еёо]|шо)(?![\s-]?то\b)|чего|чем|чём|где|когда|када|куда|откуда
    |почему|зачем|как(?:ой|ая|ое|ие|ого|ому|им)?|котор(?:ый|ая|ое)|сколько|скока|скольки|чь[яёи]
    |чей)\b
    |(?:напомни|скажи|расскажи|подскажи)(?:\s+мне)?\b|(?:ты\s+)?(?:помнишь|знаешь)\b
    |\w+\s+ли\s"""
_OTHERS = (_GERMAN, _FRENCH, _IBERIAN, _ITALIAN, _DUTCH, _POLISH, _RUSSIAN)
# Both are searched in lower case, which takes half as long as ignoring the case.
_BEGINS = re.compile(rf"\W*{_FILLER}(?:{_ENGLISH})", re.VERBOSE)
# A comma or a dash makes two clauses: "Quand j'étais petit, je vivais à Lyon".
_BEGINS_ONE_CLAUSE = re.compile(
    rf"\W*{_FILLER}(?:{'|'.join(_OTHERS)})(?![-'’])[^,;—–]*\Z",
    re.VERBOSE,
)
# "Ma sœur habite où": looking for the last word first saves most of the time.
_LAST_WORD = re.compile(
    r"(?:où|quand|comment|combien|qu(?:oi|i)|[âa]ge|heure|jour)(?:\sdéjà)?\W*\Z"
)
_ENDS_WITH_QUESTION = re.compile(rf"\W*{_FILLER}{_FRENCH_AT_THE_END}", re.VERBOSE)
# In these scripts the word that asks stands anywhere.
_ASKS_WITHIN = re.compile(
    "(?:什么|什麼|甚麼|谁|誰|(?<![没沒])有啥)(?![都也])|哪[里裡儿兒个個些天年位种種]|在哪|多少|怎么|怎麼|怎样|怎樣|为何|為何|为什么|為什麼|几[岁点号個个口]"
    "|是不是|有没有|有沒有|记不记得|記不記得|告诉我|告訴我|提醒我|还记得我|還記得我|你知道"
    "|何(?:です|だ|が|を|の|に|と|歳|時|人|$)|どこ|どれ|どの|どんな|どう(?:して|やって)|いつ(?:です|だ|から|まで|に|$)|なぜ|いくつ|いくら"
    r"|っけ[\Wー笑w]*$"
    "|教えて|思い出させて|覚えて(?:い)?る|(?:です|ます|ました|でした)か|[吗嗎]$"
    "|무엇|뭐[가야지라]|어디|누구|언제|왜 |어떤|어떻게|몇 |알려 ?줘|말해 ?줘|기억나"
)
_ASKS_COLLOQUIALLY = re.compile(
    "(?<![没沒])啥(?![都也])|(?<![不没沒知])咋(?![都地]|[这這][么麼])|(?<![没沒不])[干幹][嘛吗嗎]|[几幾](?:[岁歲号號點]|$)"
    "|哪[颗顆只隻家所座条條张張部本首款件辆輛次月]|(?<![没沒差不])多[大久远遠高重长長](?=$|[了啊呀呢])"
    "|[了过過][没沒](?:有)?[啊呀呢]?$"
    r"|,\s*(?:can|could)\s(?:we|you|u)\s"
    r"|\b(?:resume|cu[eé]nta(?:me|nos)?|dime)\b.{0,20}\blo\sque\ssabes\b|^\W*como\sse\sllama[ns]?\s(?:mis?|tus?|el|la|los|las)\b"
    r"|(?<!不知道)(?<!不确定)(?<!不確定)([能会會要该該行对對好])不\1|可不可以|(?<!知道)(?:是|在|去|到|住|停|放)哪(?=$|[啊呀呢了])"
)

_TIME_WORDS = {
    "en": r"when|(?:what|which) (?:day|date|time|night|week|month)",
    "de": r"wann|welche[rnms]? (?:tag|datum|uhrzeit)|wie spät|um wie ?viel",
    "es": r"cu[aá]ndo|a qu[eé] hora|qu[eé] d[ií]a",
    "fr": r"quand|quel(?:le)? (?:jour|heure|date)",
    "ru": r"когда|во сколько|как(?:ого|ой) (?:числа|день)|по каким дням",
}
_TIME_WORDS_UNSPACED = (
    "什么时候|什麼時候|啥时候|啥時候|哪天|几[号點点月]|幾[號点點月]|いつ|何時|何日|何曜"
)
_AMOUNT_WORDS = {
    "en": r"how (?:much|many|long|old|often)",
    "de": r"wie ?viele?|wie (?:lange|alt|oft)",
    "es": r"cu[aá]nt[oa]s?",
    "fr": r"combien",
    "ru": r"сколько",
}
_AMOUNT_WORDS_UNSPACED = "几|幾|多少|いくら|何歳|何円|いくつ"
_DAYS = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch"
    r"|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
    r"|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche"
    r"|понедельник|вторник|сред[ауы]|четверг|пятниц|суббот|воскресен"
    "|[一二三四五六七八九十][号月点點日千百萬万]|曜"
)
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W_]")
_DAY = re.compile(_DAYS, re.IGNORECASE)
# The words after "do you remember" or "still know" name the thing that is asked for.
_MEMORY_WORDS = (
    r"(?<!\w)(?:(?:you|u|ya|dyou|dya)(?:\s+(?:still|even))?\s+(?:remember|recall)"
    r"|wei(?:ß|ss)t\s+(?:du|d)\s+noch|erinner(?:st|n)\s+(?:du|sie|d)\s+(?:dich|sich|di)"
    r"|(?:kannst|kennst)\s+du\s+(?:dich\s+)?noch"
    r"|te\s+(?:acuerdas|acord[aá]s)|recuerdas|record[aá]s|tu\s+te\s+(?:souviens|rappelles)|te\s+souviens-tu"
    r"|(?:ты\s+)?помнишь)(?!\w)"
    "|[记記]得.{0,60}[吗嗎?？]|[还還][记記]得|[记記]不[记記]得"
    "|覚えて(?:い)?(?:る|ます)|기억나|기억해"
)
_ASKS_IF_REMEMBERED = re.compile(_MEMORY_WORDS, re.IGNORECASE)
_ASKING_IF_REMEMBERED = re.compile(
    r"(?<!\w)(?:(?:do|did|can)\s)?(?:you|u|ya|dyou|dya)\s(?:(?:still|even)\s)?(?:remember|recall)(?!\w)"
    r"|(?<!\w)(?:wei(?:ß|ss)t\s(?:du|d)\snoch|erinner(?:st|n)\s(?:du|sie|d)\s(?:dich|sich|di)(?:\snoch)?"
    r"|te\s(?:acuerdas|acord[aá]s)|(?:tú\s|vos\s)?(?:recuerdas|record[aá]s)|tu\ste\s(?:souviens|rappelles)|te\ssouviens-tu"
    r"|(?:ты\s)?(?:ещё\s|еще\s)?помнишь)(?!\w)"
    "|(?:你|您)?[还還]?[记記](?:得|不[记記]得)(?:[吗嗎么麼])?|覚えて(?:い)?(?:ます|る)か?",
    re.IGNORECASE,
)
_MAX_CHARS = 2_000  # the rest of a text is ignored
_CACHE_CHARS = 200_000

# Reports whether a text asks "when", "which day" or the like.
asks_for_a_time = search_for(_TIME_WORDS.values(), _TIME_WORDS_UNSPACED)
# Reports whether a text asks "when", "how much" or the like.
asks_for_a_value = search_for(
    (*_TIME_WORDS.values(), *_AMOUNT_WORDS.values()),
    f"{_TIME_WORDS_UNSPACED}|{_AMOUNT_WORDS_UNSPACED}",
)
_NOW_WORDS = (  # say nothing about the subject, wherever they stand
    "now nowadays currently even really actually again just exactly yet"
    " jetzt gerade aktuell derzeit zurzeit eigentlich nochmal noch denn überhaupt gleich"
    " ahora ahorita actualmente exactamente maintenant actuellement exactement déjà"
    " сейчас щас ща теперь вообще именно точно"
)
_LIGHT_WORDS = (  # may stand before or behind a question
    "do does did are is was can could would will you u ya we i me my it that this the a an to of if"
    " and or but so then know remember recall forget forgot forgotten tell remind give say guess"
    " have got any idea bet sure hope think check checking test testing quiz question quick see let"
    " lets let's pls please right lol haha btw hey time once more still today these days year next"
    " at moment getting turning going gonna be name everything all something anything what"
    " things about list describe summarize summarise talk for out here where who by way"
    " weißt weisst du das es ja na doch und oder erinnerst dich dran daran ob mir sag sagst kannst"
    " bitte mal schon wieder immer verrat verrate rate weißte weisste"
    " heute dieses jahr test frage kurze wie war ich so"
    " sabes recuerdas acuerdas te de si lo que y a ver o sea dime recuérdame otra vez hoy este año"
    " puedes decirme cuéntame mi ya pues se oye yo tú vos q sabés acordás acordas recordás"
    " recordas decime contame podés podes che"
    " tu te t'en souviens souvient rappelles rappelle sais dis moi de du ce est est-ce que encore"
    " en peux me dire cette année et là vas avoir ou alors toi t'as déjà deja"
    " ты помнишь знаешь не забыл забыла напомни скажи мне а ну и ли это ещё еще раз можешь в этом"
    " году ка же то там или напомнишь"
)
# "My boss asks …"; but not "I asked him …".
_REPORTING_VERBS = (
    r"(?<!\bi )\b(?:asks?|asked|asking|(?:wants?|wanted|needs?) to know|wonders?|wondering)"
    r"(?: (?:me|us|for))?"
    r"|(?<!\bich )\b(?:fragt|fragte|fragen|will wissen|wollen wissen)(?: mich)?"
    r"|\b(?:preguntan?|preguntó|pregunta|quiere saber)(?: en \w+ \w+)?"
    r"|\b(?:demande|demandent|veut savoir)(?: \w+)?"
    r"|\b(?:спрашивает|спросила?|спрашивают|интересуется|хочет знать)"
    r"|(?<!我)问我?|想知道|聞かれた(?:んだけど)?"
)
_ASKING_AT_THE_END = re.compile(rf"(?:{_REPORTING_VERBS})$")
_ASKING = re.compile(_REPORTING_VERBS, re.IGNORECASE)
_IF = re.compile(r"\W*(?:if|whether|ob|si)\b", re.IGNORECASE)
_LIGHT_UNSPACED = re.compile(
    r"(?:你|还|還|知道|记得|記得|吗|嗎|么|不|没|告诉我?|告訴我?|提醒|一下|我|说|說|呢|啊|呀|来着|现在|現在|目前|到底|是|的|了|考考?"
    r"|吧|嘛|再|快|请|請|能|可以|忘|猜|猜猜|看|今年|那|就|帮|回"
    r"|か|の|っけ|んだ|だ|です|でした|覚えて(?:い)?(?:る|ます)|知って(?:い)?(?:る|ます)|言える|わかる|教えて|ね|ねえ|よ|って|は|を|が|も|今|いま"
    r"|ちゃんと|まだ|私|僕|俺|わたし|あたし|自分|何|なに|なん|いつ|どこ|年|になる|んだけど|\s)*"
)
_NOW, _LIGHT = frozenset(_NOW_WORDS.split()), frozenset(_LIGHT_WORDS.split())


def asks(sentence: str) -> bool:
    """Returns True for a question, and for a request to be told something, in any form.

    Knows far more first words than `sentences.is_question`, and in doubt takes a statement for a
    question. For callers that would otherwise store a question as a fact about a person.
    """
    if is_question(sentence):
        return True
    plain = sentence.lower()
    return bool(
        _BEGINS.match(plain)
        or _BEGINS_ONE_CLAUSE.match(plain)
        or (_LAST_WORD.search(plain) and _ENDS_WITH_QUESTION.match(plain))
        or (not sentence.isascii() and _ASKS_WITHIN.search(sentence))
    )


def asks_in_any_words(sentence: str) -> bool:
    """Returns True where asks() does, and for colloquial words that ask: 啥, como se llaman mis.

    Recall keeps to asks(): with these words it brings memories to more questions about the world.
    """
    return asks(sentence) or bool(_ASKS_COLLOQUIALLY.search(sentence))


def asks_if_remembered(text: str) -> bool:
    """Returns whether the text asks "do you remember …"."""
    return bool(_ASKS_IF_REMEMBERED.search(text[:_MAX_CHARS]))


def without_asking_if_remembered(text: str) -> str:
    """Returns "what I am allergic to" for "do you still remember what I am allergic to?".

    A text that says nothing else is returned whole.
    """
    if not asks_if_remembered(text):
        return text
    rest = _ASKING_IF_REMEMBERED.sub(" ", text)
    return rest if _LETTER.search(rest) else text


@memoize(chars=_CACHE_CHARS)
def has_a_value(text: str) -> bool:
    """Returns whether the text has a number or a day of the week."""
    text = text[:_MAX_CHARS]
    return bool(_DIGIT.search(text) or _DAY.search(text))


def without_adverbs_of_time(plain: str) -> str:
    """Returns a text without "now", "again" and the like."""
    return " ".join(word for word in plain.split(" ") if word not in _NOW)


def stands_alone(question: re.Match[str]) -> bool:
    """Returns whether nothing that changes the question stands before or behind it."""
    before = question.string[: question.start()].strip()
    behind = question.string[question.end() :].strip()
    return (_is_light(before) or bool(_ASKING_AT_THE_END.search(before))) and _is_light(behind)


def reports_a_question(sentence: str) -> bool:
    """Returns whether somebody else asks something in it: "my boss asks what I'm allergic to"."""
    asked = (sentence[found.end() :].strip() for found in _ASKING.finditer(sentence))
    return any(asks(question) or _IF.match(question) for question in asked)


def _is_light(text: str) -> bool:
    return _LIGHT.issuperset(text.split()) or bool(_LIGHT_UNSPACED.fullmatch(text))
