"""Removes the greeting that a message begins with, and recognises mere pleasantries.

"Hi Mira, where …" asks nothing about "hi". Sentences of mere greetings, thanks and laughter state
no facts.
"""

# ruff: noqa: RUF001

import re
from collections.abc import Sequence
from functools import lru_cache

_ENGLISH = (
    r"hi{1,9}|hello|hey{1,9}|hiya|yo{1,9}|(?:was)?sup|there|good\s(?:morning|afternoon|evening|night)|mornin(?:g|['’])?|evening|night|bye|goodbye"
    r"|see\s(?:you|ya|u)|later|tomorrow|soon|then|again|thanks|thank\s(?:you|u)|thx|ty|so\smuch"
    r"|a\slot|very\smuch|ok|okay|yes|yeah|yep|no|nope|sure|cool|nice|great|wow|lol|lmao|(?:ha|he)+h?"
    r"|how\sare\s(?:you|u)|how['’]?s\sit\sgoing|doing|today|sleep\s(?:well|tight)|sweet\sdreams"
    r"|take\scare|you['’]?re\swelcome|sorry|please|my|friend|dear|love|i\slove\syou|and"
)
_GERMAN = (
    r"hallo|moin|servus|guten?\s(?:morgen|tag|abend|nacht)|na|tschüss?|tschau|bis|morgen|später"
    r"|dann|bald|danke|dir|schön|sehr|vielen\sdank|bitte|ja|nein|genau|klar|super|wie\sgeht['’]?s"
    r"|wie\sgeht\ses\sdir|schlaf\s(?:gut|schön)|träum\ssüß|mein|schatz|und|ich\sliebe\sdich"
    r"|n?['’]?\s?abend|gn8|ciao|grüß\sdich|griaß\sdi|mahlzeit|jo|joa|jep|nö|nee|stimmt|eben|passt"
    r"|alles\sklar|dankeschön|mega|geil|krass|happy|toll|echt|ach|achso|aha|hm+|egal|naja|gut|so|jetzt"
    r"|keine\sahnung|kp|hdl|lg|was\s(?:geht|machst\sdu)|mir\sis(?:t)?\slangweilig|bin\s(?:wieder\s)?da"
    r"|ich\sgeh['’]?e?\s(?:jetzt\s)?(?:pennen|schlafen)"
)
_SPANISH = (
    r"hola|buenos\sdías|buenas(?:\s(?:tardes|noches))?|adiós|chao|hasta|mañana|luego|pronto"
    r"|(?:muchas\s)?gracias|de\snada|(?:ja|je)+|qué\stal|cómo\sestás|vale|sí|claro|genial"
    r"|dulces\ssueños|que\sduermas\sbien|mi|amor|te\squiero|y"
)
_FRENCH = (
    r"salut|bonjour|bonsoir|coucou|bonne\s(?:nuit|soirée|journée)|au\srevoir|à|demain|bientôt|plus"
    r"|tard|merci|beaucoup|de\srien|ça\sva|mdr|ptdr|oui|non|d['’]accord|dors\sbien"
    r"|fais\sde\sbeaux\srêves|mon|ma|chéri|chérie|je\st['’]aime|et"
)
_RUSSIAN = (
    r"привет|здравствуй(?:те)?|добр(?:ый|ое|ой)\s(?:день|вечер|утро|ночи)|спокойной\sночи|пока|до"
    r"|завтра|встречи|скорого|спасибо|большое|(?:ха|хе)+|как\sдела|сладких\sснов|да|нет|ладно"
    r"|хорошо|ок|и|я\sтебя\sлюблю|люблю\sтебя|приветики?|здарова|даров|хай|ку|доброе\sутречко"
    r"|утречко|спокойной|споки|спс|спасиб|пасиб|пожалуйста|не\sза\sчто|норм|ясно|понятно|поняла?"
    r"|ага|угу|окей|супер|круто|класс|лол|ору|(?:а?ха){2,}х?|лан|ну|чмоки|как\s(?:ты|делишки)"
)
_CHINESE = (
    r"早上好|晚上好|下午好|早安|晚安|早|你好|您好|嗨|哈喽|在[吗么]|又是我|我又?[来來]了|[谢謝]{1,2}|多[谢謝]|你|[哈呵嘻嘿嗯]"
    r"|好的|好吧|好|是的|再[见見]|拜拜|明天[见見]|回[头頭][见見]|早[点點]休息|做[个個]好[梦夢]|我[爱愛]你"
    r"|[呀啊哦呢吧啦哇了喔]"
)
_JAPANESE = (
    r"お疲れさま|よろしく|おはよう|ございます|こんにちは|こんばんは|おやすみ|なさい|ありがとう|じゃあ?|また|明日|バイバイ"
    r"|うん|はい|いいえ|そうだね|お疲れ様?|です|でした|大好き|[ねよw笑草ー]"
    r"|おはよ?|やっほ|おつかれ(?:さま)?|おつ|ありがと|あざす|サンキュー?|了解|りょ|オッケ|おけ"
    r"|なるほど|へ|いいね|ごめん|ばいばい|ただいま|おかえり|いってきます|そっか|そうなんだ?|わかった"
    r"|え|まじか?|マジか?|元気|愛してる|すごい"
)
_ALL = "|".join((_ENGLISH, _GERMAN, _SPANISH, _FRENCH, _RUSSIAN))
# A word ends before a mark or a blank; words of the last two languages need no blanks.
_PLEASANTRY = re.compile(
    rf"[\W_]{{0,9}}+(?:(?:(?:{_ALL})\b|{_JAPANESE}|{_CHINESE})[\W_]{{0,9}}+)++", re.IGNORECASE
)
_LONGEST = 200
_SPACED = (
    r"hi|hello|hey|hiya|heya|good\s(?:morning|afternoon|evening)"
    r"|hallo|moin|servus|guten?\s(?:morgen|tag|abend)|n['’]?\s?abend|grüß\sdich|hola|buenos\sdías|buenas(?:\s(?:tardes|noches))?"
    r"|salut|bonjour|bonsoir|coucou|привет|здравствуй(?:те)?|добр(?:ый|ое)\s(?:день|вечер|утр(?:о|ечко))"
    r"|приветики?|здарова|даров|хай"
)
_WITHOUT_BLANKS = (
    r"早上好|晚上好|下午好|早安|晚安|你好|您好|嗨|哈喽"
    r"|おはよう(?:ございます)?|おはよー?|やっほー?|おつかれ|こんにちは|こんばんは"
)
_TO_WHOM = r"there|again|(?:my\s)?(?:dear|friend|love)|liebe[rs]?|呀|啊"
_MARKS = r"[\s,，、!！.。…:：;；~～—-]"


