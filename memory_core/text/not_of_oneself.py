"""Recognises what is said in the first person and yet says nothing about its speaker.

Texts to be written, translated or corrected, roles in a game, characters, jokes taken back, actions
in asterisks, the words of others in quotation marks, and what belongs to the listener.
"""

# ruff: noqa: RUF001

import re
from collections.abc import Iterator

from .first_person import is_about_speaker
from .requests import shows_a_text
from .sentences import sentences
from .unreal_cues import takes_back

_POLITE = (
    r"\W*(?:(?:please|pls|can you|could you|would you|will you|now|ok(?:ay)?|hey"
    r"|bitte|kannst du|por favor"
    r"|puedes|s['’]il te pla[iî]t|tu peux|пожалуйста|можешь)[\s,]+)*"
)
_KNOW = "(?:know|remember|weißt|sepas|recuerdes|saches|te souviennes|знала?|помнила?)"
_VERBS = (
    r"(?:(?:re-?)?write|rephrase|reword|translate|summari[sz]e|proofread|correct|edit|improve|polish|draft"
    r"|compose|generate|continue|describe|explain|invent|draw|pretend|role-?play|act (?:as|like))\b"
    r"|(?:make|create|help|give) (?:me|us|an?|this|my)\b|let['’]?s\b"
    rf"|(?:(?:i|we) (?:want|need|(?:would|['’]d) like)|i['’]d like) you to\b(?! {_KNOW}\b)",
    r"(?:schreib|formulier|übersetz|korrigier|verbesser|erstell|erklär|beschreib|erfind|zeichn)(?:\b"
    r"|(?:e|en)? (?:mir|uns|bitte|das|dies|diesen|diese|folgend\w+|um)\b)"
    r"|(?:fass|mach|hilf|gib) (?:mir|uns|das|bitte)\b|tu so\b|lass(?:t)? uns\b"
    rf"|ich (?:möchte|will), dass du\b(?! {_KNOW}\b)",
    r"(?:re)?escr[ií]b[ea](?:me|nos)?\b|(?:traduce|corrige|mejora|redacta|reformula|inventa|imagina|finge"
    r"|actúa|dibuja)(?:me|nos)?\b|(?:haz|ayúda|da|explíca|cuénta)(?:me|nos)\b"
    rf"|vamos a jugar\b|juguemos\b|(?:quiero|necesito) que\b(?! (?:me|{_KNOW})\b)",
    r"(?:(?:ré)?[ée]cris|reformule|traduis|corrige|résume|améliore|rédige|imagine|invente|décris|explique"
    r"|dessine|jouons|on joue)\b|(?:fais|aide|donne|raconte)[- ](?:moi|nous|semblant)\b"
    rf"|(?:je (?:veux|voudrais)|j['’]aimerais) que tu\b(?! {_KNOW}\b)",
    r"(?:напиши|перепиши|переведи|исправь|отредактируй|улучши|перефразируй|придумай|сочини|составь|опиши"
    r"|объясни|нарисуй|продолжи|представь|притворись|помоги|сделай)(?:те)?\b|давай(?:те)?\b"
    rf"|(?:я )?хочу, чтобы ты\b(?! {_KNOW}\b)",
    r"(?:请|麻烦|你)?(?:(?:能|可以)?[帮给替]我(?:写|改|润色|翻译|修改|总结|编|画|做|想)"
    r"|(?:改写|润色|翻译|修改|总结|概括|续写)(?:一下|这|以下|成|为|[:：])|写(?:一|首|篇|封|段))"
    r"|(?:我们|咱们)?来玩|(?:我想|我要|我希望)(?:让)?你(?!知道|了解|明白|记)",
)
_REQUEST = re.compile(rf"{_POLITE}(?:{'|'.join(_VERBS)})", re.IGNORECASE)
_REQUEST_LAST = re.compile(
    "(?:書|直|訳|翻訳し|要約し|添削し|作っ|考え|説明し|描い|続け)[いえ]?て"
    "(?:ください|下さい|くれる|くれない|くれ|ほしい|欲しい|もらえ.{1,4})?[。！!：:]|"
    "(?:書い|直し|訳し|翻訳し|要約し|添削し|作っ|考え|説明し|描い|続け)て"
    "(?:ください|下さい|くれる|くれない|くれ|ほしい|欲しい)?(?:$|[。！!：:])"
)
_READ_CHARS = 4_000
_INTRODUCES = (":", "：")
_ARTICLE = r"(?:an?|the|my|your)"
_ROLES = (
    rf"\byou(?:['’]re| are|['’]ll be| play) {_ARTICLE}\b.{{1,60}}"
    r"\bi(?:['’]m| am|['’]ll be| play)\b",
    rf"\bi(?:['’]m| am|['’]ll be) {_ARTICLE}\b.{{1,60}}\byou(?:['’]re| are|['’]ll be) {_ARTICLE}\b",
    r"\bdu bist (?:eine?|der|die|das|meine?)\b.{1,60}\bich bin\b",
    r"\bich bin (?:eine?|der|die|das|deine?)\b.{1,60}\bdu(?: bist)? (?:eine?|der|die|das|meine?)\b",
    r"\beres (?:una?|el|la|mi)\b.{1,60}\bsoy\b|\bsoy (?:una?|el|la|tu)\b.{1,60}\by tú\b",
    r"\btu es (?:une?|le|la|l['’]|mon|ma)\b.{1,60}\bje suis\b",
    r"\bje suis (?:une?|le|la|l['’]|ton|ta)\b.{1,60}\b(?:et toi|tu es)\b",
    r"\bты\b[^.]{1,40}\bа я\b|\bя\b[^.]{1,40}\bа ты\b",
    "你(?:是|扮演|演|当).{1,20}我(?:是|扮演|演|当)|我(?:是|扮演|演|当).{1,20}你(?:是|扮演|演|当)",
    "(?:君|あなた|お前)[はが].{1,20}(?:私|僕|俺)[はが]|(?:私|僕|俺)[はが].{1,20}(?:君|あなた|お前)[はが]",
)
_CHARACTERS = (
    r"\bmy (?:character|oc|persona)(?:['’]s|\b)(?! (?:reference|flaw|trait|test)s?\b)",
    r"\bmeine? (?:charakter|figur|rolle)\b|\bmi personaje\b"
    r"|\bmon perso(?:nnage)?\b|\bмой персонаж\b",
    "我的(?:角色|人设)|我扮演|(?:私|僕|俺)のキャラ",
)
_PLAYED = re.compile("|".join((*_ROLES, *_CHARACTERS)), re.IGNORECASE)
_ACTION = re.compile(r"\*(?=\S)[^*\n]+(?<=\S)\*")
_EMPHASIS = 2  # words between asterisks that may only stress them
_QUOTED = re.compile(
    '"[^"\n]{4,}"|[“„][^“”„\n]{4,}[”“]|[«»][^«»\n]{4,}[«»]|「[^「」\n]{4,}」|『[^『』\n]{4,}』'
)
_LISTENERS = (
    r"(?:your|dein(?:e[mnrs]?)?|euer|eure[mnrs]?|tus?|vuestr[oa]s?|ton|tes|votre|vos|тво\w{1,4})"
    r"(?:\s+(?!(?:and|but|und|aber|y|et|mais|и|но)\b)[^\W\d_]+){1,3}"
    r"|(?:i|ich|je|я|te|t['’]|тебя)\s+(?:really |so |also |dich |te |t['’]|тебя )*"
    r"(?:loves?|like|miss|hate|adore"
    r"|liebe|mag|vermisse|hasse|aime|adore|déteste|люблю|обожаю|quiero|amo|adoro|odio)"
    r"(?:\s+(?:you|dich|тебя|mucho|beaucoup))?(?=\W*$|\s+(?:so|too|sehr|auch|more|очень)\b)"
)
_OF_LISTENER = re.compile(
    rf"\b(?:{_LISTENERS})|[你您]的[^，。,.]{{1,6}}|(?:君|あなた|お前|きみ)の[^、。はがを]{{1,6}}|その[^、。はがを]{{1,8}}",
    re.IGNORECASE,
)


