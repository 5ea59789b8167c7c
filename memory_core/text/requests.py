"""Recognises requests by their wording: to be told something again, or about wording itself.

"What did you suggest again" is about what was said before. "Dime la clave" and "the code please"
ask to be told something; the verb and "please" do not belong to the thing that is asked for.
"Shorter please", "回复再长一点", "translate this: …" and "fix the grammar: …" are about
mere wording, of the answers or of a text that the message gives. They need no memory, even if a
memory has "sentence" or "slowly", or words of the given text.
"""

# ruff: noqa: RUF001

import re

from ..infra.lru_cache import memoize
from .patterns import search_either, search_for

_READ_CHARS = 2_000  # the rest of a text is ignored
_CACHE_CHARS = 50_000
_YOU = r"(?:you|u|ya)"
_SAID = r"(?:say|said|tell|told|mention(?:ed)?|promised?|suggest(?:ed)?|recommend(?:ed)?|advised?)"
_SAID_WORDS = {
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
_SAID_UNSPACED = (
    "提醒我|你.{0,6}(?:说|說|讲|講|提|答应|答應|教|推荐|推薦|建议|建議)(?:过|過|的)"
    "|你(?:之前|上次|以前|那时|那時).{0,8}(?:说|說|讲|講|提|教|推荐|推薦|建议|建議)|欠我"
    "|我.{0,6}(?:告诉|告訴|跟你说|跟你說)过?|叫(?:什么|什麼|啥)来着|来着"
    "|(?:言って|話して|教えて|勧めて|約束して)(?:い?た|くれた)|(?:何|なん|誰|どこ|いつ)(?:だった|だ)?っけ|だっけ"
)
# Reports whether a text asks for, or refers to, what one of the two said before.
asks_what_was_said = memoize(chars=_CACHE_CHARS)(search_for(_SAID_WORDS.values(), _SAID_UNSPACED))

_MAX_TELLING_CHARS = 300  # longer messages say more than what they ask for
_DETERMINER = r"(?=\s+(?:the|my|our|his|her|their|that|those|what|where|who|when|which|how)\b)"
_AGAIN = r"(?:\s+(?:again|quick(?:ly)?|nochmal|noch\s+mal|mal|bitte|otra\s+vez|encore|снова))*"
_ME = r"(?:[\s-]+(?:me|us|mir|mich|uns|moi|nous|мне|нам))"
_TELLING_VERBS = {
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
    rf"(?:{'|'.join(_TELLING_VERBS.values())})(?!\w){_AGAIN}(?:\s+{_PLEASE}(?!\w))?",
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
    if len(text) > _MAX_TELLING_CHARS:
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


_MAX_STYLE_CHARS = 120  # of a request; longer messages ask for something besides
_EN_REPLY = r"(?:answers|replies|responses|messages|sentences|paragraphs|descriptions|posts)"
_EN_SIZE = (
    r"(?:short(?:er)?|long(?:er)?|brief(?:er)?|small(?:er)?|larger?|simpler?|plain(?:er)?|clearer"
    r"|more\s+detailed|less\s+detailed)"
)
_EN_HOW = (
    r"(?:plain(?:ly|er)?|simply|simpler|slow(?:ly|er)?|formal(?:ly)?|casual(?:ly)?|normal(?:ly)?"
    r"|shorter|longer|briefly|softer|louder)"
)
_EN = (
    rf"\b(?:make|keep|write|give|use|try|want|need|with|have|in)\b[^.!?]{{0,30}}\b{_EN_SIZE}\s+{_EN_REPLY}\b",
    rf"(?:\A|\bplease\s|[.!?:]\s)\W*{_EN_SIZE}\s+{_EN_REPLY}\b",
    rf"\b(?:your|ur|the|these|those)\s+{_EN_REPLY}\s+(?:\w+\s+){{0,3}}{_EN_SIZE}\b",
    r"\bkeep\s+(?:it|this|that|them)\s+(?:\w+\s+){0,2}(?:short|brief|simple|down)\b",
    r"\b(?:keep\s+(?:it|this|that|them|your\s+\w+)|answer|reply|respond|talk)\b[^.!?]{0,25}"
    r"\b(?:\d+|one|two|three|a\s+few|fewer|less)\s+(?:\w+\s+){0,3}(?:sentences?|lines?|words|paragraphs?)\b",
    r"\b(?:in|use|using|switch\s+to)\s+(?:the\s+)?(?:present|past)\s+tense\b|\b(?:in|use|using)\s+(?:the\s+)?(?:first|second|third)\s+person\b",
    rf"\b(?:speak|talk|write|answer|reply|be)\s+(?:to\s+me\s+)?(?:a\s+(?:bit|little)\s+)?(?:more\s+|less\s+)?{_EN_HOW}\b(?!\s+(?:than|to\s+(?!me)))",
    r"\b(?:stop|quit|don['’]?t|no\s+need\s+to|need\s+not)\s+(?:call(?:in)?(?:g|['’])?\s+me|callin\s+me)\b",
    r"\b(?:answer|reply|respond|talk|speak|write)\s+(?:to\s+)?(?:me\s+)?(?:only\s+)?in\s+(?:english|french|german|spanish|irish|russian|chinese|japanese|dialect)\b",
    r"\b(?:give|say|put|make)\s+(?:me\s+)?(?:that|this|it)\s+(?:as|in)\s+(?:bullet\s+points|a\s+list|plain\s+\w+|normal\s+\w+|simpler\s+\w+|capitals)\b",
    r"\bstop\s+(?:saying|using|writing|repeating|adding|talking\s+(?:like|in)|speaking\s+(?:like|in))\b",
    r"\b(?:no|fewer|less|more|without|drop)\s+(?:the\s+)?(?:emojis?|bullet\s+points|asterisks|narration|descriptions?|dialogue|actions|flowery\s+\w+)\b",
    r"\b(?:say|write|explain)\s+(?:that|it|this)\s+(?:again\s+)?(?:but\s+)?(?:without|simpler|shorter)\b",
    r"\b(?:rewrite|redo|regenerate|rephrase)\s+(?:that|the|your)\s+(?:last\s+)?(?:part|reply|answer|message|paragraph|bit|one|post)\b",
)
_DE = (
    r"\b(?:antworte|schreib|sprich|red|mach|fass|erklär|drück)e?\s+(?:dich\s+|mir\s+|bitte\s+|mal\s+|doch\s+|etwas\s+|ein\s+bisschen\s+|nicht\s+so\s+){0,4}"
    r"(?:kürzer|länger|kurz|knapp(?:er)?|einfach(?:er)?|normal(?:er)?|langsam(?:er)?|ausführlicher|förmlich(?:er)?|locker(?:er)?)\b",
    r"\b(?:kürzere|längere|einfachere|knappere|kurze|knappe)\s+(?:antworten|sätze|nachrichten|texte|absätze)\b",
    r"\b(?:deine|die)\s+(?:antworten|sätze|nachrichten|texte)\s+(?:\w+\s+){0,4}(?:kürzer|länger|einfacher|knapper)\b",
    r"\bfass\s+dich\s+(?:\w+\s+){0,2}kurz\b|\bnicht?\s+so\s+lange?\s+(?:texte|antworten|sätze|nachrichten)\b|\bantwort\w*\s+[^.!?]{0,20}\bohne\b",
    r"\b(?:sag|erklär|schreib)e?\s+das\s+(?:noch\s*ma?l?|noch\s*einmal)\s+(?:aber\s+)?ohne\b",
    r"\bhör\s+(?:bitte\s+|mal\s+)?auf,?\s+[^.!?]{1,40}\szu\s+(?:sagen|schreiben|benutzen|verwenden)\b",
    r"\b(?:keine|weniger|mehr|ohne)\s+(?:emojis?|sternchen|aufzählungen|beschreibungen)\b|\bin\s+der\s+(?:gegenwart|vergangenheit|ich-form)\b",
)
_ES = (
    r"\b(?:responde|contesta|escrib|habla|háblame|explica|usa|haz)\w*\s[^.!?]{0,25}\b(?:más|menos)\s+"
    r"(?:cort|larg|brev|llan|sencill|simple|despacio|formal|informal|natural|clar|detallad)\w*",
    r"\b(?:respuestas|frases|mensajes|párrafos|oraciones)\s+(?:más\s+|menos\s+)?(?:cort|larg|brev|sencill|simple)\w+",
    r"\b(?:responde|contesta|cont[eé]stame|hazlo)\w*\s+[^.!?]{0,10}\bcort\w+|\A\W*más\s+cort\w+",
    r"\bdilo\s+(?:otra\s+vez\s+)?(?:pero\s+)?sin\b",
    r"\bdeja\s+de\s+(?:decir|usar|poner|escribir)\b|\bsin\s+(?:emojis?|asteriscos)\b|\ben\s+(?:primera|tercera)\s+persona\b|\ben\s+(?:tiempo\s+)?presente,?\s+por\s+favor\b",
)
_FR = (
    r"\b(?:répond|écri|parl|fai|expliqu|racont|raccourci)\w*\s[^.!?]{0,30}\b(?:plus|moins)\s+"
    r"(?:court|long|simple|lent|bref|brève|détaillé|formel|naturel|clair)\w*",
    r"\b(?:phrases|réponses|messages|paragraphes)\s+(?:plus|moins)\s+(?:court|long|simple|brève)\w*",
    r"\b(?:réponds?|répondez|écris|fais)\b[^.!?]{0,15}\b(?:une|deux|\d)\s+phrases?\b|\A\W*en\s+(?:une|deux|\d)\s+phrases?\b",
    r"\bparl(?:e|ez)\s+(?:plus\s+|moins\s+)?(?:normal\w*|lentement|simplement)\b|\bfais\s+(?:ça\s+)?court\b",
    r"\bredis\s+(?:[çc]a\s+)?(?:mais\s+)?sans\b",
    r"\barrête[rz]?\s+de\s+(?:dire|mettre|répéter|utiliser|écrire)\b|\bsois\s+(?:plus\s+|moins\s+)?br(?:ef|ève)\b|\bsans\s+(?:emojis?|astérisques)\b",
    r"\bau\s+(?:présent|passé),?\s+s['’]il\b|\bà\s+la\s+(?:première|troisième)\s+personne\b",
)
_RU = (
    r"\b(?:отвечай|пиши|говори|отвечайте|пишите|говорите|объясняй)\s(?:[^.!?]{0,25}\s)?"
    r"(?:короче|длиннее|покороче|подлиннее|проще|попроще|подробнее|кратко|коротко|медленнее|нормально)\b",
    r"\A\W*(?:короче|покороче|проще)\s(?:пиши|отвечай|говори)\b|\bне\sтак\s(?:длинно|подробно)\b",
    r"\b(?:говори|давай|обращайся|пиши)\s(?:со\s+мной\s)?на\s(?:ты|вы)\b",
    r"\b(?:ответы|предложения|сообщения|абзацы)\s+(?:\w+\s+){0,2}(?:короче|длиннее|покороче|подлиннее)\b",
    r"\b(?:короче|длиннее|покороче|подлиннее)\s+(?:ответ|предложени|сообщени)\w*|\bбез\s+(?:эмодзи|смайликов|звёздочек)\b",
    r"\bне\s+называй(?:те)?\s+меня\b|\bпиши(?:те)?\b[^.!?]{0,20}\b(?:покрупнее|попроще)\b|\bотвечай(?:те)?\s+(?:списком|по-русски)\b",
    r"\b(?:хватит|перестань|прекрати)\s+(?:говорить|писать|повторять)\b|\bот\s+(?:первого|третьего)\s+лица\b|\bв\s+(?:настоящем|прошедшем)\s+времени\b",
)
_ZH = (
    r"(?:回复|回答|说话|讲话|描写|句子|答案|回我)[^，。！？]{0,4}(?:长|短|简短|简单|简洁|详细|慢|正常|通俗|口语)(?:一?点|一些|些)",
    r"(?:说|讲|写|答|回)(?:得|的)?(?:再|更)?(?:长|短|简短|简单|简洁|详细|慢|正常|通俗)(?:一?点|一些|些)",
    r"(?:简短|简单|简洁|详细)(?:一?点|一些|些)(?:回|说|答|写)?|多(?:写|加)(?:一?点|一些|些)?(?:动作|描写|细节|心理|对话)",
    r"(?:别|不要|不用)(?:再)?(?:用|发|加|说)[^，。！？]{0,4}(?:表情|emoji|颜文字|括号|敬语|文言|书面语|英文)|用(?:现在时|第一人称|第三人称)",
    r"(?:不要|别)(?:再|一直|总)?叫我|用(?:中文|英文|英语|日语|台語|台语|粤语|东北话|四川话|普通话)(?:跟我|和我|再)?(?:说|講|讲|聊|回)|说人话|[别不要]{1,2}文绉绉",
    r"(?:刚才|上面|刚刚)(?:那)?(?:一)?段[^，。！？]{0,2}(?:重写|重来|再写)|别那么(?:文绉绉|正式|客气|啰嗦)|(?:一|两|三)(?:句|行)话?(?:就行|以内|之内|回答|回我)",
)
_JA = (
    r"(?:もっと|もう少し|少し)?(?:短く|長く|簡潔に|簡単に|詳しく|ゆっくり|普通に|丁寧に|手短に)(?:話して|書いて|答えて|返事して|返して|お願い)",
    r"(?:敬語|普通|普段|絵文字|顔文字|タメ口|方言|[^、。]{1,6}口調|語尾)(?:は|を|で|に)?(?:なし|やめて|使わないで|変えて|お願い|話して|しゃべって|のしゃべり方)",
    r"(?:タメ口|敬語)で(?:いい|お願い|話して|OK|ok)|(?:文|返事|返信)?(?:が)?長すぎ(?:る)?[。！!]*\Z",
    r"(?:返事|返信|文|文章|返答|回答)(?:を|は|が)?(?:もっと|もう少し)?(?:短く|長く)",
)
# The whole message: "shorter pls", "geht das auch kürzer", "mas corto porfa".
_BEFORE_STYLE = (
    r"and|but|ok|now|again|a\s+bit|a\s+little|make\s+it|(?:say|explain)\s+(?:that|it)|not\s+so|too"
    r"|und|aber|jetzt|etwas|bisschen|geht\s+das|auch|noch|mach|ma|mal|das|erklärs|erklär|nicht|nich|so|zu"
    r"|y|pero|un\s+poco|no|tan|dilo|hazlo|expl[ií]ca(?:me)?lo|otra\s+vez|mucho"
    r"|et|mais|un\s+peu|pas|si|trop|redis|fais|explique|[çc]a"
    r"|а|можно|давай|чуть|ещё|еще|скажи|объясни"
)
_STYLE = (
    r"shorter|longer|simpler|briefer|in\s+short|plainer|long"
    r"|kürzer|länger|kurz|knapper|einfacher|verständlicher|lang"
    r"|m[aá]s\s+(?:cort[oa]|breve|simple|f[aá]cil|sencillo|largo)|cort[oa]|breve|rollo|larg[oa]|resume"
    r"|plus\s+(?:court|simple|simplement|bref|clair|long)|court|long|résume"
    r"|короче|покороче|длиннее|проще|попроще|подробнее"
)
_AFTER_STYLE = (
    r"please|pls|plz|thanks|bitte|danke|porfa|por\s+favor|gracias|stp|svp|s['’]il\s+te\s+pla[iî]t|merci"
    r"|пожалуйста|плиз|спасибо|this\s+time|diesmal|esta\s+vez|cette\s+fois"
)
_STYLE_ALONE = re.compile(
    rf"\W*(?:(?:{_BEFORE_STYLE}|{_AFTER_STYLE})\W+)*(?:{_STYLE})(?:\W+(?:{_AFTER_STYLE}))*\W*"
    r"|(?:再|更)?(?:短|长|简单|详细|通俗)(?:一?点|一些|些)(?:说|讲|写)?[吧呗嘛。！!]*"
    r"|(?:もっと|もう少し|もうちょい)?(?:短く|短めに|短めで|簡単に|わかりやすく|詳しく)(?:して|お願い|頼む)?(?:ください|ね|。)*"
)
_IN_ASCII = (*_EN, *_DE, *_ES, *_FR)
_requests_a_style = search_either(
    re.compile("|".join(_IN_ASCII)), re.compile("|".join((*_IN_ASCII, *_RU, *_ZH, *_JA)))
)
# "No emojis, write a card for my mum" wants a text, for which a memory may matter.
_WANTS_A_TEXT = re.compile(
    r"\b(?:write|draft|make|compose|plan|suggest|give|send|tell)\s+(?:(?:me|us|him|her)\s+)?(?:an?|my|some|something|the)\b"
    r"|\b(?:about|for|to)\s+(?:my|our|his|her)\b"
    r"|\b(?:schreib|mach|entwirf|gib|plan)e?\s+(?:\w+\s+){0,2}(?:eine?n?|ne?n?|meine[rnm]?|was)\b"
    r"|\b(?:für|über|an)\s+(?:meine?[rnm]?|unsere?[rnm]?)\b"
    r"|\b(?:escr[ií]b|haz|dame|redacta|prepara)\w*\s+(?:una?|mi|algo|el|la)\b|\b(?:para|sobre)\s+(?:mi|nuestr[oa])\b"
    r"|\b(?:écri\w*|fais|rédige|donne|prépare)(?:[- ]moi)?\s+(?:une?|mon|ma|mes|quelque)\b"
    r"|\b(?:pour|sur)\s+(?:mon|ma|mes|notre)\b"
    r"|\b(?:напиши|составь|придумай|сделай|расскажи)\s"
    r"|写(?:一|个|封|首|篇|段|张|给)|给[^，。]{1,6}(?:写|的)|帮我(?:写|想|做)|(?:手紙|カード|詩|日記|物語|メッセージ)"
)
_POLITE = (
    r"^\W*(?:(?:please|pls|plz|can you|could you|would you|hey|ok(?:ay)?|now|so|quick(?:ly)?|bitte"
    r"|kannst du|por favor|puedes|me|s['’]il te pla[iî]t|stp|peux[- ]tu|tu peux|пожалуйста"
    r"|можешь)[\s,]+)*"
)
_WORK_VERBS = (
    r"(?:re-?write|rephrase|reword|paraphrase|translate|summari[sz]e|proof-?read|correct|edit"
    r"|improve|polish|shorten|simplify|spell-?check)\b"
    r"|(?:fix|check) (?:(?:the|my|this|any) )*"
    r"(?:grammar|spelling|typos?|text|sentence|email|english|this)\b"
    r"|make (?:this|that)\b|how do (?:you|i) say\b"
    r"|(?:übersetz|korrigier|verbesser|formulier|kürz|überarbeit|fass|prüf|umschreib)\w*\b"
    r"|(?:traduce|traduzca|corrige|corrija|mejora|resume|reescribe|reformula|acorta|revisa)\w*\b"
    r"|(?:tradui[st]|corrige|réécris|reformule|résume|améliore|raccourcis|relis)\w*\b"
    r"|(?:переведи|исправь|перепиши|перефразируй|сократи|улучши|проверь|отредактируй)(?:те)?\b"
)
_WORK_UNSPACED = re.compile(
    "^(?:请|請|麻烦|帮我|幫我|把)?.{0,6}(?:翻译|翻譯|改写|改寫|润色|潤色|修改|总结|總結|概括|纠正|糾正|缩写|改错)"
    "|(?:訳し|翻訳し|直し|添削し|要約し|校正し|言い換え|[英日中国韓]語にし|まとめ)て"
)
_WORK = re.compile(rf"{_POLITE}(?:{_WORK_VERBS})", re.IGNORECASE)
_LEAST = 12  # characters of a given text
_REST = f".{{{_LEAST},}}"
_GIVEN = re.compile(rf"[\"“”„«»「『]{_REST}|[:：]\s*{_REST}|\n\s*{_REST}", re.DOTALL)
_MAX_REQUEST = 160  # characters before the given text
_LEAST_WIDE = 6  # as above, in scripts without blanks
_GIVEN_WIDE = re.compile(rf"[\"“”「『:：\n].{{{_LEAST_WIDE},}}", re.DOTALL)


_CHOICE_VERBS = (
    r"(?:suggest|recommend|pick|choose|guess(?! (?:what|who))|think of|come up with)\b"
    r"|(?:give|find|name) (?:me|us|an?|one|some|my|our)\b"
    r"|(?:schlag|empfiehl|nenn|wähl)e?\b|(?:gib|such) mir\b|rate? mal\b"
    r"|(?:sugi[eé]re|recomi[eé]nda|elige|escoge|adivina|nombra|busca)\w*\b"
    r"|(?:propose|suggère|recommande|choisi[st]|devine|nomme|trouve)\w*\b"
    r"|(?:посоветуй|предложи|порекомендуй|назови|выбери|угадай|подбери|придумай)(?:те)?\b"
)
_CHOICE = re.compile(rf"{_POLITE}(?:{_CHOICE_VERBS})", re.IGNORECASE)


def asks_for_a_choice(text: str) -> bool:
    """Returns whether the message asks for something that one word may be: "pick a movie"."""
    return bool(_CHOICE.match(text))


_A_LANGUAGE = (
    r"(?:english|german|spanish|french|russian|chinese|japanese|italian|portuguese|polish|englisch"
    r"|deutsch|spanisch|französisch|russisch|ingl[ée]s|español|alem[áa]n|franc[ée]s|français|anglais"
    r"|allemand|espagnol|английск\w+|русск\w+|немецк\w+|по-(?:английски|русски|немецки))"
)
_ASKING_TO_SPEAK = (
    r"(?:please|pls|plz|ok(?:ay)?|sorry|hey|hi|now|but|can|could|shall|let['’]?s|we|you|u|us|switch|change|go|back"
    r"|speak|talk|chat|write|answer|reply|continue|in|to|bitte|auf|sag|mal|red|sprich|schreib|antworte|lass|uns|wir"
    r"|können|reden|sprechen|jetzt|wieder|gerne|habla(?:mos)?|podemos|hablar|en|responde|ahora|parle|parlons"
    r"|on|peut|parler|давай|говори|пиши|на|можно)"
)
_LANGUAGE_REQUEST = re.compile(
    rf"\W*(?:(?:[^\W\d_]+\W+){{1,2}}(?=(?:can|could|let|lass|podemos|on\s)))?(?:{_ASKING_TO_SPEAK}\W+)*{_A_LANGUAGE}"
    r"(?:\W+(?:please|pls|plz|today|now|again|ok(?:ay)?|bitte|reden|heute|porfa|por\s+favor|hoy|stp|пожалуйста))*\W*"
    r"|(?:我们|咱们|请|可以|能不能|还是|换成?|改成?){0,2}(?:说|用|讲|聊)?(?:中文|英文|英语|日语|德语|普通话)(?:聊|说|回)?[吧吗好嘛。！？?!]*",
    re.IGNORECASE,
)


def asks_for_a_language(text: str) -> bool:
    """Returns whether a message asks to speak another language, and for nothing else."""
    return len(text) <= _MAX_STYLE_CHARS and bool(_LANGUAGE_REQUEST.fullmatch(text))


def asks_for_a_style(text: str) -> bool:
    """Returns whether a message asks how answers should be written, and for nothing else."""
    if len(text) > _MAX_STYLE_CHARS:
        return False
    plain = text.lower()
    is_request = _requests_a_style(plain) or _STYLE_ALONE.fullmatch(plain)
    return bool(is_request) and not _WANTS_A_TEXT.search(plain)


def asks_to_work_on_a_text(text: str) -> bool:
    """Returns whether the message asks to rewrite, translate or sum up a text: "summarize this"."""
    start = text[:_MAX_REQUEST]
    return bool(_WORK.search(start)) or bool(not start.isascii() and _WORK_UNSPACED.search(start))


def gives_text_to_work_on(text: str) -> bool:
    """Returns whether the message asks to rewrite, translate or correct a text that it gives."""
    start = text[:_MAX_REQUEST]
    if _WORK.search(start):
        return bool(_GIVEN.search(text))
    return not start.isascii() and bool(_WORK_UNSPACED.search(start) and _GIVEN_WIDE.search(text))


_TEXTS = (
    r"(?:texts?|poems?|stor(?:y|ies)|essays?|e-?mails?|mail|letters?|lyrics|song|article|draft|cv"
    r"|resume|paragraph|quote|chapter|speech|review|post|code|script|job\ ad)"
)
# "Here's my story: …" tells of oneself, and "here's the code: …" is worth knowing.
_NO_TALE = r"""(?!\ (?:[\w-]+\ ){1,3}(?:story|e-?mail|mail|letter|cv|resume|post|code
    |geschichte|brief|nachricht|historia|correo|carta)\b)"""
# "What do you think of my story?\nnews: i got the job" shows no text behind the question.
_OWN_NEWS = r"""(?:(?:big\ |good\ |bad\ )?(?:news|update)|btw|by\ the\ way|anyways?|also|ps|p\.s\.
    |oh\ and|neuigkeit(?:en)?|übrigens|noticias?|por\ cierto|novedad(?:es)?)\s?[:,…–-]"""
_LEAST_SHOWN = 39  # characters: a shorter rest may be a title, or a question about the text
_SHOWS_TEXT = re.compile(
    rf"""\W*(?:(?:hey|ok(?:ay)?|so|pls|please|can\ (?:you|u)|could\ you)[\s,]+)*
    (?:(?:what\ do\ (?:you|u|ya)\ (?:think|make)\ (?:of|about)|what['’]?s\ your\ opinion\ on
        |how\ (?:is|do\ (?:you|u)\ (?:like|find))|thoughts\ on|any\ thoughts\ on|rate|review|read
        |check\ out|(?:have\ a\ )?look\ at|(?:here['’]?s|here\ is|found){_NO_TALE})
      \ (?:this|that|my|the|an?|the\ following)\ (?:[\w-]+\ ){{0,2}}{_TEXTS}\b
    |(?:was\ (?:hältst|denkst|sagst)\ du\ (?:von|über|zu)|wie\ (?:findest|gefällt)\ (?:du|dir)
        |lies\ mal|hier\ (?:ist|kommt){_NO_TALE})
      \ (?:dies\w{{0,2}}|mein\w{{0,2}}|de[rmn]|das|folgend\w+)\ (?:[\w-]+\ ){{0,2}}
      (?:text|gedicht|geschichte|e-?mail|mail|brief|aufsatz|artikel|liedtext|lied|entwurf|code|nachricht)\b
    |(?:qu[eé]\ (?:te\ parece|opinas\ de|piensas\ de)|lee|mira|aqu[ií]\ (?:est[aá]|va){_NO_TALE})
      \ (?:est[ea]|mi|el|la)\ (?:[\w-]+\ ){{0,2}}
      (?:texto|poema|cuento|historia|correo|e-?mail|carta|ensayo|art[ií]culo|canci[oó]n|borrador)\b)
    (?!\ so\ far\b)[^:\n]{{0,60}}[:\n]\s*(?!{_OWN_NEWS})\S.{{{_LEAST_SHOWN},}}""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_SHOWS_TEXT_UNSPACED = re.compile(
    rf"(?:你(?:觉得|看)|(?:帮我)?看看|看一?下|评价一?下|读一?下|读读)[^：:\n]{{0,8}}"
    rf"(?:文字|文章|[诗詩]|邮件|郵件|作文|歌[词詞]|代码|小说|这封信|文案)[^：:\n]{{0,12}}[：:\n].{{{_LEAST_WIDE},}}",
    re.DOTALL,
)


def shows_a_text(text: str) -> bool:
    """Returns whether the message shows a text, mostly to ask what to think of it."""
    return bool(_SHOWS_TEXT.match(text) or _SHOWS_TEXT_UNSPACED.match(text))
