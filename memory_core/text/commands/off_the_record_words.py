"""How each language asks not to remember something, as parts of patterns in verbose form."""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese)

from dataclasses import dataclass

from . import remember_words

_NEVER = r"(?!)"
EMOJI = r"\u2600-\u27bf\ufe0f\U0001f000-\U0001faff"  # a part of a set of characters
SEPARATOR = rf"[\s:：,，、;；.。!！…—–{EMOJI}-]{{1,6}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The requests of one language with blanks between words, by what has to stand beside them.

    `clear` needs nothing. `with_please` needs a `please`, a colon or brackets, `with_colon` one of
    the last two. `with_statement` needs a statement about a person, which begins with
    `statement_start`; `with_statement_and_please` needs both. `named` needs a statement, too: it
    names the memory, but programs have one. `alone` has to be the whole message. A word of
    `goes_on` behind a `please` belongs to the request: "don't save this please in the folder".
    """

    clear: str
    with_please: str = _NEVER
    with_colon: str = _NEVER
    with_statement: str = _NEVER
    with_statement_and_please: str = _NEVER
    named: str
    alone: str = _NEVER
    please: str
    statement_start: str
    goes_on: str


_EN_PLEASE = rf"(?:{remember_words.PLEASE}|kindly)\b"
_EN_THIS = r"""(?:(?:this|dis)(?:\ (?:message|one|part|bit|chat|conversation))?
    |that|the\ following|what\ follows|(?:my|the)\ next\ (?:message|thing|part|bit)
    |what\ i(?:['’]?m|\ am)?\ (?:about\ to|going\ to|gonna)\ (?:say|tell\ you))"""
_EN_IN_MEMORY = r"(?:\s(?:in|to|into)\s(?:your|ur|the|long[- ]term)\smemor(?:y|ies))"
_EN_NO = r"(?:do\s?n['’]?t|do\snot|never)\s(?:(?:you|u|ever|ever\s+you)\s(?:dare\s)?)?"
_EN_SAVE = r"(?:memori[sz]e|save|store|log)"
# These are said of things: "don't keep it, throw it away".
_EN_KEEP = r"(?:record|note|keep|add|put|write\sdown|commit)"
_EN_WITH_COLON = rf"""{_EN_NO}(?:write|note|jot|put)\s{_EN_THIS}\sdown|off\sthe\srecord
    |i\s(?:do\s?n['’]?t|do\snot)\swant\s(?:you|u)\sto\s(?:remember|{_EN_SAVE})\s(?:this|dis)"""
ENGLISH = Language(
    clear=rf"""{_EN_NO}(?:remember|{_EN_SAVE}|{_EN_KEEP})\s{_EN_THIS}{_EN_IN_MEMORY}
        |(?:(?:there['’]?s\s)?no\sneed\sto|you\s(?:do\s?n['’]?t|do\snot)\s(?:have|need)\sto)\s
          (?:(?:remember|memori[sz]e)\sthis(?:\smessage)?
            |(?:remember|{_EN_SAVE})\sthis(?:\smessage)?{_EN_IN_MEMORY})
        |(?:keep|leave)\s(?:it|{_EN_THIS})\s(?:off\sthe\srecord|out\sof\s(?:your|the)\smemory)
        |this\s(?:is|stays)\soff\sthe\srecord
        |(?:can|could|would)\s(?:you|u)\s{_EN_PLEASE}\snot\s(?:remember|{_EN_SAVE})\sthis\??""",
    with_please=rf"""(?:just\s)?{_EN_NO}(?:remember|{_EN_SAVE})\s{_EN_THIS}
        |(?:can|could|would)\s(?:you|u)\snot\s{_EN_SAVE}\sthis""",
    with_colon=rf"{_EN_NO}{_EN_KEEP}\s{_EN_THIS}|{_EN_WITH_COLON}",
    with_statement=rf"""{_EN_NO}{_EN_SAVE}\s(?:this(?:\smessage)?|dis)(?:\sanywhere)?(?:,?\sok(?:ay)?\??)?
        |{_EN_WITH_COLON}
        |{_EN_NO}remember\sthis,?\sok(?:ay)?\?|(?:can|could|would)\s(?:you|u)\snot\s{_EN_SAVE}\sthis\??""",
    with_statement_and_please=rf"{_EN_NO}(?:remember|{_EN_SAVE})",
    named=rf"""{_EN_NO}(?:put|add|write|keep|store|save|record|commit|log|note|enter)
        \s(?:this|that|it|dis)(?:\smessage)?\s(?:in|to|into)\s
        (?:(?:your|ur|the|long[- ]term)\s)?memory\b(?!\s(?:of|card|stick|lane|leak))""",
    alone=rf"{_EN_NO}(?:{_EN_SAVE}\sthat|remember\sthis)(?:\smessage)?",
    please=_EN_PLEASE,
    statement_start=r"(?:i|i['’]?(?:m|ve|ll|d)|my|me\sand|we|we['’]?(?:ve|ll|d|re)|our|s?he|s?he['’]s)\s",
    goes_on=r"""in|on|at|for|to|as|with|under|until|yet|here|there|anymore|and|or|remind|tell|help
        |explain|repeat|say|show|give|can|could|what|who|when|how""",
)
GERMAN = Language(
    clear=r"""(?:merke?\sdir|speicher[en]?)
          \s(?:das|dies(?:es|e\snachricht)?|folgendes|was\sjetzt\skommt)
          (?:\s(?:bitte|jetzt|mal|lieber|aber|hier|folgende)){0,3}\snicht
        |behalte?\s(?:das|dies|diese\snachricht)\s(?:bitte\s)?nicht\sim\sgedächtnis
        |(?:das|dies|diese\snachricht)\s(?:soll|gehört)\snicht\sin\s(?:dein|deine[mn])\s
          (?:gedächtnis|erinnerungen|speicher)
        |das\s(?:bitte|hier|jetzt)(?:\sbitte)?\snicht\s(?:merken|speichern|notieren)
        |das\s(?:musst|brauchst|sollst|darfst)\sdu\s(?:dir\s)?(?:bitte\s)?nicht\s
          (?:(?:zu\s)?merken|(?:ab)?speichern)""",
    with_please=r"""(?:das\s)?nicht\s(?:merken|(?:ab)?speichern|notieren)
        |notier[en]?\s(?:das|dies(?:es|e\snachricht)?|folgendes)(?:\s(?:jetzt|mal|lieber|hier)){0,2}\snicht""",
    with_colon=r"schreibe?\s(?:das|dies)\s(?:(?:bitte|jetzt|hier)\s){0,2}nicht\sauf",
    with_statement=r"(?:das\s)?nicht\smerken|das\snicht\sspeichern",
    named=r"""(?:schreibe?|packe?|lege?|nimm|speicher[en]?|trage?|tu|behalte?)\s
          (?:das|dies|dir\sdas|es)\s(?:bitte\s|hier\s){0,2}nicht\s(?:ins|in\s(?:dein(?:e[nm])?|das|den))
          \s(?:gedächtnis|speicher|erinnerungen)
        |(?:das\s)?nicht\s(?:ins|in\sdein)\sgedächtnis(?:\s(?:schreiben|packen|speichern|aufnehmen))?""",
    alone=r"nicht\s(?:speichern|notieren|mitschreiben)",
    please=r"(?:bitte|pl[sz])\b",
    statement_start=r"(?:ich|mir|mich|mein\w{0,2}|wir|uns|unser\w{0,2}|hab|habe|bin|wurde)\s",
    goes_on="im|in|als|auf|unter|bei|für|hier|noch|und|oder|sondern",
)
_ES_THIS = r"(?:esto|eso|este\smensaje|lo\ssiguiente|lo\sque\sviene)"
_ES_KEEPS = r"(?:guard[eé]s|registr[eé]s|anot[eé]s|apunt[eé]s|grab[eé]s)"
_ES_KEEP = rf"no\s(?:lo\s)?{_ES_KEEPS}\s{_ES_THIS}"
_ES_KEEP_IT = rf"(?:{_ES_THIS}\s)?no\slo\s(?:{_ES_KEEPS}|recuerdes|record[eé]s)"
_ES_RECALL = r"(?:recuerdes|record[eé]s|te\sacuerdes\sde|te\sacord[eé]s\sde)"
_ES_UNWANTED = rf"no\squiero\sq(?:ue)?\s(?:recuerdes|te\sacuerdes\sde|{_ES_KEEPS})\s{_ES_THIS}"
_ES_PLEASE = r"(?:por\sfavor|por\s?fa(?:vor)?|pl[iz]?s|plz)\b"
SPANISH = Language(
    clear=rf"""no\smemori[cz][eé]s\s{_ES_THIS}|(?:{_ES_KEEP}|{_ES_KEEP_IT})\sen\s(?:tu|la)\smemoria
        |(?:no\squiero\sq(?:ue)?\sesto\squede|q(?:ue)?\sesto\sno\squede)\sen\stu\smemoria
        |no\s(?:hace\sfalta|es\snecesario)\sq(?:ue)?\s{_ES_RECALL}\s{_ES_THIS}(?<!eso)""",
    # "Por favor no guardes eso, tíralo" is said of a thing.
    with_please=rf"no\s(?:{_ES_RECALL}|recuerde)\s{_ES_THIS}|{_ES_KEEP}(?!(?<=eso)(?:\s{_ES_PLEASE})?[,;.!]\s)",
    with_colon=rf"{_ES_KEEP}|{_ES_KEEP_IT}|{_ES_UNWANTED}",
    with_statement=rf"{_ES_KEEP}(?<!eso)|{_ES_UNWANTED}",
    with_statement_and_please=_ES_KEEP_IT,
    named=r"""no\s(?:lo\s)?(?:guardes|guard[eé]s|pongas|metas|anotes|escribas|añadas|agregues)
        (?:\s(?:esto|eso|este\smensaje))?\s(?:en|a)\s(?:(?:tu|la)\s)?memoria\b""",
    alone=r"no\s(?:lo\s(?:guardes|guard[eé]s|recuerdes)|recuerdes\sesto)",
    please=_ES_PLEASE,
    statement_start=r"(?:yo|me|mis?|nos|estoy|soy|tengo|he|estuve|(?!as[íi])\w{2,}[éí])\s",
    goes_on="en|para|como|con|aquí|ahí|y|o|todavía|aún",
)
_FR_THIS = r"(?:[çc]a|cela|ceci|ce\smessage|ce\squi\ssuit)"
_FR_KEEP = rf"(?:ne\s)?garde\spas\s{_FR_THIS}"
_FR_PLEASE = r"(?:s['’]?(?:il\s)?te\spla[iî]t|stp|svp|pl[sz])(?!\w)"
FRENCH = Language(
    clear=rf"""(?:ne\s|n['’])?(?:retiens|m[ée]morise|enregistre|sauvegarde|te\ssouviens)\spas\s(?:de\s)?
          {_FR_THIS}(?:\sen\sm[ée]moire)?
        |(?:ne\s)?(?:garde|mets)\spas\s{_FR_THIS}\s(?:en|dans\sta)\sm[ée]moire
        |(?:(?:tu\s(?:n['’])?|t['’]?)as\s)?pas\sbesoin\sde\s(?:retenir|m[ée]moriser)\s{_FR_THIS}""",
    with_please=rf"(?:ne\s)?note\spas\s{_FR_THIS}",  # "ne note pas ça, c'est faux"
    with_colon=rf"{_FR_KEEP}|je\s(?:ne\s)?veux\spas\sque\stu\s(?:retiennes|notes|enregistres)\s{_FR_THIS}",
    with_statement_and_please=_FR_KEEP,
    named=rf"""(?:ne\s|n['’])?(?:mets|garde|note|[ée]cris|ajoute|enregistre|stocke|retiens)\spas\s
        {_FR_THIS}\s(?:en|(?:dans|à)\s(?:ta|la))\sm[ée]moire\b""",
    please=_FR_PLEASE,
    statement_start=r"(?:je|j['’](?!en\s)\s?\w+|m['’](?:a|ont)|jai|jsuis|chui|on|nous|m(?:on|a|es)|moi)\s",
    goes_on="dans|sur|ici|là|pour|comme|en|et|ou|encore",
)
_RU_PLEASE = rf"{remember_words.RUSSIAN_PLEASE}\b"
_RU_NO = r"не\s(?:запоминай|сохраняй|записывай)(?:те)?"
_RU_KEEP = r"(?:запоминать|сохранять|записывать)"
_RU_THIS = r"(?:это(?:\sсообщение)?|этого|следующее)"
RUSSIAN = Language(
    clear=rf"""{_RU_NO}(?:\s{_RU_PLEASE})?\s{_RU_THIS}(?:\sв\sпамят[иь])?
        |{_RU_THIS},?\s(?:{_RU_PLEASE},?\s)?{_RU_NO}(?:\sв\sпамят[иь])?
        |(?:это\s)?(?:строго\s)?(?:между\sнами|по\sсекрету),?\s{_RU_NO}(?:\sэто)?
        |(?:только|тока|ток)\s(?:это\s)?{_RU_NO}(?:\s{_RU_THIS})?
        |это\sне\s(?:надо|нужно)\s{_RU_KEEP}|это\s{_RU_KEEP}\sне\s(?:надо|нужно)
        |не\s(?:надо|нужно)\s(?:это\s{_RU_KEEP}|{_RU_KEEP}\sэто)|это\sне\sдля\s(?:записи|протокола)""",
    with_colon=rf"{_RU_NO}|не\sдля\s(?:записи|протокола)",
    # "Don't write it down, I'll do it later" is said of a list.
    with_statement=rf"""не\sзапоминай(?:те)?|{_RU_NO}\sтолько\s{_RU_THIS}
        |{_RU_NO}(?=[,.!\s–—-]*(?:\Z|[,.!–—-]\s(?!(?:я|мы)\s(?:сам[аи]?|уже|ещ[её]|вс[её]|потом|не|хочу)\b)))""",
    with_statement_and_please=_RU_NO,
    named=r"""(?:(?:это\s)?не\s(?:пиши|записывай|заноси|добавляй|клади|вноси|сохраняй|помещай)(?:те)?
          (?:\s(?:это|этого|вс[её]\sэто))?\sв\s(?:(?:свою|твою)\s)?память
        |(?:это\s)?в\sпамять\s(?:это(?:го)?\s)?не\s(?:пиши|записывай|заноси|сохраняй)(?:те)?(?:\sэто)?
        |(?:это\s)?не\s(?:надо|нужно)\s(?:это\s)?(?:писать|записывать|заносить|сохранять|добавлять)
          (?:\sэто)?\sв\sпамять)(?!\s(?:об?|телефон\w*|компьютер\w*|устройств\w*|карт\w*|ноут\w*)\b)""",
    alone=_RU_NO,
    please=_RU_PLEASE,
    statement_start=r"""(?:я|у\s(?:меня|нас|моей|моего)|мне|нам|мо[йяёию]|моего|мы|он[аи]?
        |меня\s(?:\w+\s)?\w+л[аи]?)(?!\w)""",
    goes_on="в|на|как|тут|здесь|под|для|и|или|ещё|пока",
)
_PT_THIS = (
    r"(?:isso|isto|es[st]a\smensagem|o\sseguinte|o\sque\s(?:eu\s)?vou\s(?:dizer|falar|contar))"
)
_PT_KEEP = rf"n[ãa]o\s(?:(?:guard|grav|anot|registr|salv)[ae]|lembr[ae](?:\sde)?)\s{_PT_THIS}"
PORTUGUESE = Language(
    clear=rf"n[ãa]o\smemoriz[ae]\s{_PT_THIS}|{_PT_KEEP}\sna\s(?:(?:sua|tua)\s)?mem[óo]ria",
    with_please=_PT_KEEP,
    with_statement=_PT_KEEP,
    named=r"""n[ãa]o\s(?:coloc(?:a|que)|põe|ponha|guard[ae]|salv[ae]|bot[ae]|anot[ae]|registr[ae])\s
        (?:isso|isto|essa\smensagem)\s(?:na|em)\s(?:(?:sua|tua)\s)?mem[óo]ria\b""",
    please=r"(?:por\sfavor|pfv?r?|pl[sz])\b",
    statement_start=r"(?:eu|me|meus?|minhas?|fui|t[ôo]|estou|sou|tenho|n[óo]s|a\sgente|\w{2,}(?:ei|í))\s",
    goes_on="em|no|na|para|pra|como|com|aqui|aí|e|ou|ainda",
)
_IT_THIS = (
    r"(?:questo(?:\smessaggio)?|questa\scosa|quanto\ssegue|quello\sche\ssto\sper\sdir(?:e|ti))"
)
_IT_KEEP = rf"non\s(?:ricordare|salvare|registrare|annotare|conservare)\s{_IT_THIS}"
ITALIAN = Language(
    clear=rf"non\smemorizzare\s{_IT_THIS}|{_IT_KEEP}\snella\s(?:tua\s)?memoria",
    with_please=_IT_KEEP,
    with_statement=_IT_KEEP,
    named=r"""non\s(?:mettere|salvare|scrivere|aggiungere|conservare|tenere)\s
        (?:questo|questa\scosa)\s(?:in|nella)\s(?:tua\s)?memoria\b""",
    please=r"(?:per\s?favore|ti\sprego|pl[sz])\b",
    statement_start=r"(?:io|mi|sono|ho|mio|mia|miei|ci|noi|sto)\s",
    goes_on="in|nel|nella|per|come|con|qui|lì|e|o|ancora",
)
_PL_KEEP = (
    r"(?:nie\s(?:zapisuj|notuj|zachowuj)\s(?:tego|tej\swiadomo[śs]ci)|tego\snie\s(?:zapisuj|notuj))"
)
POLISH = Language(
    clear=rf"""(?:nie\szapami[ęe]tuj\s(?:tego|tej\swiadomo[śs]ci)|tego\snie\szapami[ęe]tuj)
          (?:\sw\spami[ęe]ci)?|{_PL_KEEP}\sw\spami[ęe]ci""",
    with_please=_PL_KEEP,
    with_statement=_PL_KEEP,
    named=r"""nie\s(?:dodawaj|zapisuj|wpisuj|wkładaj|zachowuj)\stego\s(?:do|w)\s
        (?:swojej\s)?pami[ęe]ci\b(?!\s(?:telefonu|komputera))""",
    alone=r"nie\s(?:zapami[ęe]tuj|zapisuj)",
    please=r"(?:prosz[ęe]|pl[sz])(?!\w)",
    statement_start=r"(?:ja|mnie|mi|mam|jestem|m[óo]j|moj\w{1,2}|\w+[łl][ea]m)\s",
    goes_on="w|we|na|do|jako|dla|tutaj|i|lub|jeszcze",
)
LANGUAGES = (ENGLISH, GERMAN, SPANISH, FRENCH, RUSSIAN, PORTUGUESE, ITALIAN, POLISH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unspaced:
    """The requests of one language without blanks, or with its verb at the end.

    `before_a_statement` and `behind_a_statement` need one, and say in themselves what it has to be.
    """

    clear: str
    with_colon: str = _NEVER
    before_a_statement: str
    behind_a_statement: str
    alone: str


_ZH_ASK = r"(?:(?:[请請拜麻][你您托託烦煩]?)?(?:你|您)?)"
_ZH_NO = r"(?:不要|不许|不許|别|別)"
_ZH_KEEP = r"(?:[记記](?:住|[录錄]|下来|下來|下|得)?|保存|存(?:下来|下來|下)?)"
_ZH_LEARN = r"[记記](?:住|得|下来|下來|下)?"  # 这个你不用存 is about files
_ZH_THIS = r"""(?:[这這](?:个|個|条|條|句话|句話|句|件事|些|段话|段話)(?:消息|内容|內容|话|話)?
    |[这這](?:事|话|話)
    |(?:下面|以下|接下来|接下來)(?:的|[这這])?(?:内容|內容|话|話|句话|句話|事)?
    |我(?:接下来|接下來|下面)[说說講讲]的)"""
_ZH_END = "[了啦哦喔啊呀哈吧]?"
_ZH_CLEAR = rf"""(?:{_ZH_ASK}{_ZH_NO}{_ZH_KEEP}{_ZH_THIS}
    |{_ZH_THIS}(?:[请請])?(?:你|您)?(?:就)?{_ZH_NO}{_ZH_KEEP}
    |{_ZH_ASK}{_ZH_NO}把{_ZH_THIS}(?:[记記](?:住|[录錄]|下来|下來|下)|保存|存(?:下来|下來|下))
    |(?:你|您)不用{_ZH_LEARN}{_ZH_THIS}|{_ZH_THIS}(?:你|您)不用{_ZH_LEARN}){_ZH_END}"""
_ZH_NAMED = rf"""(?:{_ZH_ASK}(?:{_ZH_NO}(?:把{_ZH_THIS})?|{_ZH_THIS}{_ZH_NO})
    (?:写|寫|存|放|记|記|加|录|錄|保存)(?:进|進|到|入)(?:[你您]的?)?(?:记忆|記憶)(?:里面?|裡面?|中|库|庫)?
    {_ZH_END})"""
CHINESE = Unspaced(
    clear=_ZH_CLEAR,
    with_colon=rf"{_ZH_NO}(?:[记記](?:住|[录錄]|下[来來]?)?|保存)",
    # "Do not note it, I send you the file" is said of a thing.
    before_a_statement=rf"""{_ZH_CLEAR}(?=我|俺|咱|[他她]|其实|其實|今天|昨天|刚才|剛才)
        |{_ZH_NAMED}(?=我..)|{_ZH_NAMED}{SEPARATOR}(?=\S)
        |{_ZH_ASK}(?:不要|别|別)(?:[记記][录錄]|[记記]下[来來]?)(?=我..)
        |[请請拜麻][你您托託烦煩]?(?:不要|别|別)[记記]住(?=我..)
        |{_ZH_ASK}(?:不要|别|別)[记記](?:住|了|[录錄]|下[来來]?)?[\s,，:：]{{1,3}}
          (?=我(?![来來发發给給帮写寫拍再会會等先自己已在把说說念读讀])..)""",
    behind_a_statement=rf"(?:(?<=[了啊呢呀哦吧的])|\s){_ZH_CLEAR}|{SEPARATOR}{_ZH_NAMED}",
    alone=rf"(?:{_ZH_NAMED}|[请請]?(?:不要|别|別)(?:保存|[记記](?:住|[录錄]|下[来來]?)?|存){_ZH_END})",
)
_JA_THIS = r"""(?:これ|今の|このこと|この話|この件|次の(?:話|こと)|以下
    |今(?:言った|話した|から(?:言う|話す))こと)"""
_JA_IN_MEMORY = "(?:記憶|記録|メモリー?)に"
_JA_KEEP = rf"(?:覚え|記憶し|記録し|保存し|メモし|{_JA_IN_MEMORY}(?:残さ|入れ))"
# Without "this", a file may be meant: 壊れるから保存しないで.
_JA_KEEP_ALONE = "(?:覚え|記憶し|記録し|(?:記憶|記録)に残さ)"
_JA_WANTED = "(?:ください|下さい|くれ|ほしい(?:んだ)?(?:けど)?|おいて|お願い(?:します)?|ね|よ)"
_JA_CLEAR = rf"""(?:
    {_JA_THIS}(?:の?(?:こと|話|内容))?[はをも]?(?:{_JA_KEEP}|メモら)ないで{_JA_WANTED}{{0,3}}
    |(?:{_JA_THIS}[はを]?)?覚えなくて(?:も)?いい(?:です)?(?:から|んだ?け(?:れ)?ど|け(?:れ)?ど|[ねよ]){{1,2}}
    |(?:これは?|ここだけの話(?:だから|なので)|内緒だから)、?{_JA_KEEP}ないで{_JA_WANTED}{{0,3}}
    |{_JA_KEEP_ALONE}ないで{_JA_WANTED}{{1,3}}
    |(?:これは?|ここからは?|今の話は?)?オフレコ(?:で(?:お願い(?:します)?)?|(?:な(?:ん|の))?だ(?:けど|から)|ね|だよ))"""
_JA_NAMED = rf"""(?:(?:{_JA_THIS}[はを]?、?)?(?:記憶|メモリー?)に
    (?:書か|入れ|残さ|保存し|記録し)ないで{_JA_WANTED}{{0,2}})"""
_JA_ASK = rf"(?:{_JA_THIS}[はをも]?{_JA_KEEP}ないで)"
_JA_TOLD = r"(?=[^\s,.:，：、。！？!?ーwっ笑])(?!って|と[言い思])"  # not "and then laughed"
JAPANESE = Unspaced(
    clear=_JA_CLEAR,
    with_colon=rf"{_JA_KEEP_ALONE}ないで|メモしないで|オフレコ",
    before_a_statement=rf"""(?:(?:{_JA_ASK}|{_JA_KEEP_ALONE}ないで){_JA_WANTED}{{1,2}}|{_JA_NAMED}){_JA_TOLD}
        |{_JA_ASK}(?=私|わたし|あたし|僕|ぼく|俺|おれ|うち|実は|昨日|今日|今朝)
        |{_JA_THIS}[はを]?覚えなくて(?:も)?いい(?:です)?から(?=[^\s、。ね])
        |{_JA_NAMED}{SEPARATOR}(?=\S)""",
    behind_a_statement=rf"(?<=[たるだよねの]){_JA_ASK}{_JA_WANTED}{{1,2}}|(?:{SEPARATOR}|(?<=けど)|(?<=から)){_JA_NAMED}",
    alone=rf"""(?:{_JA_NAMED}|(?:保存し|記憶し|メモし|記録し|覚え)ないで{_JA_WANTED}{{0,2}}
        |覚えなくて(?:も)?いい(?:です)?[よね]?)""",
)
_KO_NEVER = r"\s?(?:마|말아)(?:요|\s?줘요?|\s?주세요|세요)?"
_KO_THIS = r"(?:이거|이건|이것|이\s?(?:말|얘기|이야기|메시지))(?:은|는|을|를)?\s"
_KO_CLEAR = rf"""(?:(?:{_KO_THIS}|다음\s?(?:말|내용)(?:은|는|을|를)?\s)(?:제발\s)?
    (?:기억|저장|기록)하지{_KO_NEVER})"""
_KO_NAMED = rf"""(?:(?:{_KO_THIS})?(?:제발\s)?
    (?:메모리|기억)에\s?(?:넣지|저장하지|남기지|쓰지){_KO_NEVER})"""
_KO_PLEASE = "(?:제발|부탁해요?|부탁이야)"
KOREAN = Unspaced(
    clear=_KO_CLEAR,
    before_a_statement=rf"""{_KO_CLEAR}(?:\s{_KO_PLEASE}\s+(?=\S)|(?<=[줘요])\s+(?=\S))
        |(?:{_KO_CLEAR}|{_KO_NAMED})\s+(?=(?:나[는도]?|난|내|내가|저[는도]?|전|제|제가|우리)\s)
        |{_KO_NAMED}{SEPARATOR}(?=\S)""",
    behind_a_statement=rf"(?<=[어다요지네야해])\s{_KO_CLEAR}(?:\s{_KO_PLEASE})?|{SEPARATOR}{_KO_NAMED}",
    alone=rf"(?:{_KO_NAMED}|(?:저장|기억|기록)하지{_KO_NEVER})",
)
UNSPACED = (CHINESE, JAPANESE, KOREAN)
