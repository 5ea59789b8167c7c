"""Recognises requests that name the memory ("don't put this in memory, …"), and bare ones.

Programs have a memory, too ("don't keep this in memory, it leaks"). So a statement about a person
has to follow or precede, and nothing may name a program's things. A bare request without "this" or
"please" ("nicht merken") needs a statement about oneself, or has to be the whole message.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese)

import re
from dataclasses import dataclass

from . import off_the_record_words as words
from .further_languages import RUSSIAN_PLEASE

_CLOSE = 80  # letters beside the request that may name a program's thing
_SEPARATOR = r"[\s:：,，、;；.。!！…—–-]{1,6}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Language:
    """Patterns of one language.

    `named` names the memory. `bare` does not; it needs `own` behind it, the beginning of a
    statement about oneself. `alone` is a further bare request that has to be the whole message.
    """

    named: str
    own: str
    please: str = r"(?!)"
    bare: str = r"(?!)"
    alone: str = r"(?!)"

    @property
    def at_the_start(self) -> str:
        polite = rf"(?:{self.please},?\s)?"
        return rf"""{polite}(?:{self.named})(?:,?\s{self.please})?
            (?:\s?[:：]\s{{0,3}}(?=\S)|{_SEPARATOR}(?=(?:{self.own})))
            |{polite}(?:{self.bare})\s?[:：,，.!-]?\s{{1,3}}(?=(?:{self.own}))"""

    @property
    def at_the_end(self) -> str:
        return rf"(?:{self.please},?\s)?(?:{self.named})(?:,?\s{self.please})?"

    @property
    def whole(self) -> str:
        request = rf"(?:{self.named}|{self.bare}|{self.alone})"
        return rf"(?:{self.please},?\s)?{request}(?:,?\s{self.please})?"


_ENGLISH = _Language(
    named=rf"""{words.ENGLISH_NO}(?:put|add|write|keep|store|save|record|commit|log|note|enter)
        \s(?:this|that|it|dis)(?:\smessage)?\s(?:in|to|into)\s
        (?:(?:your|the|long[- ]term)\s)?memory\b(?!\s(?:of|card|stick|lane|leak))""",
    alone=rf"{words.ENGLISH_NO}(?:(?:save|store|log|memori[sz]e)\s(?:this|that)|remember\sthis)(?:\smessage)?",
    please=rf"(?:{words.ENGLISH_PLEASE}|pls|plz)\b",
    own=r"""(?:i|i['’]?(?:m|ve|ll|d)|im|ive|my|me\sand|we|we['’]?(?:ve|re)|our|s?he|s?he['’]s)\s""",
)
_GERMAN = _Language(
    named=r"""(?:(?:schreibe?|packe?|lege?|nimm|speicher[en]?|trage?|tu|behalte?)\s
          (?:das|dies|dir\sdas|es)\s(?:bitte\s|hier\s){0,2}nicht\s(?:ins|in\s(?:dein(?:e[nm])?|das|den))
          \s(?:gedächtnis|speicher|erinnerungen)
        |(?:das\s)?nicht\s(?:ins|in\sdein)\sgedächtnis(?:\s(?:schreiben|packen|speichern|aufnehmen))?)""",
    bare=r"(?:das\s)?nicht\smerken|das\snicht\sspeichern",
    alone=r"nicht\s(?:speichern|notieren|mitschreiben)",
    please=r"(?:bitte|pl[sz])\b",
    own=r"(?:ich\s(?:bin|war|wurde|werde|hab|habe|hatte)|mein\w{0,2}|wir\s(?:sind|haben))\s",
)
_SPANISH = _Language(
    named=r"""no\s(?:lo\s)?(?:guardes|guard[eé]s|pongas|metas|anotes|escribas|añadas|agregues)
        (?:\s(?:esto|eso|este\smensaje))?\s(?:en|a)\s(?:(?:tu|la)\s)?memoria\b""",
    alone=r"no\s(?:lo\s(?:guardes|guard[eé]s|recuerdes)|guardes\sesto|recuerdes\sesto)",
    please=rf"(?:{words.SPANISH_PLEASE}|pl[iz]?s)\b",
    own=r"(?:yo|me|mis?|nos|estoy|soy|tengo|he|(?!as[íi])\w{2,}[éí])\s",
)
_FRENCH = _Language(
    named=rf"""(?:ne\s|n['’])?(?:mets|garde|note|[ée]cris|ajoute|enregistre|stocke|retiens)\spas\s
        {words.FRENCH_THIS}\s(?:en|(?:dans|à)\s(?:ta|la))\sm[ée]moire\b""",
    alone=rf"(?:ne\s|n['’])?(?:retiens|m[ée]morise|enregistre)\spas\s{words.FRENCH_THIS}",
    please=rf"(?:{words.FRENCH_PLEASE}|svp|pl[sz])(?!\w)",
    own=r"(?:je|j['’]\s?\w+|jai|jsuis|chui|on|nous|m(?:on|a|es))\s",
)
_RUSSIAN = _Language(
    named=r"""(?:(?:это\s)?не\s(?:пиши|записывай|заноси|добавляй|клади|вноси|сохраняй|помещай)(?:те)?
          (?:\s(?:это|этого|вс[её]\sэто))?\sв\s(?:(?:свою|твою)\s)?память
        |(?:это\s)?в\sпамять\s(?:это(?:го)?\s)?не\s(?:пиши|записывай|заноси|сохраняй)(?:те)?(?:\sэто)?
        |(?:это\s)?не\s(?:надо|нужно)\s(?:это\s)?(?:писать|записывать|заносить|сохранять|добавлять)
          (?:\sэто)?\sв\sпамять)(?!\s(?:об?|телефон\w*|компьютер\w*|устройств\w*|карт\w*|ноут\w*)\b)""",
    bare=r"не\sзапоминай(?:те)?",
    alone=r"не\s(?:сохраняй|записывай)(?:те)?(?:\sэто)?|это\sне\s(?:сохраняй|записывай)(?:те)?",
    please=rf"{RUSSIAN_PLEASE}\b",
    own=r"""(?:я|у\s(?:меня|нас|моей|моего)|мне|нам|мо[йяёию]|моего|мы|он[аи]?
        |меня\s(?:\w+\s)?\w+л[аи]?)(?!\w)""",
)
_PORTUGUESE = _Language(
    named=r"""n[ãa]o\s(?:coloc(?:a|que)|põe|ponha|guard[ae]|salv[ae]|bot[ae]|anot[ae]|registr[ae])\s
        (?:isso|isto|essa\smensagem)\s(?:na|em)\s(?:(?:sua|tua)\s)?mem[óo]ria\b""",
    alone=r"n[ãa]o\s(?:guard[ae]|memoriz[ae])\s(?:isso|isto)",
    please=rf"(?:{words.PORTUGUESE_PLEASE}|pf|pl[sz])\b",
    own=r"(?:eu|me|meus?|minhas?|fui|t[ôo]|estou|sou|tenho|n[óo]s|a\sgente|\w{2,}(?:ei|í))\s",
)
_ITALIAN = _Language(
    named=r"""non\s(?:mettere|salvare|scrivere|aggiungere|conservare|tenere)\s
        (?:questo|questa\scosa)\s(?:in|nella)\s(?:tua\s)?memoria\b""",
    alone=r"non\s(?:memorizzare|salvare)\s(?:questo|questa\scosa)",
    please=r"(?:per\s?favore|ti\sprego|pl[sz])\b",
    own=r"(?:io|mi|sono|ho|mio|mia|miei|ci|noi|sto)\s",
)
_POLISH = _Language(
    named=r"""nie\s(?:dodawaj|zapisuj|wpisuj|wkładaj|zachowuj)\stego\s(?:do|w)\s
        (?:swojej\s)?pami[ęe]ci\b(?!\s(?:telefonu|komputera))""",
    alone=r"nie\s(?:zapami[ęe]tuj|zapisuj)(?:\stego)?",
    please=r"(?:prosz[ęe]|pl[sz])(?!\w)",
    own=r"(?:ja|mnie|mi|mam|jestem|m[óo]j|moj\w{1,2}|\w+[łl][ea]m)\s",
)
_LANGUAGES = (
    *(_ENGLISH, _GERMAN, _SPANISH, _FRENCH, _RUSSIAN),
    *(_PORTUGUESE, _ITALIAN, _POLISH),
)
_CHINESE = rf"""(?:[请請]|麻[烦煩][你您]?)?(?:你|您)?
    (?:{words.CHINESE_NO}(?:把{words.CHINESE_THIS})?|{words.CHINESE_THIS}{words.CHINESE_NO})
    (?:写|寫|存|放|记|記|加|录|錄|保存)(?:进|進|到|入)(?:[你您]的?)?(?:记忆|記憶)(?:里面?|裡面?|中|库|庫)?
    [了啦哦喔啊呀哈吧]?"""
# Words of writing down mean no memory: "do not note it, I send you the file".
_CHINESE_BARE = r"""(?:不要|别|別)[记記](?:住|了|下[来來]?)?[\s,，:：]{1,3}
    (?=我(?![来來发發给給帮写寫拍再会會等先自己已在把说說念读讀])..)"""
_JAPANESE = rf"""(?:{words.JAPANESE_THIS}(?:は|を)?、?)?(?:記憶|メモリー?)に
    (?:書か|入れ|残さ|保存し|記録し)ないで(?:ください|下さい|くれ|ほしい(?:んだ)?(?:けど)?|ね|よ){{0,2}}"""
_KOREAN = r"""(?:(?:이거|이건|이것|이\s?(?:말|얘기|이야기|메시지))(?:은|는|을|를)?\s)?(?:제발\s)?
    (?:메모리|기억)에\s?(?:넣지|저장하지|남기지|쓰지)\s?(?:마|말아)(?:요|\s?줘요?|\s?주세요|세요)?"""
_UNSPACED = rf"(?:{_CHINESE}|{_JAPANESE}|{_KOREAN})"
_UNSPACED_ALONE = rf"""(?:{_UNSPACED}
    |(?:[请請])?(?:不要|别|別)(?:保存|[记記](?:住|[录錄]|下[来來]?)?|存)[了啦哦啊吧]?
    |(?:保存し|記憶し|メモし|記録し|覚え)ないで(?:ください|下さい|くれ|ね|よ){{0,2}}
    |覚えなくて(?:も)?いい(?:です)?[よね]?
    |(?:저장|기억|기록)하지\s?(?:마|말아)(?:요|\s?줘요?|\s?주세요|세요)?)"""
_START = re.compile(
    rf"""\s{{0,9}}{words.LEAD_IN}(?:{"|".join(one.at_the_start for one in _LANGUAGES)}
    |{_UNSPACED}{_SEPARATOR}(?=\S)|{_CHINESE}(?=我..)|{_CHINESE_BARE}
    |{_JAPANESE}(?=[^\s、。！？!?ーwっ笑])(?!って|と[言い思])|{_KOREAN}\s(?=(?:나|난|내|저|전|제|우리)))""",
    re.IGNORECASE | re.VERBOSE,
)
_END = re.compile(
    rf"""(?:(?:[,，;；.。!！…、—–\n-]|(?<=けど)|(?<=から)|\s)\s?
    (?:{"|".join(one.at_the_end for one in _LANGUAGES)}|{_UNSPACED}))[\s.。!！~～…)）]{{0,9}}\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_WHOLE = re.compile(
    rf"""\s{{0,9}}{words.LEAD_IN}(?:{"|".join(one.whole for one in _LANGUAGES)}|{_UNSPACED_ALONE})
    [\s.。!！~～…)）]{{0,9}}\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_OWN = re.compile(
    rf"(?:\A|[\s,.;!?])(?:{'|'.join(one.own for one in _LANGUAGES)})", re.IGNORECASE | re.VERBOSE
)
_HAN_OR_KANA = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
# What programs keep in their memory, and where else. Words of everyday life are not among them: "my
# test was positive", "i'm on a waiting list".
_THING = re.compile(
    r"""\b(?:files?|cach\w+|ram|vram|disks?|arrays?|variables?|buffers?|leaks?|heap|databases?
      |servers?|bytes?|[gm]b|textures?|tokens?|too\s(?:big|large)|loads?|loading|pointers?
      |datei(?:en)?|festplatte|variablen?|archivos?|fichiers?|disque|файл\w*|диск\w*
      |перемен\w+|массив\w*|кэш\w*|сервер\w*|arquivos?|pliki?|dysk\w*)\b
    |文件|变量|變量|缓存|緩存|磁盘|数据|數據|ファイル|ディスク|変数|データ|キャッシュ|配列|파일|디스크|변수|데이터""",
    re.IGNORECASE | re.VERBOSE,
)


def text_beside_request(text: str, end: int) -> str | None:
    """Returns what the message says after such a request, or before one behind letter `end`.

    Returns "" for a message that is nothing but a request, None for one without.
    """
    if _WHOLE.match(text):
        return ""
    if match := _START.match(text):
        said = text[match.end() :]
        return None if _THING.search(said[:_CLOSE]) else said.strip()
    if not (match := _END.search(text, end)):
        return None
    said = text[: match.start()]
    is_of_a_person = bool(_OWN.search(said) or _HAN_OR_KANA.search(said))
    return said.strip() if is_of_a_person and not _THING.search(said[-_CLOSE:]) else None
