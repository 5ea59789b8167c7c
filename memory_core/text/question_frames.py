"""Recognises what may stand around a question without changing it: light words, reporting verbs.

"Do you even remember …", "… this year", "my boss asks …".
"""

# ruff: noqa: RUF001  (Cyrillic, Chinese and Japanese characters)

import re

from .questions import asks

_NOW_WORDS = (  # say nothing about the subject, wherever they stand
    "now nowadays currently even really actually again just exactly yet"
    " jetzt gerade aktuell derzeit zurzeit eigentlich nochmal noch denn überhaupt gleich"
    " ahora ahorita actualmente exactamente maintenant actuellement exactement déjà"
    " сейчас теперь вообще именно точно"
)
_LIGHT_WORDS = (  # may stand before or behind a question
    "do does did are is was can could would will you u ya we i me my it that this the a an to of if"
    " and or but so then know remember recall forget forgot forgotten tell remind give say guess"
    " have got any idea bet sure hope think check checking test testing quiz question quick see let"
    " lets let's pls please right lol haha btw hey time once more still today these days year next"
    " at moment getting turning going gonna be name everything all something anything what"
    " things about list describe summarize summarise talk for out here where who by way"
    " weißt weisst du das es ja na doch und oder erinnerst dich dran daran ob mir sag sagst kannst"
    " bitte mal schon wieder immer verrat verrate heute dieses jahr test frage kurze wie war ich so"
    " sabes recuerdas acuerdas te de si lo que y a ver o sea dime recuérdame otra vez hoy este año"
    " puedes decirme cuéntame mi ya pues se oye yo tú"
    " tu te t'en souviens souvient rappelles rappelle sais dis moi de du ce est est-ce que encore"
    " en peux me dire cette année et là vas avoir ou alors toi"
    " ты помнишь знаешь не забыл забыла напомни скажи мне а ну и ли это ещё еще раз можешь в этом"
    " году ка же"
)
# "My boss asks …"; but not "I asked him …".
_REPORTING_VERBS = (
    r"(?<!\bi )\b(?:asks?|asked|asking|(?:wants?|wanted|needs?) to know|wonders?|wondering)"
    r"(?: (?:me|us|for))?"
    r"|(?<!\bich )\b(?:fragt|fragte|fragen|will wissen|wollen wissen)(?: mich)?"
    r"|\b(?:preguntan?|preguntó|pregunta|quiere saber)(?: en \w+ \w+)?"
    r"|\b(?:demande|demandent|veut savoir)(?: \w+)?"
    r"|\b(?:спрашивает|спросила?|спрашивают|интересуется|хочет знать)"
    r"|(?<!我)问我?|想知道|聞かれた(?:んだけど)?"
)
_ASKING_AT_THE_END = re.compile(rf"(?:{_REPORTING_VERBS})$")
_ASKING = re.compile(_REPORTING_VERBS, re.IGNORECASE)
_IF = re.compile(r"\W*(?:if|whether|ob|si)\b", re.IGNORECASE)
_LIGHT_UNSPACED = re.compile(
    r"(?:你|还|還|知道|记得|記得|吗|嗎|么|不|没|告诉我?|告訴我?|提醒|一下|我|说|說|呢|啊|呀|来着|现在|現在|目前|到底|是|的|了|考考?"
    r"|吧|嘛|再|快|请|請|能|可以|忘|猜|猜猜|看|今年|那|就|帮|回"
    r"|か|の|っけ|んだ|だ|です|でした|覚えて(?:い)?(?:る|ます)|知って(?:い)?(?:る|ます)|言える|わかる|教えて|ね|ねえ|よ|って|は|を|が|も|今|いま"
    r"|ちゃんと|まだ|私|僕|俺|わたし|あたし|自分|何|なに|なん|いつ|どこ|年|になる|んだけど|\s)*"
)


_NOW, _LIGHT = frozenset(_NOW_WORDS.split()), frozenset(_LIGHT_WORDS.split())


def without_adverbs_of_time(plain: str) -> str:
    """Returns a text without "now", "again" and the like."""
    return " ".join(word for word in plain.split(" ") if word not in _NOW)


def stands_alone(question: re.Match[str]) -> bool:
    """Returns whether nothing that changes the question stands before or behind it."""
    before = question.string[: question.start()].strip()
    behind = question.string[question.end() :].strip()
    return (_is_light(before) or bool(_ASKING_AT_THE_END.search(before))) and _is_light(behind)


def reports_a_question(sentence: str) -> bool:
    """Returns whether somebody else asks something in it: "my boss asks what I'm allergic to"."""
    asked = (sentence[found.end() :].strip() for found in _ASKING.finditer(sentence))
    return any(asks(question) or _IF.match(question) for question in asked)


def _is_light(text: str) -> bool:
    return _LIGHT.issuperset(text.split()) or bool(_LIGHT_UNSPACED.fullmatch(text))
