"""Recognises messages that only ask to talk about something else, and so need no memory.

"Sorry, let's change the subject" shares its words with the very memories that hurt.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese punctuation)

import re

_MAX_CHARS = 100
_WISHES = (
    # English
    r"(?:(?:can|could) we |let['’]?s |i['’]?d rather |i want to |i wanna )?(?:just )?"
    r"(?:talk|chat|speak) about (?:some ?thing|smth|sth|anything) (?:else|different|happier|nicer)",
    r"(?:(?:can|could) we |let['’]?s )?(?:please )?(?:change|switch|drop) (?:the )?"
    r"(?:subject|topic|it|that)",
    r"change of (?:subject|topic)|(?:new|different|another) (?:subject|topic)",
    r"(?:let['’]?s not|i (?:really )?(?:don['’]?t|do not) (?:want to|wanna)) (?:talk|think) about"
    r" (?:it|that|this|him|her|them)",
    # German
    r"(?:(?:lass uns|können wir|wollen wir|reden wir|sprechen wir) )?(?:doch |bitte |mal |lieber )*"
    r"(?:über|von) (?:et)?was (?:ganz )?ander[em]s(?: reden| sprechen)?",
    r"(?:ein )?(?:anderes|neues) thema|them(?:a|en)wechsel"
    r"|(?:lass uns |können wir )?(?:bitte |mal )?das thema wechseln",
    r"(?:ich )?(?:will|möchte|mag) (?:jetzt |grade? )?nicht (?:mehr )?darüber"
    r" (?:reden|sprechen|nachdenken)",
    # Spanish
    r"(?:podemos |vamos a )?(?:mejor )?habl(?:emos|ar|amos) de otra cosa",
    r"(?:podemos )?cambi(?:emos|ar|a|o) de tema|otro tema",
    r"no quiero (?:hablar|pensar) (?:m[aá]s )?(?:de|en) (?:eso|ello|esto)",
    # French
    r"(?:on peut |si on )?parl(?:ons|er|e|ait) d['’]autre chose",
    r"(?:on peut )?chang(?:eons|er|e) de sujet|(?:un )?autre sujet",
    r"je (?:ne )?veux (?:pas|plus) (?:en parler|y penser)",
    # Russian
    r"(?:давай(?:те)? )?(?:лучше )?(?:поговорим |говорить )?о ч[её]м[- ]?(?:нибудь|то)? другом",
    r"(?:давай(?:те)? )?(?:сменим|поменяем|смени) тему|другая тема",
    r"(?:я )?не хочу (?:больше )?об этом(?: говорить| думать)?",
    # Chinese
    r"(?:我们|咱们|咱|我們)?(?:还是|還是)?[换換](?:一?[个個])?[话話][题題][吧聊]?",
    r"(?:我们|咱们|咱)?[聊说說谈談][点點]?[别別其][的他它]的?[吧好]?",
    r"我?(?:不想|[别別]|不要)再?[聊说說谈談提](?:这个|那个|这事|那事|這個|那個|它)了?",
    # Japanese
    r"(?:何か)?(?:別の|他の|ほかの|違う)話(?:を|に)?(?:しよう?|して|しましょう|変えて|がいい)",
    r"話題を?(?:変え|かえ)(?:よう|て|たい|ましょう)",
    r"その話は(?:もう)?(?:いい|やめ(?:よう|て)|したくない)",
)
_BEFORE = (
    r"sorry|ok(?:ay)?|k|anyways?|well|so|no|nah|nope|ugh|please|pls|now|hey|but|and|actually|u?h*m+"
    r"|entschuldige?|entschuldigung|ach|komm|nein|nee|bitte|jetzt|perd[oó]n|bueno|vale|mejor|pardon"
    r"|bon|non|allez|прости|извини|ладно|нет|ой|不想|算了|好了|もう|ごめん"
)
_AFTER = (
    r"ok(?:ay)?|please|pls|plz|now|tonight|today|instead|for (?:a (?:bit|while|change)|now|once)"
    r"|any ?more|lol|haha|bitte|jetzt|mal|heute|ja|por favor|porfa|ahora|stp|svp|maintenant"
    r"|пожалуйста|сейчас|吧|好吗|好嗎|ね|か"
)
# Atomic, or a row of one wish and "吧" would take seconds.
_CHANGE = re.compile(
    rf"\W*(?:(?:{_BEFORE})\W+)*(?>(?:{'|'.join(_WISHES)})(?:\W*(?:{_AFTER}))*\W*)++", re.IGNORECASE
)


def asks_to_change_the_subject(text: str) -> bool:
    """Returns whether a message asks to talk about something else, and for nothing more."""
    return len(text) <= _MAX_CHARS and bool(_CHANGE.fullmatch(" ".join(text.split())))
