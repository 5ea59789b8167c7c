"""The patterns of "remember that …" in all languages but English and Chinese.

Each needs the imperative at the beginning and then "that", a colon or a statement about oneself, so
that "merk dir das" and "recuerda la canción" stay talk. Japanese and Korean have the imperative at
the end. German keeps its "that", without which the verb at the end would make no sense.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Japanese punctuation)

import re

from . import this_chat_only as scopes


def _bounded(pattern: str) -> str:
    """Returns a pattern that reads at most nine blanks where this one reads any number.

    Without a bound, each optional group would scan a long run of blanks again: 50,000 of them
    would take minutes.
    """
    return re.sub(r"(\\s|\[[^\]]*\\s[^\]]*\])([*+])", _with_bounds, pattern)


def _with_bounds(found: re.Match[str]) -> str:
    return found[1] + ("{0,9}" if found[2] == "*" else "{1,9}")


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
JAPANESE_WANTED = (
    r"(?:ください|下さい|くれ(?:る|ない|ます)?|もらえ(?:る|ます)?|ほしい(?:んだ)?(?:けど)?"
    r"|ね|よ|か)*"
)
JAPANESE_KEEP = (
    r"(?:覚え(?:ておいて|といて|てて)|(?:記憶|記録|メモ)し(?:ておいて|といて)"
    r"|メモっ(?:ておいて|といて))"
)
# What statements about one's own life have: 私は左利き, 暗証番号は4711, パクチー無理.
JAPANESE_FACT = (
    r"(?:私|わたし|あたし|僕|ぼく|俺|おれ|うち(?=[はのが])|自分|アレルギー|誕生日|パス(?:ワード|は)|番号|住所|コード"
    r"|合言葉|苦手|嫌い|無理|(?<!大)好き|(?:られ|飲め|食べ|飲ま)ない|名前は|[月火水木金土日]曜|\d)"
)
JAPANESE_NOT_OF_YOU = r"(?![^。！!？?\n]{0,80}(?:君|あなた|お前|キミ|愛して))"
_JAPANESE = rf"""
    (?:(?:ねえ|あの|ちなみに|お願い|じゃあ|念のため|一応|今後のために)[、,\s]*)?(?:これ(?:だけ)?は?[、,\s]*)?
    (?:{JAPANESE_KEEP}|(?:覚えて|(?:記憶|記録|メモ)して)(?=\s*[：:])
      |忘れないで(?=[ねよ：:、,\s]{{1,3}}{JAPANESE_NOT_OF_YOU}[^。！!？?\n]{{0,40}}{JAPANESE_FACT}))
    {JAPANESE_WANTED}[：:、,\s?？]+(?=\S)(?![^。！!？?\n]{{1,40}}のこと(?:を|は)?[。！!\s]*\Z)"""
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
_LANGUAGES = (
    *(_GERMAN, _SPANISH, _FRENCH, _RUSSIAN, _JAPANESE),
    *(_PORTUGUESE, _ITALIAN, _POLISH, _KOREAN),
)
ASK = re.compile(
    _bounded(rf"\s*(?:{'|'.join(_LANGUAGES)})"),
    re.IGNORECASE | re.VERBOSE,
)
MAY_ASK = re.compile(
    r"rem\w{0,2}b+er|memor[iy]|save|store|forget|in mind|for future|for the record|merk"
    r"|vergiss|vergessen|denk|speicher|notier|schreib|behalt|record|recuerd|acu.rd|acord.te"
    r"|olvide|ten.? (?:en|pres)|apunta|anota|guarda|souv|rappelle|oublie|reti|note|enregistre"
    r"|garde|lembr|esque|anot|grav|ten. em|ricord|dimentic|scord|tieni|segnat|annota"
    r"|zapam|pami|zapom|zapis|zanot|na uwadze",
    re.IGNORECASE,
)
# A Japanese statement, then the request: 卵アレルギーだって覚えておいてね。 "Of that day"
# (あの日のこと) states nothing.
AT_THE_END = re.compile(
    _bounded(rf"""\s*(?P<statement>[^。！!？?\n「『]{{4,200}}?)(?:って|という|(?<=[だる])と|(?<!の))
    (?:な(?=の))?(?:(?:こと|の)(?:を|は)?|(?<=って)|(?<=[だる]と))[、,\s]*
    (?:(?P<here_ja>{scopes.JAPANESE})[、,\s]*)?(?:ちゃんと|絶対に?|必ず)?
    (?:{JAPANESE_KEEP}|忘れないで){JAPANESE_WANTED}(?:[。！!？?\s]+|\Z)"""),
    re.VERBOSE,
)
# 나 땅콩 알레르기 있다는 거 기억해 줘. "The day we met" (우리 만난 날) states nothing.
KOREAN_AT_THE_END = re.compile(
    _bounded(r"""\s*(?P<statement>[^.!?\n"“]{4,200}?(?:[다라]|[있없]))
    (?:고|는\s?(?:거|것|걸|점|사실)(?:을|만)?|[,.!]|(?<=[다라])[,.!]?)\s*
    (?:꼭\s+|잘\s+)?기억해\s?(?:줘요?|둬요?|주세요|두세요|놔)(?:[.!~\s]+|\Z)"""),
    re.VERBOSE,
)
_MIN_WORDS = 2
_KANA = re.compile("[\u3041-\u30ff]")


def is_request(match: re.Match[str], statement: str) -> bool:
    """Returns whether the request has a statement; AT_THE_END finds none without one."""
    return match.re is AT_THE_END or is_statement(statement)


def is_statement(argument: str) -> bool:
    """Returns whether the text is long enough to state something."""
    return len(argument.split()) >= _MIN_WORDS or bool(_KANA.search(argument))
