"""The patterns of "remember that …" in plain words, by language.

English and Chinese come first, then the languages that need the imperative and then "that", a colon
or a statement about oneself, so that "merk dir das" and "recuerda la canción" stay talk. German
keeps its "that", without which the verb at the end would make no sense. Japanese and Korean have
the imperative at the end. BEHIND has the patterns of a statement about oneself with the request
after it; "this is our song, remember that" is talk.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese punctuation)

import re

from ..patterns import quick_search
from . import this_chat_only as scopes


def _bounded(pattern: str) -> str:
    """Returns a pattern that reads at most nine blanks where this one reads any number.

    Without a bound, each optional group would scan a long run of blanks again: 50,000 of them
    would take minutes.
    """
    return re.sub(r"(\\s|\[[^\]]*\\s[^\]]*\])([*+])", _with_bounds, pattern)


def _with_bounds(found: re.Match[str]) -> str:
    return found[1] + ("{0,9}" if found[2] == "*" else "{1,9}")


# Statements about oneself that may follow without "that".
_CLAUSE = r"""(?:i(?:['’]?m|\s+am|['’]ve|\s+have|\s+do(?:n['’]?t|\s+not)|\s+can(?:['’]?t|not)
    |\s+(?:always|never|only|still|live|work|study|eat|drink|like|love|hate|prefer|speak|play|own
      |moved|was\ born))\s+(?!you\b)\S
  |my(?:\s+(?!(?:who|that|which|when|where|if|how)\b)[\w'’-]+){1,4}?\s+
    (?:is|are|has|have|lives?|works?|was|were|will|can|can['’]t|doesn['’]t|don['’]t)\s+\S)"""
PLEASE = r"(?:pl(?:ea?|a)se*|pl[sz]+)"
_REMEMBER = r"rem(?:em|e|m)?b+er"  # as people type it in a hurry
ENGLISH = re.compile(
    r"""\s*
    (?:(?:ok(?:ay)?|alright|hey|hi|hello|good\ (?:morning|evening|night)|thanks|thank\ you|so|and
      |but|also|oh|yes|well|now|listen|btw|by\ the\ way)\b[\s,!:.]*){0,2}
    (?:[^\W\d_]{2,}\s*,\s*)?                                        # a name
    (?:(?:can|could|would|will)\s+(?:you|u)\s+(?P<asks>PLEASE|kindly)\s+)?
    (?:(?:PLEASE|kindly|also|always|just|do)\s+)*
    (?:REMEMBER|memori[sz]e|(?:save|store)(?=\s+(?:this|the\s+following)\s*:)
      |(?:add|put|save|store|commit|write)\s+(?:(?:this|that|it)\s+)?(?:in|to|into)\s+
        (?:(?:your|the)\s+)?(?:long[- ]term\s+)?memory
      |keep\s+in\s+mind|(?:make|take)\s+(?:a\s+)?(?:mental\s+)?note(?:\s+of\s+this)?
      |for\s+(?:future\s+reference|the\s+record)
      |(?:do\s?n['’]?t\s+(?:you\s+)?|do\s+not\s+)(?:ever\s+)?forget|never\s+forget
      |i(?:\s+want|\s+need|['’]d\s+like)\s+(?:you|u)\s+to\s+(?:always\s+)?REMEMBER)
    (?:\s{0,3},?\s{0,3}PLEASE\b(?:\s{0,3},)?)?
    (?P<here>\s{0,3}[,(]?\s{0,3}SCOPE\s{0,3}[,)]?)?
    (?:\s+that\b(?!['’])[\s,:]*
      |(?:\s+(?:this|the\ following)\b)?(?:\s{1,3}for\ (?:later|next\ time)\b)?\s*:\s*
      |(?:\s{0,3},)?\s{1,3}(?=CLAUSE))
    """.replace("SCOPE", scopes.SCOPE)
    .replace("CLAUSE", _CLAUSE)
    .replace("REMEMBER", _REMEMBER)
    .replace("PLEASE", PLEASE),
    re.IGNORECASE | re.VERBOSE,
)
CHINESE = re.compile(
    r"""\s*
    (?:[\w]{1,8}\s*[，,！!、：:]\s*)?                                  # a name, or "by the way"
    (?P<lead>(?:请|請|拜托|拜託|麻烦|麻煩)?(?:你|您)?(?:一定|务必|務必)?(?:要|得)?
      (?:帮我|幫我|给我|給我|替我)?)
    (?:记住|記住|(?:别|別|不要|不许|不許|千万别|千萬別)(?:忘了|忘记|忘記)
      |(?:把?(?:[这這][个個]|下面的?[话話]?))?(?:写|寫|存|加|放|[记記])(?:进|進|到|入)
        (?:[你您]的?)?(?:[记記][忆憶])(?:里面?|裡面?|中|库|庫)?(?=[\s，,：:])
      |(?P<soft>[记記](?:得|着|著|下来|下來|下)|(?=[记記]一下)[记記]))
    (?P<after>一下|[了没沒不过過的得吗嗎]?)[啦哦喔噢啊呀哈]?
    [\s，,：:、！!。~～]*
    """,
    re.VERBOSE,
)
_COLON = r"\s{0,3}:\s*"
_GERMAN = rf"""
    (?:(?:ok(?:ay)?|hey|hi|hallo|also|ach|und|aber|bitte|danke|übrigens|nein|ja|wichtig)\b
      [\s,!.:]*){{0,2}}
    (?:[^\W\d_]{{2,}}\s*,\s*)?(?:bitte\s+)?
    (?:merk(?:e|['’]?s)?\s+dir|merkt\s+euch|(?:merken?|nicht\s+vergessen)(?=\s*:)
      |vergiss(?:\s+bitte)?(?:\s+nie|\s+nicht)|denk\s+(?:bitte\s+)?(?:immer\s+)?da?ran
      |(?:speichere?|notiere?)(?:\s+(?:dir|ab))?|schreibe?\s+dir\s+auf
      |behalte?\s+(?:bitte\s+)?im\s+(?:(?:hinter)?kopf|gedächtnis)
      |(?P<asks>(?:kannst|könntest|würdest)\s+du\s+dir\s+(?:(?:bitte|mal|das)\s+){{0,2}}merken)
      |du\s+(?:sollst|musst|darfst)\s+dir\s+(?:bitte\s+)?merken
      |ich\s+(?:will|möchte)\s*,?\s+dass\s+du\s+dir\s+merkst)
    (?:\s+(?:bitte|mal|doch|unbedingt|gut|folgendes|das)){{0,4}}
    (?:\s*,?\s+(?P<here_de>{scopes.GERMAN}))?
    (?:\s*,?\s+(?=dass\s+\S)|{_COLON}|\s*,\s*(?=(?:ich|mein\w{{0,2}}|wir|unser\w{{0,2}})\s+\S)
      |(?:(?<=\bdir)|(?<=\bmal)|(?<=\bbitte))\s+(?=(?:ich|wir)\s+\S
        |(?:mein|unser)\w{{0,2}}\s+(?!worte)\w+\s+\S))"""
# "Guarda que ya vuelvo" keeps a place, in Portuguese too ("guarda que eu volto").
_SPANISH_NO_WARNING = r"""(?!\s+q(?:ue)?\s+(?!(?:soy|tengo|vivo|trabajo|mis?
    |no\s+(?:soy|tengo|como|bebo))\s))"""
_SPANISH = rf"""
    ¡?\s*(?:(?:ok|vale|dale|oye|che|hola|bueno|y|pero|gracias|por\s+favor|porfa(?:vor)?|ah|s[íi]
      |no(?=\s?[,!.:]))\b[\s,!.:]*){{0,2}}
    (?:[^\W\d_]{{2,}}\s*,\s*)?(?:(?:por\s+favor|porfa(?:vor)?)\s*,?\s*)?
    (?:recuerd[ae]|record[aá]d?|acu[eé]rdate|acord[aá]te|no\s+(?:te\s+)?olvid[eé]s(?:\s+nunca)?
      |nunca\s+(?:te\s+)?olvid[eé]s|no\s+olvide|q(?:ue)?\s+no\s+se\s+te\s+olvide
      |ten[eé]?\s+(?:en\s+cuenta|presente)|apunt[aá]|anot[aá]|memoriz[aá]|guard[aá]{_SPANISH_NO_WARNING}
      |(?:quiero|necesito)\s+q(?:ue)?\s+(?:recuerdes|te\s+acuerdes))
    (?:\s*,?\s*(?:por\s+favor|porfa(?:vor)?)\s*,?)?(?:\s+(?:de\s+)?(?:esto|siempre|bien|lo\s+siguiente))?
    (?:\s*,?\s+(?P<here_es>{scopes.SPANISH})\s*,?)?
    (?:(?:\s+de)?\s+q(?:ue)?\s+(?!te\s+(?:dij|cont|habl))
      |{_COLON}|\s*,\s*(?=(?:soy|tengo|estoy|vivo|me|mi|mis|no\s+(?:soy|tengo|como|bebo))\s+\S))"""
_FRENCH = rf"""
    (?:(?:ok|hé|hey|salut|bonjour|bon|et|mais|merci|ah|oui|non|stp|au\s+fait)\b[\s,!.:]*){{0,2}}
    (?:[^\W\d_]{{2,}}\s*,\s*)?(?:s['’]?(?:il\s+)?te\s+pla[iî]t\s*,?\s*)?
    (?:souvien[st][-\s]toi|souvenez[-\s]vous|rappelle[-\s]toi|(?:n['’])?oublie(?:z|s)?\s+(?:pas|jamais)
      |reti(?:ens|enez)|notez?|m[ée]morise[sz]?|enregistre[sz]?
      |(?:je\s+veux|j['’]aimerais|(?:il\s+)?faut)\s+que\s+tu\s+(?:retiennes|te\s+(?:souviennes|rappelles))
      |garde[sz]?\s+(?:bien\s+)?en\s+(?:t[êe]te|m[ée]moire))
    (?:[\s,]{{1,3}}(?:s['’]il\s+(?:te|vous)\s+pla[iî]t|stp|bien|ceci|(?:de\s)?[çc]a)){{0,3}}
    (?:\s*,?\s+(?P<here_fr>{scopes.FRENCH})\s*,?)?
    (?:(?:\s*,)?\s+(?:q(?:ue)?\s+(?!je\s+t['’]ai\s+(?:dit|parl|racont))|qu['’](?=\w))|{_COLON}
      |\s*,\s*(?=(?:je\s|j['’]|m(?:on|a|es)\s)))"""
RUSSIAN_PLEASE = r"(?:пожалуй?ста|пожалста|пжл?ст|пж|плиз|плз)"
# Statements about oneself that may follow without "что" and without a comma. Not "я тебя люблю".
_RUSSIAN_CLAUSE = r"""(?:(?![^.!?\n]{0,40}\b(?:теб[яе]|тобой|вас|рядом)\b)
    (?:я\s+\S+\s+\S|у\s+(?:меня|мо\w{1,2}\s+\w+)\s+\S|мне\s+(?:\d|нельзя\s|не\s|скоро\s)
      |(?:меня|мо\w{1,3}(?:\s+\w+){1,2})\s+зовут\s+\S
      |мо[йяёеи]\s+(?:\w+\s+){1,5}?(?:[–—-]\s|(?:это|живут|жив[её]т|работа[ею]т|люб[ия]т|учится|боле[ею]т
        |не)\s+\S|\w*\d)
      |мо[йяёеи]\s+(?!слова)(?:\w+\s+){0,2}\w+\s?[:=]\s*\S)
    |(?:мой\s+)?(?:код|пароль|пин-?код|пин|логин|номер|адрес)\b[^.!?\n]{0,40}\s\w*\d)"""
_RUSSIAN_OWN = rf"""(?:{_RUSSIAN_CLAUSE}
    |(?![^.!?\n]{{0,40}}\bтеб[яе]\b)(?:я|мо[йяёи]|мы|меня|мне|у\s+меня)\s+\S)"""
_RUSSIAN_THAT = r"\s*,?\s*что\s+(?!(?:я|мы)\s+(?:тебе\s+)?(?:сказал|говорил|просил|рассказ))"
_RUSSIAN = rf"""
    (?:(?:ок|окей|эй|привет|ну|и|а|но|да|нет|ой|так|вот|ещ[её]|спасибо|кстати|слушай|короче|ладно
      |хорошо|{RUSSIAN_PLEASE})\b[\s,!.:]*){{0,2}}
    (?:[^\W\d_]{{2,}}\s*,\s*)?(?:{RUSSIAN_PLEASE}\s*,?\s*)?(?:
      (?:(?:запомни|помни|учти|запиши|име(?:й|йте)\s+в\s?виду|сохрани(?=(?:\s+это)?\s*(?::|в\s+памят)))(?:те)?
        |заметка(?=\s*:)|на\s+будущее(?=[:,\s])
        |(?P<asks_ru>(?:ты\s+)?(?:можешь|могла?\s+бы)\s+(?:{RUSSIAN_PLEASE}\s+)?запомнить)
        |(?:я\s+)?хочу\s*,?\s+чтобы?\s+ты\s+(?:запомнила?|помнила?))
      (?:\s*,?\s+(?:{RUSSIAN_PLEASE}|себе|это(?=\s*:)|в\s+памят[иь])){{0,2}}
      (?:\s*,?\s+(?P<here_ru>{scopes.RUSSIAN}))?
      (?:{_RUSSIAN_THAT}|{_COLON}|\s*,\s*(?={_RUSSIAN_OWN})|\s+(?={_RUSSIAN_CLAUSE}))
    |не\s+(?:забудь|забывай)(?:те)?(?:\s*,?\s+{RUSSIAN_PLEASE})?
      (?:\s*,?\s+(?P<here_ru_2>{scopes.RUSSIAN}))?
      (?:{_RUSSIAN_THAT}|{_COLON}|\s*,\s*(?={_RUSSIAN_OWN})
        |\s+(?=у\s+меня\s+(?:\w+\s+){{2}}\w)(?![^.!?\n]*\bсво)))"""
_JAPANESE_WANTED = (
    r"(?:ください|下さい|くれ(?:る|ない|ます)?|もらえ(?:る|ます)?|ほしい(?:んだ)?(?:けど)?"
    r"|ね|よ|か)*"
)
_JAPANESE_KEEP = (
    r"(?:覚え(?:ておいて|といて|てて)|(?:記憶|記録|メモ)し(?:ておいて|といて)"
    r"|メモっ(?:ておいて|といて))"
)
# What statements about one's own life have: 私は左利き, 暗証番号は4711, パクチー無理.
_JAPANESE_FACT = (
    r"(?:私|わたし|あたし|僕|ぼく|俺|おれ|うち(?=[はのが])|自分|アレルギー|誕生日|パス(?:ワード|は)|番号|住所|コード"
    r"|合言葉|苦手|嫌い|無理|(?<!大)好き|(?:られ|飲め|食べ|飲ま)ない|名前は|[月火水木金土日]曜|\d)"
)
_JAPANESE_NOT_OF_YOU = r"(?![^。！!？?\n]{0,80}(?:君|あなた|お前|キミ|愛して))"
_JAPANESE = rf"""
    (?:(?:ねえ|あの|ちなみに|お願い|じゃあ|念のため|一応|今後のために)[、,\s]*)?(?:これ(?:だけ)?は?[、,\s]*)?
    (?:{_JAPANESE_KEEP}|(?:覚えて|(?:記憶|記録|メモ)して)(?=\s*[：:])
      |忘れないで(?=[ねよ：:、,\s]{{1,3}}{_JAPANESE_NOT_OF_YOU}[^。！!？?\n]{{0,40}}{_JAPANESE_FACT}))
    {_JAPANESE_WANTED}[：:、,\s?？]+(?=\S)(?![^。！!？?\n]{{1,40}}のこと(?:を|は)?[。！!\s]*\Z)"""
# "Lembra que …?" asks.
_PORTUGUESE = rf"""
    (?:(?:ok|oi|ol[áa]|ei|e|mas|ah|sim|n[ãa]o(?=\s?[,!.:])|obrigad[oa])\b[\s,!.:]*){{0,2}}
    (?:[^\W\d_]{{2,}}\s*,\s*)?(?:(?:por\s+favor|pfv?r?)\s*,?\s*)?
    (?:se\s+lembre|lembre(?:[-\s]se)?|lembra-te|(?:n[ãa]o|nunca)\s+(?:(?:se|te)\s+)?esque[çc]as?
      |anot[ae]|memoriz[ae]|(?:guard[ae]|grav[ae])(?=\s+(?:isso|isto|a[íi])\s*:)
      |tenha\s+em\s+mente|quero\s+que\s+(?:voc[êe]|vc)\s+(?:se\s+)?lembre)
    (?:\s*,?\s*(?:por\s+favor|pfv?r?)\s*,?)?(?:\s+(?:bem|sempre|isso|isto|a[íi]|o\s+seguinte))?
    (?:(?:\s+de)?\s+q(?:ue)?\s+(?!(?:eu\s+)?(?:te\s+)?(?:disse|contei|falei))|{_COLON}
      |\s*,\s*(?=(?:eu|sou|tenho|estou|t[ôo]|moro|me|meus?|minhas?|n[ãa]o\s+(?:sou|tenho|como|bebo))\s+\S))"""
_ITALIAN = rf"""
    (?:(?:ok|ehi|ciao|senti|e|ma|ah|s[ìi]|no|grazie)\b[\s,!.:]*){{0,2}}
    (?:[^\W\d_]{{2,}}\s*,\s*)?(?:per\s+favore\s*,?\s*)?
    (?:ricorda(?:ti)?|non\s+(?:(?:ti\s+)?(?:dimenticare|scordare)|(?:dimenticar|scordar)ti)(?:\s+mai)?
      |tieni\s+(?:a\s+mente|presente)|segnati|annota(?:ti)?|memorizza|voglio\s+che\s+(?:tu\s+)?ti\s+ricordi)
    (?:\s*,?\s*per\s+favore\s*,?)?(?:\s+(?:bene|sempre|questo|quanto\s+segue))?
    (?:\s+che\s+(?!(?:te\s+l['’]|ti\s+)?ho\s+(?:detto|raccontato|parlato))|{_COLON}
      |\s*,\s*(?=(?:io|sono|ho|vivo|abito|mi|(?:il|la)\s+mi[oa]|mi[oa]|non\s+(?:sono|ho|mangio|bevo))\s+\S))"""
_POLISH = rf"""
    (?:(?:ok|hej|cze[śs][ćc]|no|i|a|ale|tak|nie(?=\s?[,!.:])|dzi[ęe]ki|prosz[ęe])\b[\s,!.:]*){{0,2}}
    (?:[^\W\d_]{{2,}}\s*,\s*)?(?:prosz[ęe]\s*,?\s*)?
    (?:zapami[ęe]taj|pami[ęe]taj|nie\s+zapomn?ij|nie\s+zapominaj|zapisz|zanotuj|miej\s+na\s+uwadze)
    (?:\s+(?:sobie|prosz[ęe]|dobrze|zawsze|to)){{0,2}}
    (?:\s*,?\s+[żz]e\s+(?!(?:ci\s+)?(?:m[óo]wił|powiedział|opowiadał))|{_COLON}
      |\s*,\s*(?=(?:jestem|mam|mieszkam|m[óo]j|moj[ae]|nie\s+(?:jem|pij[ęe]|lubi[ęe]|mam|jestem))\s+\S))"""
_KOREAN = r"""
    (?:(?:그리고|아|참|저기)[,\s]*)?(?:이거|이것)?(?:은|는|를|만)?\s*(?:꼭\s+|잘\s+)?
    기억해\s?(?:줘요?|둬요?|주세요|두세요|놔)\s*:\s*(?=\S)"""
_FURTHER_LANGUAGES = (
    *(_GERMAN, _SPANISH, _FRENCH, _RUSSIAN, _JAPANESE),
    *(_PORTUGUESE, _ITALIAN, _POLISH, _KOREAN),
)
FURTHER = re.compile(
    _bounded(rf"\s*(?:{'|'.join(_FURTHER_LANGUAGES)})"),
    re.IGNORECASE | re.VERBOSE,
)
may_ask = quick_search(
    r"rem\w{0,2}b+er|memor[iy]|save|store|forget|in mind|for future|for the record|merk"
    r"|vergiss|vergessen|denk|speicher|notier|schreib|behalt|record|recuerd|acu.rd|acord.te"
    r"|olvide|ten.? (?:en|pres)|apunta|anota|guarda|souv|rappelle|oublie|reti|note|enregistre"
    r"|garde|lembr|esque|anot|grav|ten. em|ricord|dimentic|scord|tieni|segnat|annota"
    r"|zapam|pami|zapom|zapis|zanot|na uwadze"
)
# A Japanese statement, then the request: 卵アレルギーだって覚えておいてね。 "Of that day"
# (あの日のこと) states nothing.
JAPANESE_STATEMENT_FIRST = re.compile(
    _bounded(rf"""\s*(?P<statement>[^。！!？?\n「『]{{4,200}}?)(?:って|という|(?<=[だる])と|(?<!の))
    (?:な(?=の))?(?:(?:こと|の)(?:を|は)?|(?<=って)|(?<=[だる]と))[、,\s]*
    (?:(?P<here_ja>{scopes.JAPANESE})[、,\s]*)?(?:ちゃんと|絶対に?|必ず)?
    (?:{_JAPANESE_KEEP}|忘れないで){_JAPANESE_WANTED}(?:[。！!？?\s]+|\Z)"""),
    re.VERBOSE,
)
# 나 땅콩 알레르기 있다는 거 기억해 줘. "The day we met" (우리 만난 날) states nothing.
KOREAN_STATEMENT_FIRST = re.compile(
    _bounded(r"""\s*(?P<statement>[^.!?\n"“]{4,200}?(?:[다라]|[있없]))
    (?:고|는\s?(?:거|것|걸|점|사실)(?:을|만)?|[,.!]|(?<=[다라])[,.!]?)\s*
    (?:꼭\s+|잘\s+)?기억해\s?(?:줘요?|둬요?|주세요|두세요|놔)(?:[.!~\s]+|\Z)"""),
    re.VERBOSE,
)
_STATEMENT = r"[^.!?;\n。！？]{2,160}?"
_BREAK = r"\s{0,3}[,.;:!–—-]\s{0,3}"
_END = r"[\s.!~)]{0,9}\Z"
_ENGLISH_BEHIND = rf"""(?P<statement>(?:{_CLAUSE}){_STATEMENT}){_BREAK}
    (?:(?:so|and|{PLEASE}|always|just|you\s+should|you\s+have\s+to)\s+){{0,3}}
    (?:{_REMEMBER}|(?:do\s?n['’]?t|never)\s+(?:ever\s+)?forget|keep\s+in\s+mind|make\s+(?:a\s+)?note\s+of)
    \s+(?:that|this|it)(?:[\s,]{{1,3}}(?:{PLEASE}|ok(?:ay)?|for\s+(?:me|later|next\s+time))){{0,2}}"""
_GERMAN_BEHIND = rf"""(?P<statement>(?:ich|mein\w{{0,2}}|wir|unser\w{{0,2}})\s+{_STATEMENT})
    (?:{_BREAK}|\s{{1,3}}(?=merke?\s))
    (?:(?:und|also|bitte)\s+){{0,2}}(?:merke?\s+dir\s+(?:das|es)|vergiss\s+(?:das|es)\s+(?:nicht|nie)
      |(?<=bitte\s)(?:das\s+)?merken)
    (?:\s+(?:bitte|gut|mal|ja))?"""
_SPANISH_BEHIND = rf"""(?P<statement>(?:yo|soy|tengo|vivo|trabajo|estoy|mis?(?=\s+[^\s,]+\s+[^\s,])
    |no\s+(?:soy|tengo|como|bebo)|me)\s+{_STATEMENT}){_BREAK}(?:(?:y|por\s+favor)\s*,?\s+){{0,2}}(?:recu[eé]rdalo|record[aá]lo
      |acu[eé]rdate|acord[aá]te|no\s+(?:te\s+)?(?:lo\s+)?olvid[eé]s)
    (?:[\s,]{{1,3}}(?:por\s+favor|porfa(?:vor)?))?"""
_FRENCH_BEHIND = rf"""(?P<statement>
    (?:je\s|j['’]|j(?:suis|ai|habite|bosse|aime|mange|bois)\s|nous\s|m(?:on|a|es)\s(?=[^\s,]+\s+[^\s,]))
    {_STATEMENT}){_BREAK}(?:et\s+)?
    (?:souviens[-\s]t['’]en|rappelle[-\s]t['’]en|retiens[-\s]le|(?:ne\s+|n['’])?(?:l['’])?oublie\s+pas|note[-\s]le)
    (?:\s+(?:bien|stp))?"""
_RUSSIAN_BEHIND = rf"""(?P<statement>(?![^.!?\n]*\b(?:сказал|говорил|просил|велел|теб[яе]\b))
    (?:я|мо(?:[йяёеи]|его|ю|ей|им|их)|мы|у\s+меня|меня|мне|наш\w?|\w+\s+зовут
      |(?:код|пароль|пин|логин|номер|адрес)(?=[^.!?\n]*\d))\s+{_STATEMENT})
    (?:{_BREAK}|\s{{1,3}}(?=(?:запомни|не\s+забудь)(?:те)?\b))
    (?:(?:и|{RUSSIAN_PLEASE})\s+)?(?:запомни|учти|запиши|не\s+забудь|не\s+забывай)(?:те)?
    (?:\s+(?:это|себе))?(?:\s*,?\s*{RUSSIAN_PLEASE})?"""
_JAPANESE_BEHIND = rf"""(?P<statement>
    {_JAPANESE_NOT_OF_YOU}(?=[^。！!？?\n]{{0,80}}{_JAPANESE_FACT})
    [^。！!？?\n「『]{{3,120}}?)
    (?:[。！!、,\s]{{1,4}}|(?:んだ)?(?:から|けど|ので)[、,\s]{{0,3}})(?:これ|それ)?(?:ちゃんと|絶対に?|必ず)?
    (?:{_JAPANESE_KEEP}|忘れないで){_JAPANESE_WANTED}[\s。！!？?~～ー笑w]{{0,9}}\Z"""
_CHINESE_BEHIND = r"""(?P<statement>(?:我|咱)[^。！!？?\n]{2,80}?)[，,。；;\s]\s{0,3}
    (?:你|您)?(?:也|可|都)?(?:请|請|要|得|一定要?|务必|務必|千万|千萬|帮我|幫我|给我|給我){0,3}
    (?:[记記](?:住|好|牢|下来?|下來|一下)|(?:别|別|不要)忘(?:[记記]|了)?)
    (?:了|哦|啊|吧|呀|喔|噢|哈|啦|这个|這個|这一?点|這一?點|这件?事|這件?事){0,3}[\s。！!~～]{0,9}\Z"""
_WITH_END = (_CHINESE_BEHIND, _JAPANESE_BEHIND)
_OF_ONESELF = (
    *(_ENGLISH_BEHIND, _GERMAN_BEHIND, _SPANISH_BEHIND, _FRENCH_BEHIND, _RUSSIAN_BEHIND),
    *(_JAPANESE_BEHIND, _CHINESE_BEHIND),
)
_MAX_CHARS = 300
BEHIND = tuple(
    re.compile(
        rf"(?=[\s\S]{{0,{_MAX_CHARS}}}\Z)\s*{pattern}{'' if pattern in _WITH_END else _END}",
        re.IGNORECASE | re.VERBOSE,
    )
    for pattern in _OF_ONESELF
)
