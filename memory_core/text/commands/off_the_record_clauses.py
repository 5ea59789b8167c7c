"""Recognises a request not to remember, however it is typed, by what the rest of the message tells.

A request that is a clause of its own counts beside a statement about a person. Beside an intimate
statement ("i'm pregnant"), it may also run on, and may be one that is mostly said of things.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese)

import re
from dataclasses import dataclass

from .off_the_record_context import (
    ANY_PERSON,
    DIRECT_REPORT,
    EXPLAINS,
    FORGOTTEN,
    INTIMATE,
    REPORT,
    REPORT_BEHIND,
    THING,
)
from .off_the_record_words import EMOJI, ENGLISH, FRENCH, GERMAN, LANGUAGES, RUSSIAN, SPANISH

_NEARBY = 80  # letters beside the request that are searched


@dataclass(frozen=True, slots=True, kw_only=True)
class _Requests:
    """The requests of one language: `of_this` needs a statement, `of_it` needs one before it.

    `of_things` needs an intimate one.
    """

    of_this: str
    of_it: str = "(?!)"
    of_things: str
    please: str = "(?!)"


_EN_NO = r"(?:do\s?n['’´`]?t|do\s?not|dnt|dun|never|u\sbetter\snot|you['’]?d\sbetter\snot)\s"
_EN_REMEMBER = r"rem\w{1,4}r|memori[sz]e"  # however it is typed
_EN_SAVE = r"sav?e?|store|log|(?:you|u)\s(?:dare\s)?(?:save|store|log)|(?:you|u)\sdare\sremember"
_EN_THIS = r"""(?:(?:this|dis)(?:\s(?:one|message|msg|part|bit|chat|convo|conversation))?
    |what\si(?:\s(?:say|tell\s(?:you|u))|['’]?m\ssaying)\s(?:now|next))"""
_EN_THAT = r"(?:that|it|these|any\sof\s(?:this|it|that))"
_EN = _Requests(
    of_this=rf"(?:{_EN_NO})(?:{_EN_REMEMBER}|{_EN_SAVE})\s{_EN_THIS}",
    of_it=rf"""(?:{_EN_NO})(?:{_EN_SAVE})\s{_EN_THAT}|{_EN_NO}save
        |(?:{ENGLISH.please}),?\s{_EN_NO}(?:{_EN_REMEMBER})|(?:{_EN_NO})(?:{_EN_REMEMBER})\s(?:{ENGLISH.please})""",
    of_things=rf"""{_EN_NO}(?:(?:{_EN_REMEMBER}|{_EN_SAVE}|record|keep|note|add|write\sdown)\s{_EN_THAT}
          |(?:record|keep|note|add)\s{_EN_THIS}|(?:write|note|jot|put)\s(?:{_EN_THIS}|{_EN_THAT})\sdown
          |(?:put|keep|store)\s(?:{_EN_THIS}|{_EN_THAT})\s(?:in|to|into)\s(?:ur|your|the)?\s?memory
          |{_EN_REMEMBER}|save|store)
        |(?:there['’]?s\s)?no\sneed\sto\s(?:remember|save|store|memori[sz]e)(?:\s(?:{_EN_THIS}|{_EN_THAT}))?
        |(?:you|u)\s(?:(?:do\s?n['’´`]?t|do\snot)\s(?:have|need)\sto|should\s?n['’´`]?t|must\s?n['’´`]?t|ca\s?n['’´`]?t)\s
          (?:remember|save|store|log|memori[sz]e)(?:\s(?:{_EN_THIS}|{_EN_THAT}))?
        |(?:can|could|would|will)\s(?:you|u)\s(?:not\s(?:remember|save|store|log)\s(?:{_EN_THIS}|{_EN_THAT})
          |forget\s(?:{_EN_THIS}|{_EN_THAT})(?:\s(?:after|afterwards|later|again))?)(?!\w)
        |forget\s(?:(?:that\s)?i\s(?:ever\s)?(?:said|told\s(?:you|u))\s(?:this|that|it|anything)|i\s(?:ever\s)?said\s(?:this|that|it|anything))
        |not\sto\sbe\s(?:saved|stored|remembered)|no\smemory|(?:forget|delete)\s(?:{_EN_THIS}|{_EN_THAT})\s
          (?:right\s)?after(?:wards)?(?:\s(?:reading|that|this))?
        |keep\s(?:{_EN_THIS}|{_EN_THAT})\soff\s(?:the\s)?record|not\sfor\sthe\srecord|off\s(?:the\s)?record|that['’]?s\soff\sthe\srecord""",
    please=rf"(?:{ENGLISH.please})",
)
_DE_NO = r"(?:ni?cht?|ned|net|nid)"
_DE_THIS = r"(?:da(?:s|ss)(?:\s(?:jetzt|hier|folgende))?|dies(?:es)?|folgendes|es)"
_DE_SOFT = (
    r"(?:\s(?:bitte|jetzt|mal|lieber|aber|jetz|blo(?:ß|ss|s)|ja|auf\skeinen\sfall|alles)){0,3}"
)
_DE = _Requests(
    of_this=rf"""(?:merke?\sdir|speicher[en]?)\s{_DE_THIS}{_DE_SOFT}\s{_DE_NO}(?:\sab)?
        |merk['’]?s\sdir{_DE_SOFT}\s{_DE_NO}
        |{_DE_THIS}\s(?:merkst\sdu\sdir|speicherst\sdu){_DE_SOFT}\s{_DE_NO}(?:\sab)?
        |(?:{_DE_THIS}\s)?{_DE_NO}\s(?:merken|(?:ab)?speichern|notieren)
        |(?:das|dies(?:es)?)\ssoll(?:te)?\s{_DE_NO}\s(?:ab)?gespeichert\swerden
        |(?:ich\s)?(?:will|möchte)\s{_DE_NO}\s?,?\sdass?\sdu\s(?:dir\s)?{_DE_THIS}\s(?:merkst|(?:ab)?speicherst)""",
    of_things=rf"""speicher[en]?\s{_DE_NO}|behalte?\s{_DE_THIS}{_DE_SOFT}\s{_DE_NO}|(?:schreibe?|notiere?)\s{_DE_THIS}{_DE_SOFT}\s{_DE_NO}(?:\sauf)?
        |{_DE_THIS}\s(?:musst|brauchst|sollst|darfst)\sdu\s(?:dir\s)?{_DE_NO}\s(?:zu\s)?(?:merken|(?:ab)?speichern)
        |(?:musst|brauchst)\sdu\sdir\s(?:{_DE_THIS}\s)?{_DE_NO}\s(?:zu\s)?merken
        |(?:kannst|könntest)\sdu\s(?:dir\s)?{_DE_THIS}{_DE_SOFT}\s{_DE_NO}\s(?:merken|(?:ab)?speichern)
        |vergiss\s(?:{_DE_THIS}(?:\s(?:gleich|danach|sofort))?\s(?:wieder|danach)|was\sich\s(?:jetzt|gleich)\ssage)
        |(?:mach\sdir\s)?(?:davon\s)?keine\snotiz(?:\sdavon)?|lösche?\s{_DE_THIS}\s(?:gleich|danach|sofort)(?:\swieder)?
        |(?:das\sist\s)?off\sthe\srecord""",
    please=rf"(?:{GERMAN.please})",
)
_ES_KEEP = r"""(?:(?:guard|registr|anot|apunt|grab|almacen)(?:es|és)|guarde|memori[cz](?:es|és))"""
_ES_RECALL = r"(?:recuerd(?:es|e)|record[ée]s|te\sacuerdes\sde|te\sacord[ée]s\sde)"
_ES_THIS = (
    r"(?:esto|este\smensaje|lo\sque\s(?:te\s)?digo|lo\sque\sviene|nada(?:\sde\s(?:esto|eso))?)"
)
_ES_WANT = r"no\s(?:qu|k)iero\s(?:que|q|k|ke)"
_ES = _Requests(
    of_this=rf"no\s(?:{_ES_KEEP}|{_ES_RECALL})\s{_ES_THIS}|{_ES_WANT}\s(?:{_ES_KEEP}|{_ES_RECALL})\s{_ES_THIS}",
    of_it=rf"(?:esto\s)?no\s(?:[tm]e\s)?lo\s(?:{_ES_KEEP}|{_ES_RECALL})|no\s{_ES_KEEP}\seso",
    of_things=rf"""no\s(?:[tm]e\s)?lo\s(?:vayas\sa\s(?:guardar|recordar|anotar)|metas\sen\s(?:tu|la)\smemoria)
        |{_ES_WANT}\s(?:te\s)?lo\s(?:{_ES_KEEP}|{_ES_RECALL})|no\s{_ES_RECALL}\seso|no\s{_ES_KEEP}
        |no\s(?:hace\sfalta|es\snecesario)\s(?:que|q)\s(?:lo\s)?(?:{_ES_KEEP}|{_ES_RECALL})(?:\s(?:esto|eso))?
        |(?:puedes|pod[ée]s|podr[íi]as)\sno\s(?:guardar|recordar|anotar|registrar)(?:lo|\s(?:esto|eso))
        |no\stomes\snota(?:s)?(?:\sde\s(?:esto|eso))?|(?:esto\s)?que\s(?:esto\s)?no\s(?:se\s)?quede\s(?:guardado|registrado)|extraoficial(?:mente)?
        |olv[íi]dalo\s(?:luego|despu[ée]s)|off\sthe\srecord""",
    please=rf"(?:{SPANISH.please}|porfavor|porfi|xfa|x\sfa(?:vor)?)",
)
_FR_KEEP = r"(?:note|retiens|retient|enregistre|garde|m[ée]morise|sauvegarde|stocke|[ée]cris)"
_FR_THIS = r"(?:[çc]a|cela|ceci|ce\smessage|ce\sque\sje\sdis)"
_FR_INFINITIVE = r"(?:retenir|noter|m[ée]moriser|garder|enregistrer|sauvegarder)"
_FR = _Requests(
    of_this=rf"""(?:ne\s|n['’\s])?{_FR_KEEP}\spas(?:\s{_FR_THIS}|(?=\sque\s(?:je|j['’])))|(?:ne\s)?te\ssouviens\spas\sde\s{_FR_THIS}
        |(?:je\s)?(?:ne\s)?veux\spas\s(?:que|q)\stu\s(?:retiennes|notes|gardes|enregistres|m[ée]morises)\s{_FR_THIS}""",
    of_it=rf"(?:ne\sle\s|le\s|ne\sl['’]|l['’]){_FR_KEEP}\spas|ne\st['’]en\ssouviens\spas",
    of_things=rf"""(?:ne\s|n['’])?{_FR_KEEP}\spas(?:\sen\sm[ée]moire)?
        |n['’]en\sgarde\s(?:pas\sde\s|pas\s|aucune\s)?trace|[àa]\seffacer\s(?:apr[èe]s|ensuite)|(?:ne\s)?prends\spas\s(?:de\s)?notes?
        |pas\s(?:besoin|la\speine)\sde\s(?:le\s|l['’])?{_FR_INFINITIVE}(?:\s{_FR_THIS})?
        |(?:tu\spe(?:ux|ut)|peux[-\s]tu|tu\spourrais)
          \sne\spas\s(?:le\s|l['’])?{_FR_INFINITIVE}(?:\s{_FR_THIS})?
        |(?:il\s)?(?:ne\s)?faut\spas\s(?:le\s|l['’])?{_FR_INFINITIVE}(?:\s{_FR_THIS})?
        |[àa]\sne\spas\s{_FR_INFINITIVE}|off\sthe\srecord
        |oublie\s(?:que\sj['’]?ai\sdit\s{_FR_THIS}|(?:le|[çc]a)\sapr[èe]s)""",
    please=rf"(?:{FRENCH.please})",
)
_RU_NO = r"не\s?(?:зап[оа]м(?:инай|ни)|сохраняй|записывай)(?:те)?"
_RU_KEEP = r"(?:запоминать|сохранять|записывать)"
_RU_THIS = r"(?:это(?:го)?(?:\sсообщение)?|следующее)"
_RU = _Requests(
    of_this=rf"""{_RU_NO}\s{_RU_THIS}|{_RU_THIS}\s{_RU_NO}|не\s?(?:зап[оа]м(?:инай|ни))(?:те)?
        |не\s(?:надо|нужно)\s(?:{_RU_THIS}\s)?{_RU_KEEP}(?:\s{_RU_THIS})?
        |(?:я\s)?не\sхочу,?\sчтобы?\sты\s(?:{_RU_THIS}\s)?(?:запомина|сохраня|записыва|запомни)ла?(?:\s{_RU_THIS})?""",
    of_it=_RU_NO,
    of_things=rf"""{_RU_NO}|(?:ты\s)?(?:можешь|могла?\sбы)\s(?:{_RU_THIS}\s)?не\s{_RU_KEEP}(?:\s{_RU_THIS})?
        |забудь\s(?:это\s)?(?:потом|сразу|после)|(?:это\s)?(?:без|не\sдля)\s(?:записи|протокола|памяти)""",
    please=rf"(?:{RUSSIAN.please})",
)
_ZH_KEEP = "(?:[记記](?:住|[录錄]|下[来來]?|得|着)?|保存|[存留](?:下[来來]?|着)?)"
_ZH_NO = "(?:不要|不许|不許|千万别|千萬別|千万不要|别|別|不用|不必|甭)(?:[给給]我|帮我|幫我)?"
_ZH_THIS = r"""(?:[这這](?:个|個|条|條|句话?|句話|件?事|些话?|段话?|话|話)?
    |我[说說](?:的)?(?:话|話|这些)?|刚才的话?)"""
_ZH_PLEASE = r"""(?:[请請拜麻][你您托託烦煩]{0,2}|悄悄(?:告[诉訴]你|跟你[说說]|[说說])[,，]?|求你)?
    (?:你|您)?(?:可[别別]|就)?"""
_ZH = _Requests(
    of_this=rf"""{_ZH_PLEASE}(?:{_ZH_THIS}(?:你|您)?)?{_ZH_NO}{_ZH_KEEP}(?:{_ZH_THIS})?[了啦哦喔啊呀哈吧嘛]{{0,2}}""",
    of_things=rf"""(?:{_ZH_THIS}(?:你|您)?)?(?:不要|别|別)
          (?:存档|存檔|留(?:下)?[记記][录錄]|[写寫][进進]去)[了啦哦啊呀哈吧]?
        |(?:可以|可不可以|能不能|能)(?:你|您)?(?:不要|别|別|不){_ZH_KEEP}(?:{_ZH_THIS})?[吗嗎]?
        |我?不(?:想|希望|要)(?:让|讓)?(?:你|您){_ZH_KEEP}(?:{_ZH_THIS})?""",
)
_JA_KEEP = r"""(?:(?:覚え|おぼえ)(?:とか|ておか|て)?|記憶し|記録し|保存し|メモし
    |(?:記憶|記録|メモリー?)に(?:残さ|入れ))"""
_JA_THIS = r"(?:これ|今の|このこと|この話|今(?:言った|話した|から(?:言う|話す))こと)[はをも]?、?"
_JA_WANTED = "(?:ください|下さい|くれ|ほしい(?:んだ)?(?:けど)?|おいて|お願い(?:します)?|ね|よ|な)"
_JA = _Requests(
    of_this="(?!)",
    of_things=rf"""(?:{_JA_THIS})?(?:{_JA_KEEP}ないで{_JA_WANTED}{{0,3}}|(?:覚え|おぼえ|記録す|保存す)る?な
        |(?:覚え|おぼえ)(?:とか|ておか|て)?なくて(?:も)?(?:いい|大丈夫)(?:です|だ)?(?:から|けど|[ねよ]){{0,2}}
        |今から(?:言う|話す)こと(?:は|を)?忘れて(?:ください|ほしい|[ねよ]){{0,2}}
        |(?<![とはをもの])(?:あとで|すぐ)?忘れて(?:ください|ほしい|[ねよ]){{0,2}}|オフレコ(?:で|ね)?)""",
)
_SPACED = (_EN, _DE, _ES, _FR, _RU)
_PLEASE = "|".join(one.please for one in _SPACED)


def _any(requests: list[str]) -> str:
    spaced = "|".join(requests)
    return rf"(?:(?:{_PLEASE}|just|bloß|nur|только|тока),?\s)?(?:{spaced})(?!\w)"


_OF_THIS = _any([one.of_this for one in _SPACED])
_OF_IT = _any([one.of_it for one in _SPACED])
_OF_THINGS = _any([one.of_things for one in _SPACED])
_SAVED = r"""(?:files?|folder|photos?|pics?|pictures?|images?|videos?|numbers?|songs?|games?
    |seats?|places?|movies?|docs?|documents?|drafts?|pages?|code|e-?mails?|contacts?|recipes?|time|money|stuff|anymore|yet|later)\b"""
_TAIL = rf"""(?:,?\s?(?:(?:{_PLEASE}|ok(?:ay)?|k|anywhere|ever|lol|lmao|haha\w*|xd
    |thx|thanks|tho|though|danke|gracias|vale|merci|ок|спасибо)\b\??)){{0,2}}
    (?:,\s[^\W\d_]{{2,20}}(?=[^\w\"”]*\Z)|\s(?-i:[A-Z])[^\W\d_]{{1,19}}(?=[^\w\"”]*\Z|,))?"""
# Beside an intimate statement, a last word without a comma is the name, too.
_TAIL_OR_NAME = rf"{_TAIL}(?:\s(?!{_SAVED})[^\W\d_]{{2,20}}(?=[^\w\"”]*\Z))?"
_BREAK = rf"[,，;；.。!！?？…、—–\n()（）\[\]*~:：{EMOJI}-]"
# No name: who or what says these words, and words that deny or join.
_NO_NAME = r"""(?:i|you|u|we|they|he|she|it|y['’]?all|people|guys|most|some|many|why|that|who|what
    |which|just|still|really|also|always|usually|often|never|kids|friends|parents|men|women|girls|boys|to|by|or|if|when|how|save
    |ich|du|er|sie|es|wir|ihr|man|warum|wieso|dass?|kannst|yo|tú|él|ella|que|qué|si|para|mejor
    |je|tu|il|elle|on|nous|vous|ils|elles|qui|ne|j|я|ты|он|она|мы|вы|они|что|почему|как|если)"""
_NAME = rf"""(?:(?:hey|ok(?:ay)?|hi|yo|psst|listen|oye|и|ну)\s)?(?!(?:{_NO_NAME}|and|y|et|и|und)\b)
    (?![\u3040-\ud7a3])[^\W\d_]{{2,20}}[,!]?\s"""
_CJK_NAME = r"""(?:(?![^别別不這这]{0,4}[说說叫让讓求问問我你他她师師])[\u4e00-\u9fff]{2,4}[,，]?
    |[a-z]{2,20}[,，\s]{0,2}|[ァ-ヶー]{2,8}(?:ちゃん|さん)?、?)"""
_AND = r"(?:and|but|so|und|aber|y|pero|et|mais|и|но)\s"
_BEFORE = rf"(?:\A[\s{EMOJI}]{{0,9}}(?:{_NAME})?|{_BREAK}[\s{EMOJI}]{{0,3}}(?:{_NAME})?|\s{_AND})"
_AFTER = rf"{_TAIL}(?=[\s{EMOJI}]*(?:\Z|{_BREAK})|,?\s(?:but|aber|pero|mais|но)\b)"
_END = '[^\\w"“”„«»」』]*_?\\Z'  # not the end of a quotation
_CJK_BEFORE = rf"""(?:\A[\s{EMOJI}]{{0,9}}(?:{_CJK_NAME})?|{_BREAK}\s?(?:{_CJK_NAME})?
    |(?<=[\u3040-\u9fff])\s|\s(?=[\u4e00-\u9fff]))"""
_CJK_AFTER = rf"(?=[\s{EMOJI}]*(?:\Z|{_BREAK})|(?<=[\u4e00-\u9fff])\s)"


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


_STATEMENTS = "|".join(one.statement_start for one in LANGUAGES)
_STATEMENT = rf"(?!im\sged|as[íi]\s)(?:(?:que|q|because|cuz|weil)\s)?(?:{_STATEMENTS})"
_ZH_STATEMENT = "我|俺|咱|[他她老被]|其[实實]|昨|今|[男女]"
_CLAUSE = _compiled(rf"{_BEFORE}(?P<request>{_OF_THIS}){_AFTER}")
_LAST_CLAUSE = _compiled(
    rf"(?:{_BREAK}[\s{EMOJI}]{{0,3}}|\s{_AND})(?P<request>{_OF_IT}){_TAIL}{_END}"
)
# "No lo guardes pero …": what follows is a statement.
_BUT_FIRST = _compiled(
    rf"\A[\s{EMOJI}]{{0,9}}(?:{_NAME})?(?P<request>{_OF_IT}|{_OF_THIS}){_TAIL},?\s(?:but|aber|pero|mais|но)\s"
)
# A statement in Chinese or Japanese often leaves out of whom it is: 考试挂了,别记.
_ENDING = _compiled(
    rf"""(?<=\w)[,，、。.…！!~\s{EMOJI}]{{1,4}}(?P<request>(?:不要|别|別)[记記](?:住|[录錄]|下[来來]?)?[了哦啊呀哈]?
        |(?:覚え|おぼえ|記憶し|記録し)ないで{_JA_WANTED}{{0,3}}){_END}"""
)
# The statement may be the object: 别把我挂科的事记下来.
_OBJECT = _compiled(
    r"""(?:能不能|可不可以|可以|请|請|你)?(?:不要|别|別)把(?P<said>[我他她][^，。！？\s]{1,20}?)
        (?:[记記](?:住|[录錄]|下[来來]?)|存下[来來]|保存)[吗嗎了哦啊呀哈吧]?[\W_]*\Z"""
)
_CJK_CLAUSE = _compiled(rf"{_CJK_BEFORE}(?P<request>{_ZH.of_this}){_CJK_AFTER}")
_LAST_WORDS = _compiled(rf"\s(?P<request>{_OF_THIS}){_TAIL}{_END}")
_JA_LAST_CLAUSE = _compiled(
    rf"{_BREAK}\s?(?P<request>(?:覚え|おぼえ|記憶し|記録し)ないで{_JA_WANTED}{{0,3}}){_END}"
)
_START = _compiled(
    rf"\A[\s{EMOJI}]{{0,9}}(?:{_NAME})?(?P<request>{_OF_THIS}){_TAIL}\s(?={_STATEMENT})"
)
_ANY_REQUEST = rf"(?:{_OF_THIS}|{_OF_IT}|{_OF_THINGS})"
_INTIMATE_REQUESTS = (
    _compiled(rf"{_BEFORE}(?P<request>{_ANY_REQUEST}){_AFTER}"),
    _compiled(
        rf"(?:\A[\s{EMOJI}]{{0,9}}(?:{_NAME})?|\s{_AND})(?P<request>{_OF_THIS}|{_OF_IT}){_TAIL}\s(?={_STATEMENT})"
    ),
    _compiled(rf"\s(?P<request>{_ANY_REQUEST}){_TAIL_OR_NAME}{_END}"),
    _compiled(
        rf"{_CJK_BEFORE}(?P<request>{_ZH.of_this}|{_ZH.of_things}|{_JA.of_things}){_CJK_AFTER}"
    ),
    _compiled(rf"(?P<request>{_ZH.of_this}|{_JA.of_things}){_END}"),
    _compiled(
        rf"\A(?:{_CJK_NAME})?(?P<request>(?:{_ZH.of_this})(?={_ZH_STATEMENT})|{_JA.of_things})"
    ),
)
_REQUESTS = (_CLAUSE, _BUT_FIRST, _LAST_CLAUSE, _LAST_WORDS, _CJK_CLAUSE, _JA_LAST_CLAUSE, _START)
_SUBJECT = _compiled(rf"\b(?:{_NO_NAME}|sich|mir|kann|konnte|werde|wollte)\s*\Z")


_MAY_DENY = re.compile(
    r"no|n['’´`]?t\b|dun\b|never|forget|off\s|n[ie]{1,2}[cdt]|vergiss|lösch|delete|effacer|extraofi|olv[íi]d|pas|oublie|не|забудь|без"
    "|[别別不甭]|ない|なくて|るな|忘れ|オフ",
    re.IGNORECASE,
)


def statement_beside_clause(text: str) -> str | None:
    """Returns what a message says beside a request that is told by its statement, or None."""
    if not _MAY_DENY.search(text):
        return None
    if INTIMATE.search(text):
        for pattern in _INTIMATE_REQUESTS:
            if (match := pattern.search(text)) and _is_meant(match, text, is_intimate=True):
                return _without(match, text)
    for pattern in _REQUESTS:
        if (match := pattern.search(text)) and _is_meant(match, text, is_intimate=False):
            return _without(match, text)
    if match := _OBJECT.search(text):
        return match["said"]
    match = _ENDING.search(text)
    is_meant = match and not _is_about_a_thing(text[: match.start()], "")
    return _without(match, text) if match and is_meant else None


def _without(match: re.Match[str], text: str) -> str:
    start, end = match.span("request")
    return f"{text[:start].strip()} {text[end:].strip()}".strip()


def _is_meant(match: re.Match[str], text: str, *, is_intimate: bool) -> bool:
    before, after = text[: match.start("request")], text[match.end("request") :]
    if FORGOTTEN.search(before) or _SUBJECT.search(before) or REPORT_BEHIND.match(after):
        return False
    if is_intimate and INTIMATE.search(before):
        return not DIRECT_REPORT.search(before)
    if EXPLAINS.search(after):
        return False
    if is_intimate:
        return bool(INTIMATE.search(after)) and not DIRECT_REPORT.search(before)
    return not _is_about_a_thing(before, after) and any(map(ANY_PERSON.search, (before, after)))


def _is_about_a_thing(before: str, after: str) -> bool:
    """Returns whether the words beside the request name a thing, or are of somebody else."""
    return bool(
        REPORT.search(before) or THING.search(before[-_NEARBY:]) or THING.search(after[:_NEARBY])
    )
