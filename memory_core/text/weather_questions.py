"""Recognises a question about the weather, whose date asks for nobody's plans."""

# ruff: noqa: RUF001

import re

from .first_person import addresses_listener, names_speaker

_LONGEST = 80  # letters; a longer message says more
_ENGLISH = r"""
    (?:will|is|does|gonna)\b.*\b(?:rain(?:ing|y)?|snow(?:ing)?|cloudy|windy|storm\w*|freez(?:e|ing))\b
    |(?:will|is|gonna)\b.*\b(?:be|it|today|tomorrow|\w+day)\s+sunny(?!['’]s|\s+who)\b
    |(?:will|is)\s+(?:it|tomorrow)\b.*\b(?:cold|hot|warm)\b
    |how\s+(?:cold|hot|warm|windy)\b.*\b(?:will|is|gonna)\b
    |(?:what|how)\b.*\bweather\b|weather\s+(?:forecast|for|tomorrow|today|this|next)\b"""
_GERMAN = r"""
    (?:regnet|schneit|gewittert|stürmt)(?:['’]?s|\s+es)?\b
    |(?:wird|wirds|gibt|gibts|soll)\b.*\b(?:regnen|regen|schnee|schneien|sonnig|gewitter|kalt|warm|heiß)\b
    |wie\s+(?:kalt|warm|heiß)\s+(?:wird|ist)\b|(?:wie|was)\b.*\bwetter\b|wetter\s+(?:morgen|heute|am)\b"""
_SPANISH = r"""
    (?:va\s+a\s+)?(?:llover|nevar)(?:á|a)?\b|(?:llueve|nieva)\b
    |(?:va\s+a\s+hacer|hará|hara|hace)\s+(?:mucho\s+)?(?:frío|frio|calor|sol|viento|(?:buen|mal)\s+tiempo)\b
    |qu[eé]\s+(?:tiempo|clima)\b|c[oó]mo\s+(?:estará|estara|va\s+a\s+estar|est[aá])\s+el\s+(?:tiempo|clima)\b"""
_FRENCH = r"""
    (?:il\s+va|va-t-il|est-ce\s+qu['’]il\s+va)\s+(?:pleuvoir|neiger|faire\s+(?:très\s+)?(?:froid|chaud|beau|moche))\b
    |(?:il\s+|est-ce\s+qu['’]il\s+)?(?:pleut|pleuvra|neige|neigera)(?:-t-il)?\b
    |(?:il\s+)?fera(?:-t-il)?\s+(?:froid|chaud|beau)\b
    |quel(?:le)?\s+(?:temps(?!\s+a\s+fait)|météo|meteo)\b|.{0,20}\b(?:la\s+)?(?:météo|meteo)\b"""
_RUSSIAN = r"""
    .{0,20}\b(?:будет|обещают|ожидается|пойдёт|пойдет)\b.*\b(?:дождь|снег|гроза|холодно|тепло|жарко|солнечно)\b
    |.{0,20}\b(?:дождь|снег|холодно|тепло|жарко|солнечно)\s+будет\b
    |(?:какая|как|что)\b.*\bпогод\w+|погода\s+(?:на|завтра|сегодня)\b
    |.{0,10}\bзонт(?:ик)?\s+(?:брать|нужен)\b|(?:нужен|брать)\s+(?:ли\s+)?зонт\b
    |сколько\s+градусов\s+(?:на\s+улице|завтра|сегодня|будет)\b"""
# 聚会 and 晚会 are parties, but 今晚会 is "will tonight".
_NOT_PARTY = "(?<![聚舞宴机機音乐樂大])(?<!(?<![今明后後昨天一二三四五六日末])晚)"
_CHINESE = rf"""
    .{{0,8}}(?:天气|天氣)(?:怎么样|怎麼樣|如何|咋样|好吗|好嗎|好不好|预报|預報|会|會|呢|[?？]|\Z)
    |.{{0,8}}{_NOT_PARTY}[会會](?:不[会會])?(?:下雨|下雪|刮风|很?冷(?!清)|很?[热熱](?![闹鬧])|打雷)
    |.{{0,8}}(?:下不下(?:雨|雪)|有没有雨|有沒有雨|冷不冷|热不热|熱不熱|(?:下雨|下雪|冷|热|熱)[吗嗎么麼])"""
_JAPANESE = r"""
    .{0,8}(?:お)?天気(?:は|予報|どう|って)|.{0,8}傘(?:は|って)?(?:いる|要る|必要)(?:かな|[?？]|\Z)
    |.{0,8}気温(?:は|って)?(?:何度|どう)
    |.{0,8}[雨雪](?:かな|[?？])|.{0,8}[雨雪](?:が|は|って)?(?:降|ふ)(?:る|ります)(?:かな|の|か|って|[?？]|\Z)
    |.{0,8}(?:寒い|暑い|晴れる?|晴れます)(?:かな|の|か|ですか|でしょうか|[?？])"""
_FILLER = r"(?:(?:hey|so|oh|na|sag\s+mal|und|oye|y|et|dis|а|ну)\b[\s,]*)?"
_WHEN = r"""(?:(?:tomorrow|today|tonight|morgen|heute|ma[ñn]ana|hoy|demain|aujourd['’]hui|завтра
    |сегодня)\b[\s,]*)?"""
_ASKS = re.compile(
    rf"[\W_]*{_FILLER}{_WHEN}(?:{'|'.join((_ENGLISH, _GERMAN, _SPANISH, _FRENCH, _RUSSIAN))}"
    rf"|{_CHINESE}|{_JAPANESE})",
    re.IGNORECASE | re.VERBOSE,
)
_SAYS_OR_PLANS = re.compile(
    r"plan|vorhab|予定|安排|打算|計画|\b(?:say|said|tell|told|dijo|сказал\w*|говорил\w*)\b",
    re.IGNORECASE,
)


def asks_about_weather(text: str) -> bool:
    """Returns whether the message asks for the weather, and for nothing else about the two."""
    if len(text) > _LONGEST or not _ASKS.match(text):
        return False
    is_about_somebody = names_speaker(text) or addresses_listener(text)
    return not is_about_somebody and not _SAYS_OR_PLANS.search(text)
