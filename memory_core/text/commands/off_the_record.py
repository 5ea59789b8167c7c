"""Recognises "don't remember this: …" in plain words, at the beginning or the end of a message.

The same words may tell what somebody has forgotten ("don't remember that, sorry"), or mean a thing
("don't keep it"). So most need a colon, a "please", brackets, or the memory by its name. "This
stays between us" asks for no such thing: a secret is told to be known.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese punctuation)

import re

from .english import LONGEST_START, PLEASE
from .further_languages import RUSSIAN_PLEASE

_LONGEST_END = 120  # letters at the end of a message that are searched
MAY_ASK = re.compile(
    r"remember|memori|save|store|record|log\b|memory|merk|speicher|notier|behalt|guard|acuerd|recuerd|regist"
    r"|anot|apunt|grab|reti?en|souvien|mémoi?r|gedächtnis|note|enregistr|sauvegard|garde|запомин|сохраня|записыва|для\s(?:записи|протокола)|[记記录錄存]|ないで|覚えなくて|オフレコ"
    "|grav|salv|lembr|ricord|conserv|zapami|zapisuj|notuj|zachowuj|하지 ?[마말]",
    re.IGNORECASE,
)
_PLEASE = rf"(?:{PLEASE}|kindly)"
_THIS = r"""(?:this(?:\ (?:message|one|part|bit))?|that|the\ following|what\ follows
    |what\ i(?:['’]m|\ am)?\ (?:about\ to|going\ to|gonna)\ (?:say|tell\ you))"""
_IN_MEMORY = r"(?:\s(?:in|to|into)\s(?:your|the|long[- ]term)\smemor(?:y|ies))"
_ENGLISH_NO = r"(?:do\s?n['’]?t|do\snot|never)\s(?:(?:you|ever|ever\s+you)\s)?"
_KEEPS = r"(?:remember|memori[sz]e|save|store|log)"
# These need the memory by its name, or a colon: "don't keep it, throw it away".
_ALSO_KEEPS = r"(?:record|note|keep|add|put|write\sdown|commit)"
_ENGLISH_ASK = rf"{_ENGLISH_NO}{_KEEPS}\s{_THIS}"
_ENGLISH_NAMED = rf"{_ENGLISH_NO}(?:{_KEEPS}|{_ALSO_KEEPS})\s{_THIS}{_IN_MEMORY}"
_ENGLISH_LOUD = rf"""(?:{_PLEASE}\s(?:just\s)?{_ENGLISH_ASK}{_IN_MEMORY}?
    |{_ENGLISH_ASK}{_IN_MEMORY}?,?\s{_PLEASE}\b
    |{_ENGLISH_NAMED}
    |(?:(?:there['’]?s\s)?no\sneed\sto|you\s(?:do\s?n['’]?t|do\snot)\s(?:have|need)\sto)
      \s(?:(?:remember|memori[sz]e)\sthis(?:\smessage)?|{_KEEPS}\sthis(?:\smessage)?{_IN_MEMORY})
    |(?:{_PLEASE}\s)?(?:keep|leave)\s{_THIS}\s(?:off\sthe\srecord|out\sof\s(?:your|the)\smemory)
    |this\s(?:is|stays)\soff\sthe\srecord)"""
_ENGLISH_QUIET = rf"(?:{_ENGLISH_NO}(?:{_KEEPS}|{_ALSO_KEEPS})\s{_THIS}|off\sthe\srecord)"
_GERMAN = r"""
    (?:(?:bitte\s)?(?:merke?\sdir|speicher[en]?)
      \s(?:das|dies(?:es|e\snachricht)?|folgendes|was\sjetzt\skommt)
      (?:\s(?:bitte|jetzt|mal|lieber|aber|hier|folgende)){0,3}\snicht(?:,?\sbitte)?
      |bitte\s(?:das\s)?nicht\s(?:merken|(?:ab)?speichern|notieren)
      |(?:bitte\s)?behalte?\s(?:das|dies|diese\snachricht)\s(?:bitte\s)?nicht\sim\sgedächtnis
      |(?:das|dies|diese\snachricht)\s(?:soll|gehört)\snicht\sin\s(?:dein|deine[mn])\s
        (?:gedächtnis|erinnerungen|speicher)
      |das\s(?:bitte|hier|jetzt)(?:\sbitte)?\snicht\s(?:merken|speichern|notieren)
      |das\s(?:musst|brauchst|sollst|darfst)\sdu\s(?:dir\s)?(?:bitte\s)?nicht\s
        (?:(?:zu\s)?merken|(?:ab)?speichern)
      |(?:das\s)?nicht\s(?:merken|speichern),?\sbitte)"""
_GERMAN_QUIET = r"(?:das\s)?nicht\s(?:merken|speichern|notieren)"
_SPANISH_THIS = r"(?:esto|eso|este\smensaje|lo\ssiguiente|lo\sque\sviene)"
_SPANISH_KEEPS = r"(?:guard[eé]s|registr[eé]s|anot[eé]s|apunt[eé]s|grab[eé]s)"
_SPANISH_KEEP = rf"no\s(?:lo\s)?{_SPANISH_KEEPS}\s{_SPANISH_THIS}"
_SPANISH_KEEP_TEXT = rf"{_SPANISH_KEEP}(?<!eso)"  # "por favor no guardes eso, tíralo"
_SPANISH_UNWANTED = (
    rf"no\squiero\sq(?:ue)?\s(?:recuerdes|te\sacuerdes\sde|{_SPANISH_KEEPS})\s{_SPANISH_THIS}"
)
_SPANISH_KEEP_IT = rf"(?:{_SPANISH_THIS}\s)?no\slo\s(?:{_SPANISH_KEEPS}|recuerdes|record[eé]s)"
_SPANISH_RECALL = (
    rf"no\s(?:recuerdes|record[eé]s|te\sacuerdes\sde|te\sacord[eé]s\sde|recuerde)\s{_SPANISH_THIS}"
)
_SPANISH_PLEASE = r"(?:por\sfavor|porfa(?:vor)?)"
_SPANISH = rf"""
    (?:(?:{_SPANISH_PLEASE},?\s)?no\smemori[cz][eé]s\s{_SPANISH_THIS}(?:,?\s{_SPANISH_PLEASE})?
      |(?:{_SPANISH_KEEP}|{_SPANISH_KEEP_IT})\sen\s(?:tu|la)\smemoria
      |(?:no\squiero\sq(?:ue)?\sesto\squede|q(?:ue)?\sesto\sno\squede)\sen\stu\smemoria
      |no\s(?:hace\sfalta|es\snecesario)\sq(?:ue)?\s
        (?:recuerdes|record[eé]s|te\sacuerdes\sde|te\sacord[eé]s\sde)\s{_SPANISH_THIS}(?<!eso)
      |{_SPANISH_PLEASE},?\s(?:{_SPANISH_RECALL}|{_SPANISH_KEEP_TEXT})
      |(?:{_SPANISH_RECALL}|{_SPANISH_KEEP_TEXT}),?\s{_SPANISH_PLEASE})"""
_FRENCH_THIS = r"(?:[çc]a|cela|ceci|ce\smessage|ce\squi\ssuit)"
_FRENCH_PLEASE = r"(?:s['’]?(?:il\s)?te\spla[iî]t|stp)"
# These need a colon or a "please": "ne note pas ça, c'est faux".
_FRENCH_NOTE = rf"(?:ne\s)?note\spas\s{_FRENCH_THIS}"
_FRENCH_UNWANTED = (
    rf"je\s(?:ne\s)?veux\spas\sque\stu\s(?:retiennes|notes|enregistres)\s{_FRENCH_THIS}"
)
_FRENCH_KEEP = rf"(?:ne\s)?garde\spas\s{_FRENCH_THIS}"
_FRENCH = rf"""
    (?:(?:{_FRENCH_PLEASE},?\s)?(?:ne\s|n['’])?
      (?:(?:retiens|m[ée]morise|enregistre|sauvegarde|te\ssouviens)\spas\s(?:de\s)?
      {_FRENCH_THIS}(?:\sen\sm[ée]moire)?
      |(?:garde|mets)\spas\s{_FRENCH_THIS}\s(?:en|dans\sta)\sm[ée]moire)(?:,?\s{_FRENCH_PLEASE})?
      |(?:(?:tu\s(?:n['’])?|t['’]?)as\s)?pas\sbesoin\sde\s(?:retenir|m[ée]moriser)\s{_FRENCH_THIS}
      |{_FRENCH_PLEASE},?\s{_FRENCH_NOTE}|{_FRENCH_NOTE},?\s{_FRENCH_PLEASE})"""
_RUSSIAN_NO = r"не\s(?:запоминай|сохраняй|записывай)(?:те)?"
_RUSSIAN_KEEP = r"(?:запоминать|сохранять|записывать)"
_RUSSIAN_THIS = r"(?:это(?:\sсообщение)?|этого|следующее)"
_RUSSIAN = rf"""
    (?:(?:{RUSSIAN_PLEASE},?\s)?{_RUSSIAN_NO}(?:\s{RUSSIAN_PLEASE})?\s{_RUSSIAN_THIS}
        (?:\sв\sпамят[иь])?(?:,?\s{RUSSIAN_PLEASE})?
      |{_RUSSIAN_THIS},?\s(?:{RUSSIAN_PLEASE},?\s)?{_RUSSIAN_NO}
        (?:\sв\sпамят[иь])?(?:,?\s{RUSSIAN_PLEASE})?
      |(?:это\s)?(?:строго\s)?(?:между\sнами|по\sсекрету),?\s{_RUSSIAN_NO}(?:\sэто)?
      |(?:только|тока|ток)\s(?:это\s)?{_RUSSIAN_NO}(?:\s{_RUSSIAN_THIS})?(?:,?\s{RUSSIAN_PLEASE})?
      |это\sне\s(?:надо|нужно)\s{_RUSSIAN_KEEP}|это\s{_RUSSIAN_KEEP}\sне\s(?:надо|нужно)
      |не\s(?:надо|нужно)\s(?:это\s{_RUSSIAN_KEEP}|{_RUSSIAN_KEEP}\sэто)
      |это\sне\sдля\s(?:записи|протокола))"""
_RUSSIAN_QUIET = rf"(?:{_RUSSIAN_NO}|не\sдля\s(?:записи|протокола))"
_HAN = "\u4e00-\u9fff"
_CHINESE_NO = r"(?:不要|不许|不許|别|別)"
_CHINESE_KEEP = r"(?:[记記](?:住|[录錄]|下来|下來|下|得)?|保存|存(?:下来|下來|下)?)"
_CHINESE_LEARN = r"[记記](?:住|得|下来|下來|下)?"  # 这个你不用存 is about files
_CHINESE_THIS = r"""(?:[这這](?:个|個|条|條|句话|句話|句|件事|些|段话|段話)(?:消息|内容|內容|话|話)?
    |[这這](?:事|话|話)
    |(?:下面|以下|接下来|接下來)(?:的|[这這])?(?:内容|內容|话|話|句话|句話|事)?|我(?:接下来|接下來|下面)[说說講讲]的)"""
_CHINESE = rf"""
    (?:(?:[请請拜麻][你您托託烦煩]?)?(?:你|您)?{_CHINESE_NO}{_CHINESE_KEEP}{_CHINESE_THIS}
      |{_CHINESE_THIS}(?:[请請])?(?:你|您)?(?:就)?{_CHINESE_NO}{_CHINESE_KEEP}
      |(?:[请請拜麻][你您托託烦煩]?)?(?:你|您)?{_CHINESE_NO}把{_CHINESE_THIS}
        (?:[记記](?:住|[录錄]|下来|下來|下)|保存|存(?:下来|下來|下))
      |(?:你|您)不用{_CHINESE_LEARN}{_CHINESE_THIS}|{_CHINESE_THIS}(?:你|您)不用{_CHINESE_LEARN})[了啦哦喔啊呀哈]?"""
_CHINESE_QUIET = rf"(?:{_CHINESE_NO}(?:[记記]住|[记記][录錄]|[记記]下来?|保存))"
_CHINESE_BRACKETED = rf"(?:{_CHINESE_NO}[记記])"
_JAPANESE_THIS = (
    r"(?:これ|今の|このこと|この話|この件|次の(?:話|こと)|以下|今(?:言った|話した)こと)"
)
_JAPANESE_NO = r"""
    (?:覚え|記憶し|記録し|保存し|メモし|メモら|(?:記憶|記録|メモリー?)に(?:残さ|入れ))ないで
    (?:ください|下さい|くれ|ほしい|おいて|ね|よ){0,3}"""
# Without "this", a file may be meant: 壊れるから保存しないで.
_JAPANESE_NO_ALONE = r"(?:覚え|記憶し|記録し|(?:記憶|記録)に残さ)ないで"
_JAPANESE = rf"""
    (?:{_JAPANESE_THIS}(?:の?(?:こと|話|内容))?(?:は|を|も)?{_JAPANESE_NO}
    |(?:{_JAPANESE_THIS}(?:は|を)?)?覚えなくて(?:も)?いい(?:です)?(?:から|んだ?け(?:れ)?ど|け(?:れ)?ど|[ねよ]){{1,2}}
    |(?:これは?|ここだけの話(?:だから|なので)|内緒だから)、?{_JAPANESE_NO}
    |{_JAPANESE_NO_ALONE}(?:ください|下さい|くれ|ほしい(?:んだ)?(?:けど)?|ね|よ){{1,3}}
    |(?:これは?|ここからは?|今の話は?)?オフレコ(?:で(?:お願い(?:します)?)?|(?:な(?:ん|の))?だ(?:けど|から)|ね|だよ))"""
_JAPANESE_QUIET = rf"(?:{_JAPANESE_NO_ALONE}|メモしないで|オフレコ)"
_PORTUGUESE_PLEASE = r"(?:por\sfavor|pfv?r?)"
_PORTUGUESE_THIS = (
    r"(?:isso|isto|ess?ta?\smensagem|o\sseguinte|o\sque\s(?:eu\s)?vou\s(?:dizer|falar|contar))"
)
_PORTUGUESE_KEEP = (
    rf"n[ãa]o\s(?:(?:guard|grav|anot|registr|salv)[ae]|lembr[ae](?:\sde)?)\s{_PORTUGUESE_THIS}"
)
_PORTUGUESE = rf"""
    (?:(?:{_PORTUGUESE_PLEASE},?\s)?n[ãa]o\smemoriz[ae]\s{_PORTUGUESE_THIS}(?:,?\s{_PORTUGUESE_PLEASE})?
      |{_PORTUGUESE_KEEP}\sna\s(?:(?:sua|tua)\s)?mem[óo]ria
      |{_PORTUGUESE_PLEASE},?\s{_PORTUGUESE_KEEP}|{_PORTUGUESE_KEEP},?\s{_PORTUGUESE_PLEASE})"""
_ITALIAN_THIS = (
    r"(?:questo(?:\smessaggio)?|questa\scosa|quanto\ssegue|quello\sche\ssto\sper\sdir(?:e|ti))"
)
_ITALIAN_KEEP = rf"non\s(?:ricordare|salvare|registrare|annotare|conservare)\s{_ITALIAN_THIS}"
_ITALIAN = rf"""
    (?:(?:per\sfavore,?\s)?non\smemorizzare\s{_ITALIAN_THIS}(?:,?\sper\sfavore)?
      |{_ITALIAN_KEEP}\snella\s(?:tua\s)?memoria
      |per\sfavore,?\s{_ITALIAN_KEEP}|{_ITALIAN_KEEP},?\sper\sfavore)"""
_POLISH_KEEP = r"nie\s(?:zapisuj|notuj|zachowuj)\stego"
_POLISH = rf"""
    (?:(?:prosz[ęe],?\s)?(?:nie\szapami[ęe]tuj\s(?:tego|tej\swiadomo[śs]ci)|tego\snie\szapami[ęe]tuj)
        (?:\sw\spami[ęe]ci)?(?:,?\sprosz[ęe])?
      |{_POLISH_KEEP}\sw\spami[ęe]ci|prosz[ęe],?\s{_POLISH_KEEP}|{_POLISH_KEEP},?\sprosz[ęe])"""
_KOREAN = r"""
    (?:(?:이거|이건|이것|이\s?(?:말|얘기|이야기|메시지)|다음\s?(?:말|내용))(?:은|는|을|를)?\s
      (?:기억|저장|기록)하지\s?(?:마|말아)(?:요|\s?줘요?|\s?주세요|세요)?)"""
_LOUD_PATTERNS = (
    *(_ENGLISH_LOUD, _GERMAN, _SPANISH, _FRENCH, _RUSSIAN, _CHINESE, _JAPANESE),
    *(_PORTUGUESE, _ITALIAN, _POLISH, _KOREAN),
)
_LOUD = f"(?:{'|'.join(_LOUD_PATTERNS)})"
_QUIET = (
    "(?:"
    + "|".join(
        (
            _ENGLISH_QUIET,
            _GERMAN_QUIET,
            _SPANISH_RECALL,
            _SPANISH_KEEP,
            _SPANISH_KEEP_IT,
            _SPANISH_UNWANTED,
            _FRENCH_NOTE,
            _FRENCH_KEEP,
            _FRENCH_UNWANTED,
            _RUSSIAN_QUIET,
            _CHINESE_QUIET,
            _JAPANESE_QUIET,
            _PORTUGUESE_KEEP,
            _ITALIAN_KEEP,
            _POLISH_KEEP,
        )
    )
    + ")"
)
_LEAD_IN = r"""(?:(?:ok(?:ay)?|hey|hi|hello|so|and|but|also|oh|btw|by\sthe\sway|well|now|um|uh
    |lol|hallo|ach|und|aber|übrigens|oye|hola|bueno|y|pero|et|mais|au\sfait|ну|и|а|кстати
    |对了|對了|那个|那個|ねえ|あの)\b[\s,，、!:.…]{0,4}){0,2}"""
_AT_THE_START = re.compile(
    rf"""\s{{0,9}}{_LEAD_IN}(?:
      {_LOUD}(?P<brackets>\s?[)）\]])?(?:\s?[:：,，、;；.。!！…—–-]|(?<=[{_HAN}])\s+(?=[{_HAN}])|\s(?:but|aber|pero|mais|но)\b|(?<=けど)(?=\S)|\s?\Z)
      |{_QUIET}\s?[:：]
      |[(（\[]\s?(?:{_LOUD}|{_QUIET}|{_CHINESE_BRACKETED})\s?[.!。！]?\s?[)）\]])
    [\s:：,，、;；.。!！…—–-]{{0,9}}""",
    re.IGNORECASE | re.VERBOSE,
)
_AT_THE_END = re.compile(
    rf"""(?:(?:^|[,，;；.。!！?？…、—–\n-]|\b(?:and|but|so|und|aber|y|pero|et|mais|но)|(?<=けど)|(?<=から)
      |\s(?=(?:только|тока|ток)\s))\s?{_LOUD}
      |[(（\[]\s?(?:{_LOUD}|{_QUIET}|{_CHINESE_BRACKETED}))
    [\s.。!！~～…)）\]]{{0,9}}\Z""",
    re.IGNORECASE | re.VERBOSE,
)


def text_beside_request(text: str) -> str | None:
    """Returns what a message says beside such a request, which may be nothing.

    Returns None for a message without one.
    """
    end = max(0, len(text) - _LONGEST_END)
    if not (MAY_ASK.search(text, 0, LONGEST_START) or MAY_ASK.search(text, end)):
        return None
    if match := _AT_THE_START.match(text):
        return text[match.end() :].strip()
    match = _AT_THE_END.search(text, end)
    return None if match is None else text[: match.start()].strip()
