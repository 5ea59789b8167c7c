"""Recognises sentences about unreal things: dreams, invented stories, suppositions."""

import re
from enum import StrEnum
from itertools import islice

from .first_person import own_statements
from .sentences import sentences

_OPENING = 2  # sentences
_REST = r"(?=[,:;.!?]|\s+(?:i|he|she|they|we|there|the|a|my|his|her|it)\b|$)"
_WORKS = r"novel|story|screenplay|script|fanfic|film|movie|play|book|game|campaign|comic|poem|song"
_WERKE = r"Roman|Geschichte|Drehbuch|Film|Buch|Spiel|Gedicht|Lied|Theaterstück|Märchen"
_INVENTED = (
    r"\b(?:i|we) (?:dreamed|dreamt)\b|\bhad (?:a|this|the same)(?: \w+)? (?:dream|nightmare)\b|"
    r"\bin (?:my|the|a|this|that|our) (?:dream|nightmare)\b",
    rf"\b(?:in|from) (?:my|the|his|her|our|their|a|this) (?:\w+ )?(?:{_WORKS}){_REST}",
    r"\bich (?:habe|hab) (?:\w+ ){0,4}geträumt\b|\b(?:ich|wir) träumten?\b|\bmir träumte\b|"
    r"\b(?:im|in (?:meinem|dem|diesem|einem)) (?:Alb|Alp)?traum\b",
    rf"\b(?:im|in (?:meine[mr]|de[mr]|seine[mr]|ihre[mr]|eine[mr]|unsere[mr])) (?:{_WERKE})\b",
    "梦见|梦到|梦里|梦中|做了?个(?:[噩怪恶美]*)梦|(?:小说|故事|剧本|电影|游戏|剧本杀|话剧|漫画)里",
)
_SUPPOSED = (
    r"\bimagine (?:that |if )?(?:i|we|you|he|she|they)\b|\bsuppose (?:that )?(?:i|we)\b|"
    r"\blet['’]?s (?:say|pretend|imagine)\b|\bwhat if (?:i|we)\b|"  # noqa: RUF001
    r"\bif (?:i|we) (?:were|was|won|had)\b.{0,300}\b(?:would|(?:i|we)['’]?d)\b",  # noqa: RUF001
    r"\bstell(?:t)? (?:dir|euch|Ihnen) (?:mal )?vor\b|\bangenommen\b|\bnehmen wir (?:mal )?an\b|"
    r"\bwenn (?:ich|wir) (?:\w+ ){0,6}(?:wäre|wären|hätte|hätten|würde|würden|gewänne)\b",
    r"\bsi (?:yo )?(?:fuera|tuviera|pudiera|viviera)\b|\bsi j['’](?:étais|avais)\b|"  # noqa: RUF001
    r"\bесли бы? (?:я|мы)\b|\bя бы\b.{0,60}\bесли бы\b|もし(?:私|僕|俺|も(?!し))",  # noqa: RUF001
    "假如|假设|假使|想象一下|要是我|如果我是|倘若",
)
_QUOTED = re.compile(
    "'([^'\n]{12,})'(?!\\w)|[\"“„«»]([^\"“”„«»\n]{12,})[\"“”«»]|[「『]([^「」『』\n]{4,})[」』]"
)
_OF_A_WORK = re.compile(
    rf"\b(?:{_WORKS}|line|lyrics|verse|chapter|character|narrator)s?\b|"
    rf"\b(?:{_WERKE}|Zeile|Strophe|Vers|Kapitel|Figur|Erzähler)\w{{0,2}}\b|"
    "书|小说|故事|剧本|电影|台词|诗|歌词|开头|章|角色",
    re.IGNORECASE,
)
_IS_INVENTED = re.compile("|".join(_INVENTED), re.IGNORECASE)
_IS_SUPPOSED = re.compile("|".join(_SUPPOSED), re.IGNORECASE)
_REAL = re.compile(
    r"\b(?:actually|really|in reality|in real life|irl|for real|seriously|no joke|"
    r"wirklich|tatsächlich|in echt|im Ernst|ungelogen)\b|其实|真的|现实|说真|说正经",
    re.IGNORECASE,
)

_ACTION = re.compile(r"\s*(?:\*[^*\n]{2,}\*|[（(][^（()）\n]{2,}[)）]|_[^_\n]{2,}_)")  # noqa: RUF001