def is_pleasantry(sentence: str) -> bool:
    """Returns whether a sentence has only words of greeting, thanking, laughing or agreeing."""
    return len(sentence) <= _LONGEST and _PLEASANTRY.fullmatch(sentence) is not None


def without_greeting(text: str, names: Sequence[str] = ()) -> str:
    """Returns the text without its greeting and the name greeted.

    Returns the text itself if nothing else would be left.
    """
    match = _pattern(tuple(names)).match(text)
    rest = text[match.end() :] if match else text
    return rest if any(map(str.isalnum, rest)) else text


def is_mere_greeting(text: str, names: Sequence[str] = ()) -> bool:
    """Returns whether the text only greets, at most one of these names: "hello mira"."""
    match = _pattern(tuple(names)).match(text)
    return match is not None and not any(map(str.isalnum, text[match.end() :]))


@lru_cache(maxsize=64)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Returns a pattern of the greeting; without blanks, a mark or a name has to follow it."""
    named = "|".join(re.escape(name) for name in names if name.strip()) or "(?!)"
    to_whom = rf"(?:{_MARKS}*(?:{_TO_WHOM})(?![a-z]))?"
    return re.compile(
        rf"""[\s"“「(*]*+(?:
        (?:{_SPACED})\b(?!['’-]\w){to_whom}(?:{_MARKS}*(?:{named})(?!\w))?{_MARKS}*
        |(?:{_WITHOUT_BLANKS}){to_whom}(?:{_MARKS}*(?:{named}){_MARKS}*|{_MARKS}+)
        )""",
        re.IGNORECASE | re.VERBOSE,
    )
