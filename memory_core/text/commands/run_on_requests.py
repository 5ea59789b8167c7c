"""Recognises "don't save this pls i got fired": a request that runs on without punctuation.

Without a comma, "this" may begin the name of a thing ("this file") and the rest may say why that
thing must not be saved ("i need to edit it first"). So a "please" has to end the request, or a
statement about oneself has to follow; and what is said must not name a file or a game.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese)

import re
from dataclasses import dataclass

from . import off_the_record_words as words
from .further_languages import RUSSIAN_PLEASE

_NAMES_A_THING_WITHIN = 60  # letters beside the request that may name the thing
_REPORTS_WITHIN = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class _Language:
    """Parts of patterns of one language.

    `loud` are requests before a statement that begins with `own`; `request` may have a `please` on
    either side, but not before `more`, words about the thing. `bare` lacks "this", and needs both a
    `please` and an `own`.
    """

    loud: str
    request: str
    please: str
    own: str
    more: str
    bare: str = r"(?!)"

    @property
    def at_the_start(self) -> str:
        polite = rf"(?:{self.please},?\s(?:{self.bare})|(?:{self.bare}),?\s{self.please})"
        return rf"""(?:{self.request}),?\s{self.please}\s+(?=\S)(?!(?:{self.more})\s)
            |(?:{self.loud}|{polite}),?\s+(?=(?:{self.own}))"""

    @property
    def at_the_end(self) -> str:
        return rf"(?:{self.please},?\s(?:{self.request})|(?:{self.request}),?\s{self.please})"


_ENGLISH = _Language(
    loud=rf"""{words.ENGLISH_LOUD}
        |{words.ENGLISH_NO}(?:memori[sz]e|save|store|log)\sthis(?:\smessage)?""",
    request=rf"""{words.ENGLISH_NAMED}|{words.ENGLISH_ASK}
        |(?:can|could|would)\s(?:you|u)\snot\s(?:memori[sz]e|save|store|log)\sthis""",
    bare=rf"{words.ENGLISH_NO}{words.ENGLISH_KEEPS}",
    please=rf"(?:{words.ENGLISH_PLEASE}|ok(?:ay)?)\b",
    own=r"(?:i|i['’]?(?:m|ve|ll|d)|my|me\sand|we|we['’]?(?:ve|ll|d|re)|our|s?he|s?he['’]s)\s",
    more=r"""in|on|at|for|to|as|with|under|until|yet|here|there|anymore|and|or|remind|tell|help
        |explain|repeat|say|show|give|can|could|what|who|when|how""",
)
_GERMAN = _Language(
    loud=words.GERMAN,
    request=r"""(?:merke?\sdir|speicher[en]?|notier[en]?)
          \s(?:das|dies(?:es|e\snachricht)?|folgendes)(?:\s(?:jetzt|mal|lieber|hier)){0,2}\snicht
        |(?:das\s(?:hier\s)?)?nicht\s(?:merken|(?:ab)?speichern|notieren)""",
    please=r"(?:bitte|pl[sz])\b",
    own=r"(?:ich|mir|mich|mein\w{0,2}|wir|uns|unser\w{0,2}|hab|habe|bin|wurde)\s",
    more="im|in|als|auf|unter|bei|für|hier|noch|und|oder|sondern",
)
_SPANISH = _Language(
    loud=rf"{words.SPANISH}|{words.SPANISH_KEEP_TEXT}|{words.SPANISH_UNWANTED}",
    request=rf"{words.SPANISH_RECALL}|{words.SPANISH_KEEP}|no\smemori[cz][eé]s\s{words.SPANISH_THIS}",
    bare=words.SPANISH_KEEP_IT,
    please=rf"(?:{words.SPANISH_PLEASE}|pl[iz]?s|plz)\b",
    own=r"(?:yo|me|mis?|nos|estoy|soy|tengo|he|estuve|(?!as[íi])\w{2,}[éí])\s",
    more="en|para|como|con|aquí|ahí|y|o|todavía|aún",
)
_FRENCH = _Language(
    loud=words.FRENCH,
    request=rf"""(?:ne\s|n['’])?(?:(?:retiens|m[ée]morise|enregistre|sauvegarde|garde|note)\spas
        |te\ssouviens\spas\sde)\s{words.FRENCH_THIS}""",
    please=rf"(?:{words.FRENCH_PLEASE}|svp|pl[sz])(?!\w)",
    own=r"""(?:je|j['’]\s?\w+|jai|jsuis|chui|on|nous|m(?:on|a|es)|moi)\s""",
    more="dans|sur|ici|là|pour|comme|en|et|ou|encore",
)
_RUSSIAN = _Language(
    loud=rf"{words.RUSSIAN}|{words.RUSSIAN_NO}\sтолько\s{words.RUSSIAN_THIS}",
    request=rf"""{words.RUSSIAN_NO}\s(?:только\s)?{words.RUSSIAN_THIS}|{words.RUSSIAN_THIS},?\s{words.RUSSIAN_NO}""",
    bare=words.RUSSIAN_NO,
    please=rf"{RUSSIAN_PLEASE}\b",
    own=r"""(?:я|у\s(?:меня|нас|моей|моего)|мне|нам|мо[йяёию]|моего|мы
        |меня\s(?:\w+\s)?\w+л[аи]?)(?!\w)""",
    more="в|на|как|тут|здесь|под|для|и|или|ещё|пока",
)
_PORTUGUESE = _Language(
    loud=rf"{words.PORTUGUESE}|{words.PORTUGUESE_KEEP}",
    request=rf"{words.PORTUGUESE_KEEP}|n[ãa]o\smemoriz[ae]\s{words.PORTUGUESE_THIS}",
    please=rf"(?:{words.PORTUGUESE_PLEASE}|pf|pl[sz])\b",
    own=r"(?:eu|me|meus?|minhas?|fui|t[ôo]|estou|sou|tenho|n[óo]s|a\sgente|\w{2,}(?:ei|í))\s",
    more="em|no|na|para|pra|como|com|aqui|aí|e|ou|ainda",
)
_ITALIAN = _Language(
    loud=rf"{words.ITALIAN}|{words.ITALIAN_KEEP}",
    request=rf"{words.ITALIAN_KEEP}|non\smemorizzare\s{words.ITALIAN_THIS}",
    please=r"(?:per\s?favore|ti\sprego|pl[sz])\b",
    own=r"(?:io|mi|sono|ho|mio|mia|miei|ci|noi|sto)\s",
    more="in|nel|nella|per|come|con|qui|lì|e|o|ancora",
)
_POLISH = _Language(
    loud=rf"{words.POLISH}|{words.POLISH_KEEP}",
    request=rf"""{words.POLISH_KEEP}|nie\szapami[ęe]tuj\stego|tego\snie\s(?:zapami[ęe]tuj|zapisuj|notuj)""",
    please=r"(?:prosz[ęe]|pl[sz])(?!\w)",
    own=r"(?:ja|mnie|mi|mam|jestem|m[óo]j|moj\w{1,2}|\w+[łl][ea]m)\s",
    more="w|we|na|do|jako|dla|tutaj|i|lub|jeszcze",
)
_KOREAN_PLEASE = r"(?:제발|부탁해요?|부탁이야)"
_CHINESE_TAIL = r"[了啦哦喔啊呀哈吧]?"
_CHINESE_OWN = r"(?:我|俺|咱|[他她]|其实|其實|今天|昨天|刚才|剛才)"
_JAPANESE_END = r"""(?:(?:ください|下さい)ね?|くれ|ほしい(?:んだ)?(?:けど)?|おいて(?:ね|ください)?
    |お願い(?:します)?|ね|よ)"""
_JAPANESE_ASK = rf"""{words.JAPANESE_THIS}(?:は|を|も)?
    (?:(?:覚え|記憶し|記録し|保存し|メモし|(?:記憶|記録|メモリー?)に(?:残さ|入れ))ないで)"""
_JAPANESE_OWN = r"(?:私|わたし|あたし|僕|ぼく|俺|おれ|うち|実は|昨日|今日|今朝)"
# Requests in scripts without blanks between words, or with the verb at the end.
_OTHERS_AT_THE_START = rf"""{words.CHINESE}{_CHINESE_TAIL}(?={_CHINESE_OWN})
    |(?:[请請拜麻][你您托託烦煩]?)?(?:不要|别|別)(?:[记記][录錄]|[记記]下[来來]?)(?=我..)
    |[请請拜麻][你您托託烦煩]?(?:不要|别|別)[记記]住(?=我..)
    |(?:{_JAPANESE_ASK}|{words.JAPANESE_NO_ALONE}){_JAPANESE_END}
      (?=[^\s、。！？!?ーwっ笑])(?!って|と[言い思])
    |{_JAPANESE_ASK}(?={_JAPANESE_OWN})
    |{words.JAPANESE_THIS}(?:は|を)?覚えなくて(?:も)?いい(?:です)?から(?=[^\s、。ね])
    |{words.KOREAN}(?:\s{_KOREAN_PLEASE}\s+(?=\S)|(?<=[줘요])\s+(?=\S)
      |\s+(?=(?:나[는도]?|난|내|내가|저[는도]?|전|제|제가|우리)\s))"""
_OTHERS_AT_THE_END = rf"""(?:(?<=[了啊呢呀哦吧的])|\s){words.CHINESE}{_CHINESE_TAIL}
    |(?<=[たるだよねの]){_JAPANESE_ASK}{_JAPANESE_END}
    |(?<=[어다요지네야해])\s{words.KOREAN}(?:\s{_KOREAN_PLEASE})?"""
_LANGUAGES = (
    *(_ENGLISH, _GERMAN, _SPANISH, _FRENCH, _RUSSIAN),
    *(_PORTUGUESE, _ITALIAN, _POLISH),
)
_START = re.compile(
    rf"""\s{{0,9}}{words.LEAD_IN}
    (?:{"|".join(language.at_the_start for language in _LANGUAGES)}|{_OTHERS_AT_THE_START})""",
    re.IGNORECASE | re.VERBOSE,
)
_END = re.compile(
    rf"""(?:\s(?:{"|".join(language.at_the_end for language in _LANGUAGES)})|{_OTHERS_AT_THE_END})
    [\s.。!！~～…)）]{{0,9}}\Z""",
    re.IGNORECASE | re.VERBOSE,
)
# Files and games, which are saved, too.
_THING = re.compile(
    r"""\b(?:files?|folders?|drafts?|savegames?|games?|levels?|commits?|branch|corrupt\w*
      |it['’]?s\s(?:broken|not\s(?:done|ready|finished))
      |ist\skaputt|c['’]est\scassé|est[áa]\sroto|t[áa]\squebrado|è\srotto|jest\szepsut\w|сломан\w*
      |(?:edit|fix|change|finish|rename|saved?)\s(?:it|this|that)|already\ssaved
      |datei(?:en)?|ordner|spiel|spielstand|entwurf|noch\snicht\sfertig|(?:ab)?gespeichert
      |archivos?|fichero|carpeta|partida|juego|nivel|borrador
      |fichiers?|dossier|(?:la|ma)\spartie|jeu|niveau|brouillon|enregistré\w*|sauvegardé\w*|pas\sfini
      |файл\w*|папк\w+|игр[уыаеой]|уров\w+|сейв\w*|черновик\w*|сохран\w+
      |arquivos?|ficheiros?|jogo|rascunho
      |cartella|partita|gioco|livello|bozza
      |plik\w*|gr[ayęe]|poziom\w*|wersj\w+)\b
    |文件|文档|文檔|档案|檔案|存[档檔过過]|游戏|遊戲|版本|草稿|[改写寫编編做](?:完|好)|重[打玩]|来[记存]
    |ファイル|フォルダ|データ|ゲーム|セーブ|上書き|下書き
    |파일|폴더|게임|레벨|문서|초안""",
    re.IGNORECASE | re.VERBOSE,
)
# Others' words: "he said please don't save this".
_REPORT = re.compile(
    r"""\b(?:said|says|saying|told|tells|tell|asked|asks|ask|begged|wrote|texted|replied|mean|means|by|to
      |gesagt|sagt|sagte|meinte|meint|bat|dijo|dice|pidi[óo]|dit|disait|demandé|répondu
      |сказал\w*|говорит|говорил\w*|просил\w*|попросил\w*|написал\w*
      |disse|diz|falou|pediu|detto|chiesto|powiedział\w*|mówi\w*|prosił\w*|poprosił\w*)
      (?:\s\w+){0,2}\s*\Z
    |[说說叫让讓求问問][^，。]{0,4}\Z""",
    re.IGNORECASE | re.VERBOSE,
)


def text_beside_request(text: str, end: int) -> str | None:
    """Returns what the message says after such a request, or before one behind letter `end`.

    Returns None for a message without one.
    """
    if match := _START.match(text):
        said = text[match.end() :]
        return None if _THING.search(said[:_NAMES_A_THING_WITHIN]) else said.strip()
    if not (match := _END.search(text, end)):
        return None
    said = text[: match.start()]
    is_talk = _THING.search(said[-_NAMES_A_THING_WITHIN:]) or _REPORT.search(
        said[-_REPORTS_WITHIN:]
    )
    return None if is_talk else said.strip()