def sentences_of_speaker(message: str) -> Iterator[str]:
    """Yields the sentences without actions and other people's words, up to a text to work on."""
    if shows_a_text(message) or _opens_with_a_scene(message):
        return
    for sentence in sentences(_without_quotes(_ACTION.sub(_emphasised, message[:_READ_CHARS]))):
        if _is_request(sentence):
            if sentence.endswith(_INTRODUCES):
                return
        elif not _PLAYED.search(sentence) and not takes_back(sentence):
            yield sentence


def is_mere_action(message: str) -> bool:
    """Returns whether the message is one action in asterisks: "*nods slowly*"."""
    return bool(_ACTION.fullmatch(message.strip()))


def without_listener(sentence: str) -> str:
    """Returns the sentence without what belongs to the listener: "your new dress"."""
    return _OF_LISTENER.sub(" ", sentence)


def _opens_with_a_scene(message: str) -> bool:
    """Returns whether the message begins with an action of several words, as role players write."""
    opening = _ACTION.match(message.lstrip())
    return opening is not None and len(opening[0].split()) > _EMPHASIS


def _is_request(sentence: str) -> bool:
    return bool(_REQUEST.match(sentence) or _REQUEST_LAST.search(sentence))


def _emphasised(found: re.Match[str]) -> str:
    """Returns a stressed word, but nothing for an action."""
    words = found[0].strip("*")
    is_short = len(words.split()) <= _EMPHASIS and words.isascii()
    return words if is_short else " "


def _without_quotes(message: str) -> str:
    return _QUOTED.sub(lambda found: "“—”" if is_about_speaker(found[0]) else found[0], message)
