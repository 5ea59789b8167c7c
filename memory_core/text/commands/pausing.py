"""Recognises wishes in plain words that what is said from now on be not remembered.

Such a message pauses nothing, for "stop remembering" may be said in anger. The user would believe a
character that answers "I won't!". So the prompt tells the model which commands do it.
The wish has to be the whole message.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese punctuation)

import re

from ..patterns import quick_search
from .off_the_record_words import ENGLISH, FRENCH, GERMAN, RUSSIAN, SPANISH

_LONGEST = 120  # letters
_PLEASE = "|".join(one.please for one in (ENGLISH, GERMAN, SPANISH, FRENCH, RUSSIAN))
_may_ask = quick_search(
    "stop|quit|next|from now|anything|things|stuff|what i|private|go off|off the record"
    "|h[öo]r auf|nächste|nichts|was ich|lo que|deja de|próximo|proximo|siguiente|nada"
    "|arr[êe]te|prochain|rien|ce que je|хватит|перестань|прекрати|следующ|больше|скажу"
    "|停止|下一|下面|接下来|接下來|从现在|從現在|以[后後]|再[记記存]|[都什]|[说說]的"
    "|次の|もう|何も|これから|今から|やめて"
)
_EN_NEXT = r"""(?:my|the)\snext\s(?:messages?|few\smessages|things?|part|bit)
    |what\si(?:['’]?m|\sam)?\s(?:about\sto|going\sto|gonna)\s(?:say|tell\s(?:you|u))
    |what\si\s(?:say|tell\s(?:you|u))(?:\s(?:next|now|from\snow\son))?"""
_EN_ALL = r"""(?:anything|stuff|things|everything|this|me|my\s(?:messages|chats?)|our\schats?
    |what\si\s(?:say|write|tell\s(?:you|u)))"""
_ENGLISH = rf"""(?:(?:can|could|would|will)\s(?:you|u)\s|i\swant\s(?:you|u)\sto\s)?
    (?:{_PLEASE}\s)?(?:(?:stop|quit)\s(?:remembering|memori[sz]ing|saving|storing|recording|logging)(?:\s{_EN_ALL})?(?:\s(?:about\sme|i\ssay))?
      |(?:do\s?n['’]?t|do\snot|never)\s(?:remember|save|store|log|record)\s(?:{_EN_NEXT}
        |(?:anything|things|stuff)(?:\si\s(?:say|tell\s(?:you|u)))?(?:\s(?:today|now|any\s?more|from\snow\son|for\snow|in\sthis\schat))*)
      |go\soff\s(?:the\s)?record)
    |(?:from\snow\son,?\s)(?:do\s?n['’]?t|do\snot)\s(?:remember|save|store|log|record)\s(?:anything|this|what\si\ssay)
    |i\swant\sthis\s(?:chat|conversation)\sto\sbe\s(?:private|off\sthe\srecord)|this\s(?:chat|conversation)\sis\s(?:private|off\sthe\srecord)"""
_GERMAN = r"""
    h[öo]r\s(?:bitte\s)?auf,?\s(?:dir\s)?(?:sachen|dinge|alles|was\sich\ssage|das)?\s?(?:zu\s(?:merken|speichern)|mitzuschreiben)
    |(?:merk\sdir|speicher[en]?)\s(?:bitte\s)?(?:(?:ab\sjetzt|von\sjetzt\san|heute)\s)?(?:bitte\s)?nichts(?:\smehr)?
    |(?:merk\sdir|speicher[en]?)\s(?:bitte\s)?(?:nicht,?\swas\sich\s(?:jetzt|gleich|dir\sjetzt)\s?(?:sage|schreibe|erzähle)
      |(?:die|meine)\snächsten?\snachricht(?:en)?\s(?:bitte\s)?nicht)
    |(?:die|meine)\snächsten?\snachricht(?:en)?\s(?:bitte\s)?nicht\s(?:speichern|merken)"""
_SPANISH = r"""
    deja\sde\s(?:guardar|recordar|anotar|registrar)(?:\s(?:cosas|todo|nada|lo\sque\s(?:te\s)?digo|mis\smensajes))?
    |no\s(?:guardes|recuerdes|anotes|registres)\s(?:nada\s(?:m[áa]s|de\slo\sque\s(?:te\s)?diga)|(?:el|mi)\s(?:pr[óo]ximo|siguiente)\smensaje
      |lo\sque\s(?:te\s)?(?:voy\sa\s(?:decir|contar)|diga(?:\sahora)?))
    |a\spartir\sde\sahora\sno\s(?:guardes|recuerdes)\snada"""
_FRENCH = r"""
    arr[êe]te\sde\s(?:retenir|noter|enregistrer|m[ée]moriser)(?:\s(?:tout|ce\sque\sje\sdis|mes\smessages))?
    |(?:ne\s)?(?:retiens|note|enregistre)\s(?:plus\srien|pas\s(?:le|mon)\sprochain\smessage|pas\sce\sque\sje\svais\s(?:te\s)?dire)
    |(?:d[ée]sormais|à\spartir\sde\smaintenant),?\s(?:ne\s)?(?:retiens|note)\s(?:plus\s)?rien"""
_RUSSIAN = r"""
    (?:хватит|перестань|прекрати)\s(?:(?:вс[её]|это)\s)?(?:запоминать|сохранять|записывать)(?:\sвс[её])?
    |(?:больше\s)?(?:ничего\s)?(?:больше\s)?не\s(?:запоминай|сохраняй|записывай)\s(?:следующее\sсообщение|следующие\sсообщения|то,?\sчто\sя\s(?:сейчас\s)?скажу)
    |(?:больше\sничего|ничего\sбольше|больше)\sне\s(?:запоминай|сохраняй|записывай)"""
_CHINESE = r"""
    (?:请|請)?(?:从现在(?:开始|起)|從現在(?:開始|起)|接下来|接下來|以后|以後)?(?:你)?(?:都)?(?:别|別|不要)(?:再)?(?:什么都)?[记記](?:录|錄|住|下来|下來)?(?:我?[说說]的(?:话|話)?|了|任何东西|任何東西)?
    |(?:请|請)?(?:下一条|下一條|下一句|下面的?(?:话|消息)?)(?:消息|话|話)?(?:你)?(?:别|別|不要|不用)(?:[记記](?:录|錄|住)?|存)
    |(?:请|請)?停止(?:[记記](?:录|錄|忆|憶)|保存)"""
_JAPANESE = r"""
    (?:次の(?:メッセージ|話|発言)|これから(?:言う|話す)こと|今から(?:言う|話す)こと)(?:は|を|も)?(?:覚え|記憶し|記録し|保存し)ないで
    |(?:もう|これから(?:は)?|何も)+(?:覚え|記憶し|記録し|保存し)ないで|(?:記録|記憶|保存)(?:する)?のを?やめて"""
_END = r"(?:ください|下さい|[ねよ了吧啊哦])*"
_WISH = re.compile(
    rf"""\W*(?:(?:ok(?:ay)?|hey|no|and|so|also|und|y|et|и)\W+){{0,2}}(?:(?:{_PLEASE})\W+)?
    (?:{_ENGLISH}|{_GERMAN}|{_SPANISH}|{_FRENCH}|{_RUSSIAN}|{_CHINESE}|{_JAPANESE}){_END}
    (?:\W+(?:{_PLEASE}|ok(?:ay)?|thanks|now|today|from\snow\son))*\W*""",
    re.IGNORECASE | re.VERBOSE,
)


def asks_to_pause(text: str) -> bool:
    """Returns whether the message asks, in plain words, to remember nothing of what comes next."""
    if len(text) > _LONGEST or not _may_ask(text):
        return False
    return _WISH.fullmatch(" ".join(text.split())) is not None