_OUT_OF_SCENE = re.compile(
    r"\b(?:ooc|out of character|btw|by the way|brb|übrigens)\b|出戏|戏外|场外|跳出来|对了",
    re.IGNORECASE,
)
_TALES = r"story|tale|dream|nightmare|role[- ]?play|novel|script|screenplay|fanfic|campaign|fantasy"
_INVENTED_FRAME = re.compile(
    rf"in (?:[\w'’-]+ ){{1,4}}?(?:{_TALES})"  # noqa: RUF001
    r"(?: (?:of|about|that|with|where|by)\b[^.,]{0,40})?,|"
    "在?[^，。]{0,12}(?:梦|故事|小说|剧本|剧情|角色扮演)[里中]",  # noqa: RUF001
    re.IGNORECASE,
)
_SUPPOSED_FRAME = re.compile(
    r"if [\w'’ -]{1,40} (?:were|was|had|won|could)\b.{0,200}\bwould\b|假如|假设",  # noqa: RUF001
    re.IGNORECASE,
)

_TAKES_BACK = re.compile(
    r"\b(?:kidding|joking|messing with you|pulling your leg)\b|"
    r"\bi (?:lied|was lying)\b(?! (?:to|about) (?!you\b|that\b|it\b))|"
    r"\bi (?:just )?made (?:that|this|it|all (?:of )?that) up\b|"
    r"\bthat was (?:just |only )?(?:a joke|a lie)\b|"
    r"\b(?:nur|bloß|kleiner|war ein|war nur ein) (?:Spaß|Scherz|Witz)\b|"
    r"\bich (?:habe?|hab['’]?) (?:dich |nur |das )*"  # noqa: RUF001
    r"(?:verarscht|veralbert|veräppelt|angelogen|angeschwindelt|gelogen|geflunkert|erfunden)\b|"
    r"\b(?:era|fue|es) (?:una |solo una )?broma\b|\b(?:estaba|estoy) bromeando\b|"
    r"\bje (?:plaisant|rigol|blagu)(?:e|ais)\b(?! (?:souvent|toujours|parfois|avec)\b)|"
    r"\bc['’]était (?:juste )?une blague\b|"  # noqa: RUF001
    r"\b(?:я )?(?:про \w+ )?(?:просто )?(?:пошутил|шучу)а?\b|冗談(?:だ|です|でし)|うそうそ|"  # noqa: RUF001
    "骗你[的玩啦]|逗你[的玩]|开个?玩笑[的啦而]|是开玩笑|[瞎乱][说编]的|我(?:说谎|撒谎|骗你)了",
    re.IGNORECASE,
)
_MEANS_IT = re.compile(
    r"\b(?:not|no|never|without|wasn['’]t|kein|nicht)\b[^.!?]{0,12}"  # noqa: RUF001
    r"\b(?:kidding|joking|joke|messing|Spaß|Scherz|Witz)\b|"
    r"\b(?:kidding|joking|Spaß|Scherz) (?:aside|beiseite)\b|"
    r"\bno (?:es|era|fue|estaba|estoy) (?:una )?brom|\bне (?:по)?шу[чт]|"  # noqa: RUF001
    "[不没](?:是|有|在)?(?:骗|开玩笑|开个玩笑|逗|瞎说|乱说)",
    re.IGNORECASE,
)


class Unreal(StrEnum):
    """The kind of unreal things that a sentence is about."""

    INVENTED = "invented"
    SUPPOSED = "supposed"


def unreal_cue(sentence: str) -> Unreal | None:
    """Returns the kind of unreal things that the sentence says it is about, or None.

    A sentence that also speaks of reality ("actually", "irl") has no cue.
    """
    if says_real(sentence):
        return None
    if _IS_INVENTED.search(sentence):
        return Unreal.INVENTED
    return Unreal.SUPPOSED if _IS_SUPPOSED.search(sentence) else None


def unreal_frame(text: str) -> Unreal | None:
    """Returns the kind of unreal things that a retold fact names at its beginning, or None."""
    if _INVENTED_FRAME.match(text):
        return Unreal.INVENTED
    return Unreal.SUPPOSED if _SUPPOSED_FRAME.match(text) else None


def leaves_scene(sentence: str) -> bool:
    """Returns whether a sentence amid role-play is about real life: "ooc", "actually"."""
    return says_real(sentence) or bool(_OUT_OF_SCENE.search(sentence))


def quotes_a_work(text: str) -> bool:
    """Returns whether the text quotes somebody's "I" in a book, a film, a song or the like."""
    for found in _QUOTED.finditer(text):
        passage = next(filter(None, found.groups()))
        around = text[: found.start()] + text[found.end() :]
        if any(own_statements(passage)) and _OF_A_WORK.search(around):
            return True
    return False


def says_real(text: str) -> bool:
    """Returns whether the text has words that lead back from a story: "actually", "irl"."""
    return bool(_REAL.search(text))


def begins_with_action(message: str) -> bool:
    """Returns whether a message begins with an action of its speaker: "*draws a sword*"."""
    return bool(_ACTION.match(message))


def takes_back(text: str) -> bool:
    """Returns whether a message begins by taking the last one back: "just kidding"."""
    opening = " ".join(islice(sentences(text), _OPENING))
    return bool(_TAKES_BACK.search(opening)) and not _MEANS_IT.search(opening)
