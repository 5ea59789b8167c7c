"""Recognises wishes in plain words that what is said from now on be not remembered.

Such a message pauses nothing, for "stop remembering" may be said in anger. The user would believe a
character that answers "I won't!". So the prompt tells the model which commands do it.
The wish has to be the whole message.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese punctuation)

import re

from ..patterns import quick_search
from .off_the_record_words import ENGLISH, FRENCH, GERMAN, RUSSIAN, SPANISH
from .phrases import as_pattern

_LONGEST = 120  # letters
_may_ask = quick_search(
    "stop|quit|next|from now|anything|things|stuff|what i|private|go off|off the record"
    "|h[öo]r auf|nächste|nichts|was ich|lo que|deja de|próximo|proximo|siguiente|nada"
    "|arr[êe]te|prochain|rien|ce que je|хватит|перестань|прекрати|следующ|больше|скажу"
    "|停止|下一|下面|接下来|接下來|从现在|從現在|以[后後]|再[记記存]|[都什]|[说說]的"
    "|次の|もう|何も|これから|今から|やめて"
)
_PLEASE = "|".join(one.please for one in (ENGLISH, GERMAN, SPANISH, FRENCH, RUSSIAN))
_LISTS = {
    "PLEASE": _PLEASE,
    "DO_NOT": "do ?n't|do not",
    "SAVE": "remember|save|store|log|record",
    "SAVING": "remembering|memori[sz]ing|saving|storing|recording|logging",
    "NEXT": """
        (my|the) next (messages?|few messages|things?|part|bit)
        what i( am|'m)? (about to|going to|gonna) (say|tell (you|u))
        what i (say|tell (you|u))( (next|now|from now on))?""",
    "ALL": """
        anything|stuff|things|everything|this|me|my (messages|chats?)|our chats?
        what i (say|write|tell (you|u))""",
    "ANYTHING": "(anything|things|stuff)( i (say|tell (you|u)))?",
    "FROM_NOW": "today|now|any ?more|from now on|for now|in this chat",
    "GUARDAR": "guardar|recordar|anotar|registrar",
    "GUARDES": "guardes|recuerdes|anotes|registres",
    "СОХРАНЯТЬ": "запоминать|сохранять|записывать",
    "СОХРАНЯЙ": "запоминай|сохраняй|записывай",
}
_WISHES = """
    (CAN_YOU |i want (you|u) to )?(PLEASE )?(stop|quit) SAVING( ALL)?( (about me|i say))?
    (CAN_YOU |i want (you|u) to )?(PLEASE )?(DO_NOT|never) SAVE (NEXT|ANYTHING( FROM_NOW)*)
    (CAN_YOU |i want (you|u) to )?(PLEASE )?go off (the )?record
    from now on,? DO_NOT SAVE (anything|this|what i say)
    i want this (chat|conversation) to be (private|off the record)
    this (chat|conversation) is (private|off the record)
    h[öo]r (bitte )?auf,? (dir )?GERMAN_ALL? ?(zu (merken|speichern)|mitzuschreiben)
    (merk dir|speicher[en]?) (bitte )?(GERMAN_FROM_NOW )?(bitte )?nichts( mehr)?
    (merk dir|speicher[en]?) (bitte )?nicht,? was ich (jetzt|gleich|dir jetzt) ?GERMAN_SAY
    (merk dir|speicher[en]?) (bitte )?(die|meine) nächsten? nachricht(en)? (bitte )?nicht
    (die|meine) nächsten? nachricht(en)? (bitte )?nicht (speichern|merken)
    deja de GUARDAR( (cosas|todo|nada|lo que (te )?digo|mis mensajes))?
    no GUARDES nada (más|de lo que (te )?diga)|no GUARDES (el|mi) (próximo|siguiente) mensaje
    no GUARDES lo que (te )?(voy a (decir|contar)|diga( ahora)?)
    a partir de ahora no (guardes|recuerdes) nada
    arrête de (retenir|noter|enregistrer|mémoriser)( (tout|ce que je dis|mes messages))?
    (ne )?(retiens|note|enregistre) (plus rien|pas (le|mon) prochain message)
    (ne )?(retiens|note|enregistre) pas ce que je vais (te )?dire
    (désormais|à partir de maintenant),? (ne )?(retiens|note) (plus )?rien
    (хватит|перестань|прекрати) ((всё|это) )?СОХРАНЯТЬ( всё)?
    (больше )?(ничего )?(больше )?не СОХРАНЯЙ следующ(ее сообщение|ие сообщения)
    (больше )?(ничего )?(больше )?не СОХРАНЯЙ то,? что я (сейчас )?скажу
    (больше ничего|ничего больше|больше) не СОХРАНЯЙ
    请?ZH_FROM_NOW?你?都?(别|不要)再?(什么都)?记(录|住|下来)?(我?[说說]的话?|了|任何东西|任何東西)?
    请?(下一条|下一句|下面的?(话|消息)?)(消息|话)?你?(别|不要|不用)(记(录|住)?|存)
    请?停止(记(录|忆)|保存)
    (次の(メッセージ|話|発言)|(これ|今)から(言う|話す)こと)[はをも]?JA_SAVEないで
    (もう|これから(は)?|何も)+JA_SAVEないで|(記録|記憶|保存)(する)?のを?やめて"""
_LISTS |= {
    "CAN_YOU": "(can|could|would|will) (you|u)",
    "GERMAN_ALL": "sachen|dinge|alles|was ich sage|das",
    "GERMAN_FROM_NOW": "ab jetzt|von jetzt an|heute",
    "GERMAN_SAY": "sage|schreibe|erzähle",
    "ZH_FROM_NOW": "从现在(开始|起)|從現在(開始|起)|接下来|以[后後]",
    "JA_SAVE": "覚え|記憶し|記録し|保存し",
}
_WISH = re.compile(
    as_pattern(
        r"""[^\w"“”„'‘‚«»「『*>]*((ok(ay)?|hey|no|and|so|also|und|y|et|и)\W+){0,2}((PLEASE)\W+)?"""
        "(WISHES)(ください|下さい|[ねよ了吧啊哦])*"
        r"(\W+(PLEASE|ok(ay)?|thanks|now|today|from now on))*\W*",
        _LISTS | {"WISHES": _WISHES},
    )
)


def asks_to_pause(text: str) -> bool:
    """Returns whether the message asks, in plain words, to remember nothing of what comes next."""
    if len(text) > _LONGEST or not _may_ask(text):
        return False
    return _WISH.fullmatch(" ".join(text.lower().split())) is not None
