"""Recognises statements of one's own name, home, origin, age, birthday and dislikes.

They often share no word with the question: "where do I live" and "we've just moved to Porto".
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese punctuation)

import re

from .subject_questions import OwnSubject

_MAX_READ = 2_000  # characters of a statement

# "I'm German" and "I'm Catholic" begin like "I'm Sam".
_NATIONAL = (
    r"(?:Spanish|English|British|Irish|Scottish|Swedish|Danish|Finnish|Polish|Turkish|Jewish|Kurdish"
    r"|[A-Z][a-z]*(?:nese|guese|amese|ican|ralian|talian|zilian|nadian|ndian|ssian|rsian|ysian|egian"
    r"|lgian|rdic)|German|French|Dutch|Welsh|Swiss|Greek|Czech|Thai"
    r"|Catholic|Christian|Muslim|Protestant|Hindu|Buddhist|Ok|Okay)\b"
)
_NAME = re.compile(
    r"\b(?:my (?:first |full |real )?name(?: is|'s|’s)|(?:call|called) me|i(?:'m| am|’m) called)\b"
    rf"|\b(?:i['’]?m|i\s+am|soy|je\s+suis)\s+(?-i:(?!{_NATIONAL})[A-Z][a-zß-ÿ]+)\b"
    r"|\bname's\b|\b(?:ich (?:heiße|heisse)|mein name ist|nenn mich)\b"
    r"|\b(?:me llamo|mi nombre es|llámame)\b"
    r"|\bje m['’]appelle\b|\bmon (?:nom|prénom) est\b|\bappelle-moi\b"
    r"|меня зовут|зови меня|мо[её] имя"
    r"|我叫|我的名字|我姓|叫我(?![不别別去来來吃要做再把起帮幫回早先快买買])"
    r"|名前は|と申します|って呼んで|といいます|と言います",
    re.IGNORECASE,
)
_DISLIKES = re.compile(
    r"\b(?:hate|dislike|can['’]?t stand|detest|loathe"
    r"|(?:don['’]?t|do not|never) (?:like|eat|drink|enjoy))\b"
    r"|\b(?:hasse|mag (?:\w+ ){0,3}nicht|mag kein\w*|ekelhaft|esse kein\w*)\b"
    r"|\b(?:odio|detesto|no (?:me gusta|soporto|como))\b"
    r"|\b(?:déteste|n['’]aime pas|supporte pas)\b"
    r"|ненавижу|не люблю|не нравится|терпеть не могу"
    r"|讨厌|討厭|不喜欢|不喜歡|不爱|不愛|不吃|嫌い|苦手",
    re.IGNORECASE,
)
_EN_ADVERBS = (
    r"(?:(?:now|still|currently|just|finally|actually|recently|already|both|all|officially)\s+)*"
)
_HOME = re.compile(
    rf"\b(?:i|we)(?:['’](?:m|re|ve)|\s+(?:am|are|have))?\s+{_EN_ADVERBS}(?:"
    r"(?:live|living|reside|settled)\s+(?:\w+\s+)?(?:in|at|on|near|by|outside|with|above|alone)\b"
    r"|(?:moved|moving|relocat(?:ed|ing))\s+(?:back\s+|house\s+|out\s+)?(?:in|into|to)\b"
    r"|(?:found|rented|bought|got)\s+(?:an?|our|my)\s+(?:\w+\s+){0,2}"
    r"(?:flat|apartment|house|room|studio)\s+(?:in|near|on|at)\b)"
    rf"|^\W*{_EN_ADVERBS}(?:moved|moving|living)\s+(?:in|into|to)\b"
    r"|\bmy\s+(?:new\s+)?(?:address|home|flat|apartment)(?:\s+is|['’]s)\b"
    r"|\b(?:wohnen?|leben?)\s+(?:\w+\s+){0,3}?(?:in|bei|am|im|auf|mit)\b"
    r"|\b(?:nach|in|zu)\b.{1,40}\b(?:um)?gezogen\b|\b(?:ich\s+ziehe|wir\s+ziehen)\b.{0,30}\b(?:nach|in)\b"
    r"|\b(?:vivo|vivimos)\s+(?:\w+\s+)?(?:en|con)\b|\b(?:me\s+(?:he\s+)?mud(?:é|ado|o)|nos\s+mudamos)\b"
    r"|\b(?:j['’]habite|on\s+habite|nous\s+habitons|j['’]ai\s+(?:dé|em)ménagé|je\s+déménage"
    r"|(?:je\s+vis|on\s+vit)\s+(?:\w+\s+)?(?:à|en|dans|chez|au|avec))\b"
    r"|\b(?:живу|живём|живем)\s+(?:\w+\s+)?(?:в|во|на|с|у)\b|\bпере(?:ехал|езжа)\w*\s+(?:\w+\s+)?(?:в|во|на|к)\b"
    r"|(?:我|咱)(?![妈媽爸姐哥弟妹奶爷爺婆公岳外老女儿兒孙孫同朋的])[^，。！？,.!?]{0,8}(?:住(?!院|了?[一两几]?天?院)|搬(?:到|去|进|進|来|來|家))"
    r"|に(?:住んで|引っ越|引越)|で暮らして",
    re.IGNORECASE | re.MULTILINE,
)


_ORIGIN = re.compile(
    r"\bi(?:['’]m|\s+am)\s+(?:(?:originally|actually|also|really)\s+|(?-i:[A-Z][a-z]+),?\s+)?from\s+(?!work\b|home\b|the\s+(?:future|office|shop))"
    r"|\bi\s+(?:\w+\s+)?(?:come|hail)\s+from\b|\bi\s+(?:grew\s+up|was\s+(?:born|raised))\b"
    r"|\bmy\s+(?:home\s?town|home\s+country|nationality)\b"
    r"|\bich\s+(?:\w+\s+)?(?:komme|stamme)\b.{0,20}\baus\b|\bbin\b.{1,40}\b(?:aufgewachsen|geboren)\b"
    r"|\bsoy\s+de\b|\bnac[ií]\s+en\b|\bme\s+cri[eé]\b|\bcrec[ií]\s+en\b"
    r"|\bje\s+(?:viens|suis\s+originaire)\s+(?:de|du|des|d['’])|\bje\s+suis\s+née?\b|\bj['’]ai\s+grandi\b"
    r"|\bя\s+(?:родом\s+)?из\b|\bя\s+(?:родил(?:ся|ась)|вырос(?:ла)?)\b"
    r"|我(?:是|来自|來自|出生在|在)[^，。！？]{1,12}(?:人(?![家的])|长大|長大|出生)|我(?:来自|來自|出生)|我的?(?:老家|家乡|家鄉)"
    r"|出身|で生まれ|で育",
    re.IGNORECASE,
)
_AGE = re.compile(
    r"\bi(?:['’]m|\s+am|\s+(?:just\s+)?(?:turned|turn)|['’]ll\s+be|['’]m\s+turning|\s+will\s+be)\s+"
    r"(?:\w+\s+)?\d{1,2}\b(?!\s*(?:%|:|min|hour|hr|sec|day|week|month|km|mile|kg|lb|cm))"
    r"|\bmy\s+age\b|\bmy\s+\d{1,2}(?:st|nd|rd|th)\s+birthday\b|\bi\s+was\s+born\b"
    r"|\bbin\s+(?:\w+\s+)?\d{1,2}(?:\s+jahre)?\b|\bwerde\s+\d{1,2}\b"
    r"|\btengo\s+\d{1,2}\s+años\b|\bcumpl[oí]\s+\d{1,2}\b|\bj['’]ai\s+\d{1,2}\s+ans\b"
    r"|\bмне\s+(?:\w+\s+)?\d{1,2}\b"
    r"|我(?:今年|快|刚|已经)?\s*[\d一二三四五六七八九十]{1,3}\s*[岁歲]"
    r"|(?:私|僕|俺).{0,4}\d{1,2}歳|^\W*\d{1,2}歳に?(?:です|なり|なった)",
    re.IGNORECASE,
)
_BIRTHDAY = re.compile(
    r"\bmy\s+(?:own\s+|next\s+|last\s+|\d{1,2}(?:st|nd|rd|th)\s+)?(?:birthday|bday)\b|\bi\s+was\s+born\b"
    r"|\bi\s+(?:had|have|celebrate\w*)\s+(?:\w+\s+){0,3}birthday\b"
    r"|\bmein\w*\s+(?:\d+\.?\s+)?geburtstag\b|\bhabe?\b.{0,30}\bgeburtstag\b|\bbin\b.{1,40}\bgeboren\b"
    r"|\bmi\s+cumpleaños\b|\bcumplo\s+(?:\w+\s+)?años\b|\bmon\s+anniversaire\b|\bje\s+suis\s+née?\b"
    r"|\b(?:у\s+меня|мой)\s+(?:\w+\s+)?день\s+рождения\b|我的?(?:农历|阳历|公历|\d{1,2}岁)?生日|(?:私|僕|俺|わたし)の誕生日|^\W*誕生日は",
    re.IGNORECASE,
)
_PATTERNS = {
    OwnSubject.NAME: _NAME,
    OwnSubject.HOME: _HOME,
    OwnSubject.ORIGIN: _ORIGIN,
    OwnSubject.AGE: _AGE,
    OwnSubject.BIRTHDAY: _BIRTHDAY,
    OwnSubject.DISLIKES: _DISLIKES,
}


def states(subject: OwnSubject, text: str) -> bool:
    """Returns whether the wording of the text states this of its speaker.

    Always True for subjects that have no typical wording, such as pets and work.
    """
    pattern = _PATTERNS.get(subject)
    return pattern is None or bool(pattern.search(text[:_MAX_READ]))
