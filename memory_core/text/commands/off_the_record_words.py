"""The words of "don't remember this" in each language, as parts of patterns.

LOUD ones ask whoever reads them. QUIET ones may be talk, and need a colon or brackets.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese punctuation)

from . import english
from .further_languages import RUSSIAN_PLEASE

LEAD_IN = r"""(?:(?:ok(?:ay)?|hey|hi|hello|so|and|but|also|oh|btw|by\sthe\sway|well|now|um|uh
    |lol|hallo|ach|und|aber|übrigens|oye|hola|bueno|y|pero|et|mais|au\sfait|ну|и|а|кстати
    |对了|對了|那个|那個|ねえ|あの)\b[\s,，、!:.…]{0,4}){0,2}"""
ENGLISH_PLEASE = rf"(?:{english.PLEASE}|kindly)"
ENGLISH_THIS = r"""(?:(?:this|dis)(?:\ (?:message|one|part|bit))?|that|the\ following|what\ follows
    |what\ i(?:['’]?m|\ am)?\ (?:about\ to|going\ to|gonna)\ (?:say|tell\ you))"""
ENGLISH_IN_MEMORY = r"(?:\s(?:in|to|into)\s(?:your|the|long[- ]term)\smemor(?:y|ies))"
ENGLISH_NO = r"(?:do\s?n['’]?t|do\snot|never)\s(?:(?:you|u|ever|ever\s+you)\s)?"
ENGLISH_KEEPS = r"(?:remember|memori[sz]e|save|store|log)"
# These need the memory by its name, or a colon: "don't keep it, throw it away".
ENGLISH_ALSO_KEEPS = r"(?:record|note|keep|add|put|write\sdown|commit)"
ENGLISH_ASK = rf"{ENGLISH_NO}{ENGLISH_KEEPS}\s{ENGLISH_THIS}"
ENGLISH_ASK_ALSO = rf"{ENGLISH_NO}(?:{ENGLISH_KEEPS}|{ENGLISH_ALSO_KEEPS})\s{ENGLISH_THIS}"
ENGLISH_NAMED = rf"{ENGLISH_ASK_ALSO}{ENGLISH_IN_MEMORY}"
ENGLISH_LOUD = rf"""(?:{ENGLISH_PLEASE}\s(?:just\s)?{ENGLISH_ASK}{ENGLISH_IN_MEMORY}?
    |{ENGLISH_ASK}{ENGLISH_IN_MEMORY}?,?\s{ENGLISH_PLEASE}\b
    |{ENGLISH_NAMED}
    |(?:(?:there['’]?s\s)?no\sneed\sto|you\s(?:do\s?n['’]?t|do\snot)\s(?:have|need)\sto)
      \s(?:(?:remember|memori[sz]e)\sthis(?:\smessage)?|{ENGLISH_KEEPS}\sthis(?:\smessage)?{ENGLISH_IN_MEMORY})
    |(?:{ENGLISH_PLEASE}\s)?(?:keep|leave)\s{ENGLISH_THIS}\s(?:off\sthe\srecord|out\sof\s(?:your|the)\smemory)
    |this\s(?:is|stays)\soff\sthe\srecord)"""
ENGLISH_QUIET = rf"(?:{ENGLISH_ASK_ALSO}|off\sthe\srecord)"
GERMAN = r"""
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
GERMAN_QUIET = r"(?:das\s)?nicht\s(?:merken|speichern|notieren)"
SPANISH_THIS = r"(?:esto|eso|este\smensaje|lo\ssiguiente|lo\sque\sviene)"
SPANISH_KEEPS = r"(?:guard[eé]s|registr[eé]s|anot[eé]s|apunt[eé]s|grab[eé]s)"
SPANISH_KEEP = rf"no\s(?:lo\s)?{SPANISH_KEEPS}\s{SPANISH_THIS}"
SPANISH_KEEP_TEXT = rf"{SPANISH_KEEP}(?<!eso)"  # "por favor no guardes eso, tíralo"
SPANISH_UNWANTED = (
    rf"no\squiero\sq(?:ue)?\s(?:recuerdes|te\sacuerdes\sde|{SPANISH_KEEPS})\s{SPANISH_THIS}"
)
SPANISH_KEEP_IT = rf"(?:{SPANISH_THIS}\s)?no\slo\s(?:{SPANISH_KEEPS}|recuerdes|record[eé]s)"
SPANISH_RECALL = (
    rf"no\s(?:recuerdes|record[eé]s|te\sacuerdes\sde|te\sacord[eé]s\sde|recuerde)\s{SPANISH_THIS}"
)
SPANISH_PLEASE = r"(?:por\sfavor|por\s?fa(?:vor)?)"
SPANISH = rf"""
    (?:(?:{SPANISH_PLEASE},?\s)?no\smemori[cz][eé]s\s{SPANISH_THIS}(?:,?\s{SPANISH_PLEASE})?
      |(?:{SPANISH_KEEP}|{SPANISH_KEEP_IT})\sen\s(?:tu|la)\smemoria
      |(?:no\squiero\sq(?:ue)?\sesto\squede|q(?:ue)?\sesto\sno\squede)\sen\stu\smemoria
      |no\s(?:hace\sfalta|es\snecesario)\sq(?:ue)?\s
        (?:recuerdes|record[eé]s|te\sacuerdes\sde|te\sacord[eé]s\sde)\s{SPANISH_THIS}(?<!eso)
      |{SPANISH_PLEASE},?\s(?:{SPANISH_RECALL}|{SPANISH_KEEP_TEXT})
      |(?:{SPANISH_RECALL}|{SPANISH_KEEP_TEXT}),?\s{SPANISH_PLEASE})"""
FRENCH_THIS = r"(?:[çc]a|cela|ceci|ce\smessage|ce\squi\ssuit)"
FRENCH_PLEASE = r"(?:s['’]?(?:il\s)?te\spla[iî]t|stp)"
# These need a colon or a "please": "ne note pas ça, c'est faux".
FRENCH_NOTE = rf"(?:ne\s)?note\spas\s{FRENCH_THIS}"
FRENCH_UNWANTED = (
    rf"je\s(?:ne\s)?veux\spas\sque\stu\s(?:retiennes|notes|enregistres)\s{FRENCH_THIS}"
)
FRENCH_KEEP = rf"(?:ne\s)?garde\spas\s{FRENCH_THIS}"
FRENCH = rf"""
    (?:(?:{FRENCH_PLEASE},?\s)?(?:ne\s|n['’])?
      (?:(?:retiens|m[ée]morise|enregistre|sauvegarde|te\ssouviens)\spas\s(?:de\s)?
      {FRENCH_THIS}(?:\sen\sm[ée]moire)?
      |(?:garde|mets)\spas\s{FRENCH_THIS}\s(?:en|dans\sta)\sm[ée]moire)(?:,?\s{FRENCH_PLEASE})?
      |(?:(?:tu\s(?:n['’])?|t['’]?)as\s)?pas\sbesoin\sde\s(?:retenir|m[ée]moriser)\s{FRENCH_THIS}
      |{FRENCH_PLEASE},?\s{FRENCH_NOTE}|{FRENCH_NOTE},?\s{FRENCH_PLEASE})"""
RUSSIAN_NO = r"не\s(?:запоминай|сохраняй|записывай)(?:те)?"
RUSSIAN_KEEP = r"(?:запоминать|сохранять|записывать)"
RUSSIAN_THIS = r"(?:это(?:\sсообщение)?|этого|следующее)"
RUSSIAN = rf"""
    (?:(?:{RUSSIAN_PLEASE},?\s)?{RUSSIAN_NO}(?:\s{RUSSIAN_PLEASE})?\s{RUSSIAN_THIS}
        (?:\sв\sпамят[иь])?(?:,?\s{RUSSIAN_PLEASE})?
      |{RUSSIAN_THIS},?\s(?:{RUSSIAN_PLEASE},?\s)?{RUSSIAN_NO}
        (?:\sв\sпамят[иь])?(?:,?\s{RUSSIAN_PLEASE})?
      |(?:это\s)?(?:строго\s)?(?:между\sнами|по\sсекрету),?\s{RUSSIAN_NO}(?:\sэто)?
      |(?:только|тока|ток)\s(?:это\s)?{RUSSIAN_NO}(?:\s{RUSSIAN_THIS})?(?:,?\s{RUSSIAN_PLEASE})?
      |это\sне\s(?:надо|нужно)\s{RUSSIAN_KEEP}|это\s{RUSSIAN_KEEP}\sне\s(?:надо|нужно)
      |не\s(?:надо|нужно)\s(?:это\s{RUSSIAN_KEEP}|{RUSSIAN_KEEP}\sэто)
      |это\sне\sдля\s(?:записи|протокола))"""
RUSSIAN_QUIET = rf"(?:{RUSSIAN_NO}|не\sдля\s(?:записи|протокола))"
HAN = "\u4e00-\u9fff"
CHINESE_NO = r"(?:不要|不许|不許|别|別)"
CHINESE_KEEP = r"(?:[记記](?:住|[录錄]|下来|下來|下|得)?|保存|存(?:下来|下來|下)?)"
CHINESE_LEARN = r"[记記](?:住|得|下来|下來|下)?"  # 这个你不用存 is about files
CHINESE_THIS = r"""(?:[这這](?:个|個|条|條|句话|句話|句|件事|些|段话|段話)(?:消息|内容|內容|话|話)?
    |[这這](?:事|话|話)
    |(?:下面|以下|接下来|接下來)(?:的|[这這])?(?:内容|內容|话|話|句话|句話|事)?|我(?:接下来|接下來|下面)[说說講讲]的)"""
CHINESE = rf"""
    (?:(?:[请請拜麻][你您托託烦煩]?)?(?:你|您)?{CHINESE_NO}{CHINESE_KEEP}{CHINESE_THIS}
      |{CHINESE_THIS}(?:[请請])?(?:你|您)?(?:就)?{CHINESE_NO}{CHINESE_KEEP}
      |(?:[请請拜麻][你您托託烦煩]?)?(?:你|您)?{CHINESE_NO}把{CHINESE_THIS}
        (?:[记記](?:住|[录錄]|下来|下來|下)|保存|存(?:下来|下來|下))
      |(?:你|您)不用{CHINESE_LEARN}{CHINESE_THIS}|{CHINESE_THIS}(?:你|您)不用{CHINESE_LEARN})[了啦哦喔啊呀哈]?"""
CHINESE_QUIET = rf"(?:{CHINESE_NO}(?:[记記]住|[记記][录錄]|[记記]下来?|保存))"
CHINESE_BRACKETED = rf"(?:{CHINESE_NO}[记記])"
JAPANESE_THIS = (
    r"(?:これ|今の|このこと|この話|この件|次の(?:話|こと)|以下"
    r"|今(?:言った|話した|から(?:言う|話す))こと)"
)
JAPANESE_NO = r"""
    (?:覚え|記憶し|記録し|保存し|メモし|メモら|(?:記憶|記録|メモリー?)に(?:残さ|入れ))ないで
    (?:ください|下さい|くれ|ほしい|おいて|ね|よ){0,3}"""
# Without "this", a file may be meant: 壊れるから保存しないで.
JAPANESE_NO_ALONE = r"(?:覚え|記憶し|記録し|(?:記憶|記録)に残さ)ないで"
JAPANESE = rf"""
    (?:{JAPANESE_THIS}(?:の?(?:こと|話|内容))?(?:は|を|も)?{JAPANESE_NO}
    |(?:{JAPANESE_THIS}(?:は|を)?)?覚えなくて(?:も)?いい(?:です)?(?:から|んだ?け(?:れ)?ど|け(?:れ)?ど|[ねよ]){{1,2}}
    |(?:これは?|ここだけの話(?:だから|なので)|内緒だから)、?{JAPANESE_NO}
    |{JAPANESE_NO_ALONE}(?:ください|下さい|くれ|ほしい(?:んだ)?(?:けど)?|ね|よ){{1,3}}
    |(?:これは?|ここからは?|今の話は?)?オフレコ(?:で(?:お願い(?:します)?)?|(?:な(?:ん|の))?だ(?:けど|から)|ね|だよ))"""
JAPANESE_QUIET = rf"(?:{JAPANESE_NO_ALONE}|メモしないで|オフレコ)"
PORTUGUESE_PLEASE = r"(?:por\sfavor|pfv?r?)"
PORTUGUESE_THIS = (
    r"(?:isso|isto|es[st]a\smensagem|o\sseguinte|o\sque\s(?:eu\s)?vou\s(?:dizer|falar|contar))"
)
PORTUGUESE_KEEP = (
    rf"n[ãa]o\s(?:(?:guard|grav|anot|registr|salv)[ae]|lembr[ae](?:\sde)?)\s{PORTUGUESE_THIS}"
)
PORTUGUESE = rf"""
    (?:(?:{PORTUGUESE_PLEASE},?\s)?n[ãa]o\smemoriz[ae]\s{PORTUGUESE_THIS}(?:,?\s{PORTUGUESE_PLEASE})?
      |{PORTUGUESE_KEEP}\sna\s(?:(?:sua|tua)\s)?mem[óo]ria
      |{PORTUGUESE_PLEASE},?\s{PORTUGUESE_KEEP}|{PORTUGUESE_KEEP},?\s{PORTUGUESE_PLEASE})"""
ITALIAN_THIS = (
    r"(?:questo(?:\smessaggio)?|questa\scosa|quanto\ssegue|quello\sche\ssto\sper\sdir(?:e|ti))"
)
ITALIAN_KEEP = rf"non\s(?:ricordare|salvare|registrare|annotare|conservare)\s{ITALIAN_THIS}"
ITALIAN = rf"""
    (?:(?:per\sfavore,?\s)?non\smemorizzare\s{ITALIAN_THIS}(?:,?\sper\sfavore)?
      |{ITALIAN_KEEP}\snella\s(?:tua\s)?memoria
      |per\sfavore,?\s{ITALIAN_KEEP}|{ITALIAN_KEEP},?\sper\sfavore)"""
POLISH_KEEP = r"nie\s(?:zapisuj|notuj|zachowuj)\s(?:tego|tej\swiadomo[śs]ci)"
POLISH = rf"""
    (?:(?:prosz[ęe],?\s)?(?:nie\szapami[ęe]tuj\s(?:tego|tej\swiadomo[śs]ci)|tego\snie\szapami[ęe]tuj)
        (?:\sw\spami[ęe]ci)?(?:,?\sprosz[ęe])?
      |{POLISH_KEEP}\sw\spami[ęe]ci|prosz[ęe],?\s{POLISH_KEEP}|{POLISH_KEEP},?\sprosz[ęe])"""
KOREAN = r"""
    (?:(?:이거|이건|이것|이\s?(?:말|얘기|이야기|메시지)|다음\s?(?:말|내용))(?:은|는|을|를)?\s(?:제발\s)?
      (?:기억|저장|기록)하지\s?(?:마|말아)(?:요|\s?줘요?|\s?주세요|세요)?)"""
LOUD = (
    *(ENGLISH_LOUD, GERMAN, SPANISH, FRENCH, RUSSIAN, CHINESE, JAPANESE),
    *(PORTUGUESE, ITALIAN, POLISH, KOREAN),
)
QUIET = (
    *(ENGLISH_QUIET, GERMAN_QUIET, SPANISH_RECALL, SPANISH_KEEP, SPANISH_KEEP_IT),
    *(SPANISH_UNWANTED, FRENCH_NOTE, FRENCH_KEEP, FRENCH_UNWANTED, RUSSIAN_QUIET),
    *(CHINESE_QUIET, JAPANESE_QUIET, PORTUGUESE_KEEP, ITALIAN_KEEP, POLISH_KEEP),
)
