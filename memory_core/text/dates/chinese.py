"""Chinese dates, with the holidays of the lunar calendar."""

import re
from collections.abc import Mapping
from datetime import date, timedelta

from .. import search_terms
from .calendar import (
    Cycle,
    Occurrence,
    Period,
    ReferenceTime,
    add_months,
    days,
    last_units,
    monthly,
    monthly_on_weekday,
    months,
    part_of_day,
    season,
    time_ago,
    week,
    weekday,
    weekend,
    weekly,
    year,
    yearly,
)
from .feasts import FixedDay, MoonDay, feast_or_year
from .rule_engine import (
    Interpretation,
    ignore_idiom,
    repeating_period,
    rule,
    single_period,
    yearly_period,
)
from .tenses import Tenses
from .unit_parts import Part, UnitPart, read_unit_part

_DIGIT = {char: value for value, char in enumerate("零一二三四五六七八九")}
_DIGIT |= {"\u3007": 0, "两": 2, "俩": 2, "仨": 3}
_DAYS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
_YEARS = _DAYS | {"去": -1} | {"一昨": -2, "来": 1, "再来": 2}  # the last three are Japanese
_STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_PARTS = dict.fromkeys(["早", "晨", "早上", "早晨", "上午", "清晨", "凌晨"], "morning")
_PARTS |= dict.fromkeys(["中午", "下午", "午后"], "afternoon") | {"傍晚": "evening"}
_PARTS |= dict.fromkeys(["晚", "晚上", "夜", "夜里", "夜晚", "半夜"], "night")
_UNITS = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month"}
_UNITS |= {"年": "year", "小时": "hour", "钟头": "hour", "分钟": "minute"}
_WEEKDAYS = {char: value for value, char in enumerate("一二三四五六日")} | {"天": 6}
_WEEKDAYS |= {str(value + 1): value for value in range(7)}
_FEW = (2, 5)
_UNIT_PARTS = dict.fromkeys(["初", "上旬"], Part.BEGINNING) | {"中旬": Part.MIDDLE}
_UNIT_PARTS |= dict.fromkeys(["底", "末", "下旬"], Part.END)
_SPRING, _DRAGON_BOAT, _MID_AUTUMN = range(3)
_HOLIDAYS: Mapping[str, FixedDay | MoonDay] = {
    "元旦": FixedDay(1, 1),
    "情人节": FixedDay(2, 14),
    "妇女节": FixedDay(3, 8),
    "愚人节": FixedDay(4, 1),
    "劳动节": FixedDay(5, 1, 5),
    "五一": FixedDay(5, 1, 5),
    "儿童节": FixedDay(6, 1),
    "三八节": FixedDay(3, 8),
    "教师节": FixedDay(9, 10),
    "国庆": FixedDay(10, 1, 7),
    "万圣节": FixedDay(10, 31),
    "双十一": FixedDay(11, 11),
    "双11": FixedDay(11, 11),
    "平安夜": FixedDay(12, 24),
    "圣诞": FixedDay(12, 24, 3),
    "跨年夜": FixedDay(12, 31),
    "春节": MoonDay(_SPRING, -1, 8),
    "过年": MoonDay(_SPRING, -1, 8),
    "除夕": MoonDay(_SPRING, -1),
    "大年三十": MoonDay(_SPRING, -1),
    "大年初一": MoonDay(_SPRING),
    "元宵": MoonDay(_SPRING, 14),
    "清明": FixedDay(4, 4, 3),
    "端午": MoonDay(_DRAGON_BOAT),
    "中秋": MoonDay(_MID_AUTUMN),
}


def number(text: str) -> int:
    """Returns the number for digits, 二十三 or 二〇二四. Raises ValueError for other texts."""
    if text.isascii():
        return int(text)
    if "十" not in text:
        return int("".join(str(_DIGIT[char]) for char in text))
    tens, ones = text.split("十")
    return (_DIGIT[tens] if tens else 1) * 10 + (_DIGIT[ones] if ones else 0)


def _date(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    """Interprets a month with the year and the day if they are named."""
    month = number(match["m"])
    first = number(match["d"]) if match["d"] else 1
    length = number(match["d2"]) - first + 1 if match["d2"] else 1
    explicit = bool(match["d"] or match["y"])

    def make(year: int) -> Period:
        return days(date(year, month, first), max(1, length)) if match["d"] else months(year, month)

    named = _named_year(match, moment)
    if named is not None:
        return single_period(make(named), explicit=explicit)
    return yearly_period(yearly(moment, moment.default_occurrence, make), explicit=explicit)


def _numeric_date(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    """Interprets 11.29 as the 29th of November."""
    month, day = int(match["m"]), int(match["d"])
    period = yearly(moment, moment.default_occurrence, lambda year: days(date(year, month, day)))
    return yearly_period(period, explicit=True)


def _named_year(match: re.Match[str], moment: ReferenceTime) -> int | None:
    if match["rel"]:
        return moment.now.year + _YEARS[match["rel"]]
    if not match["y"]:
        return None
    digits = number(match["y"])
    return digits + 2000 if len(match["y"]) == 2 else digits


def _year(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    named = _named_year(match, moment)
    if named is None:
        raise ValueError("no year")
    explicit = not match["rel"]
    if match["season"]:
        return single_period(season(named, _SEASONS[match["season"]]), explicit=explicit)
    return single_period(year(named), explicit=explicit)


def _season(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    which = {"上": Occurrence.LAST, "下": Occurrence.NEXT}.get(
        match["step"], moment.default_occurrence
    )
    name = _SEASONS[match["season"]]
    return single_period(yearly(moment, which, lambda year: season(year, name)))


def _near_day(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    return single_period(_day(moment.today + timedelta(days=_DAYS[match["day"]]), match["part"]))


def _day(day: date, part: str | None) -> Period:
    return part_of_day(day, _PARTS[part]) if part else days(day)


def _week(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    around = moment.today + timedelta(weeks=_STEPS[match["step"]])
    if match["wd"]:
        period = weekday(around, _WEEKDAYS[match["wd"]])
        return single_period(_day(period.start.date(), match["part"]))
    return single_period(weekend(around) if match["end"] else week(around))


def _weekday(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    # A weekday alone is never today, which people call 今天.
    which = Occurrence.NEXT if moment.is_future else Occurrence.LAST
    period = weekly(moment, which, lambda day: weekday(day, _WEEKDAYS[match["wd"]]))
    return repeating_period(_day(period.start.date(), match["part"]), Cycle.WEEK)


def _weekday_and_day(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    day = number(match["d"])
    return single_period(monthly_on_weekday(moment, day, _WEEKDAYS[match["wd"]]))


def _month(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    first = add_months(moment.today.replace(day=1), _STEPS[match["step"]])
    if match["d"]:
        return single_period(days(first.replace(day=number(match["d"]))))
    return single_period(months(first.year, first.month))


def _nth(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    period = monthly(moment, moment.default_occurrence, number(match["d"]))
    return repeating_period(period, Cycle.MONTH)


def _part_of_month(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    away = _STEPS[match["step"]] if match["step"] else None
    return read_unit_part(UnitPart("month", _UNIT_PARTS[match["of"]], away), moment)


def _part_of_year(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    relative = match["rel"] or match["short"]
    named = UnitPart("year", _UNIT_PARTS[match["of"]], _YEARS[relative] if relative else None)
    return read_unit_part(named, moment, str(number(match["y"])) if match["y"] else None)


def _ago(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    return single_period(_distant(match, moment, *_amount(match)))


def _later(match: re.Match[str], moment: ReferenceTime) -> Interpretation | None:
    # In the past tense, 三天后 counts from another event.
    minimum, maximum = _amount(match)
    return single_period(_distant(match, moment, -maximum, -minimum)) if moment.is_future else None


def _distant(match: re.Match[str], moment: ReferenceTime, minimum: float, maximum: float) -> Period:
    return time_ago(moment.now, _UNITS[match["unit"]], minimum, maximum)


def _amount(match: re.Match[str]) -> tuple[float, float]:
    half = 0.5 if match["half"] or match["tail"] else 0
    if match["n"] == "半":
        return 0.5, 0.5
    if match["n"] in ("几", "好几", "数"):
        return _FEW
    count = float(match["n"]) if "." in match["n"] else number(match["n"])
    return count + half, count + half


def _few_days(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    return single_period(time_ago(moment.now, "day", 1, _FEW[1]))


def _past_units(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    return single_period(last_units(moment.now, _UNITS[match["unit"]], _amount(match)[1]))


def _holiday(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    day, named = _HOLIDAYS[match["holiday"]], _named_year(match, moment)
    if named is not None:
        return single_period(feast_or_year(day, named), explicit=bool(match["y"]))
    if isinstance(day, MoonDay) and not moment.is_future:
        return single_period(_nearest(day, moment))
    return single_period(yearly(moment, moment.default_occurrence, day.of))


def _nearest(day: MoonDay, moment: ReferenceTime) -> Period:
    """Returns the nearest occurrence, which 回家过年了 means, although 了 is a sign of the past."""
    years, today = range(moment.now.year - 1, moment.now.year + 2), days(moment.today).start
    return min(map(day.of, years), key=lambda period: abs(period.start - today))


# Characters and words that only Japanese has.
_IS_JAPANESE = re.compile("[\u3040-\u30ff曜毎]|[先来今]週|週間")


def simplified(text: str) -> str:
    """Returns the text with simplified characters, each in its place.

    Japanese has some of the traditional ones, with other meanings; such a text is unchanged.
    """
    return text if _IS_JAPANESE.search(text) else search_terms.simplified(text)


_NOT_NUMBER = r"(?<![0-9.零〇一二两三四五六七八九十百千万亿第每几])"
_N = r"(?:[0-9]+|[一二三四五六七八九]?十[一二三四五六七八九]?|[一二两俩三仨四五六七八九])"
_SOME = rf"(?P<n>[0-9]+\.[0-9]{{1,2}}|{_N}|几|好几|数|(?<![上下])半)"
_UNIT = r"个?(?P<half>半)?(?P<unit>天|日|周|星期|礼拜|月|年)(?P<tail>半)?"
_SMALL_UNIT = _UNIT.replace("天|", "分钟|小时|钟头|天|")
_DAY_NUMBER = r"(?:[0-3]?[0-9]|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"
_MONTH_NUMBER = r"(?:[01]?[0-9]|十[一二]?|[一二三四五六七八九])"
_YEAR = (
    r"(?:(?P<rel>大前|前|去|今|明|后|一昨|昨|再来|来)年"
    r"|(?P<y>(?:19|20)[0-9]{2}|[0-9]{2}(?=年[0-9]{1,2}月)|[一二][零〇九][零〇一二三四五六七八九]{2})年)"
    r"(?:[的の](?=[春夏秋冬0-9一二三四五六七八九十]))?"
)
_PART = rf"(?:的?(?P<part>{'|'.join(sorted(_PARTS, key=len, reverse=True))}))?"
_STEP = r"(?P<step>上上|下下|上|这|本|下)"
_WEEK = r"个?(?:星期|礼拜|周(?![围边到密折转游岁长董刊报全]))"
_WEEKDAY = r"(?P<wd>[一二三四五六日天]|[1-7](?![0-9]))(?!次)"
# "11月6日(周五)", "11月6日の金曜": part of the date, not another one.
_WEEKDAY_BEHIND = (
    r"(?<=[日号])[的の,，、\s]?[(（]?(?:(?:周|星期|礼拜)[一二三四五六日天]|[月火水木金土日]曜日?)[)）]?"  # noqa: RUF001
    r"|[(（][月火水木金土日][)）]"  # noqa: RUF001
)
_ER = "(?<!小[今明])儿(?![子女童媳孙科园])个?"  # 明儿, but not "小明儿子"
_HOLIDAY = (
    r"元旦|情人节|妇女节|愚人节|劳动节|(?<![十初第周期拜入])五一(?=去|回|放|节|假|劳动|长假|期间|那|黄金)|儿童节|教师节"
    r"|(?<![李张王刘陈赵杨周吴徐孙])国庆|万圣节|双十一|双11(?![0-9])|三八节|平安夜|圣诞|跨年夜"
    r"|春节|(?<![不经超通每难])过年(?![轻龄纪底初末后])|除夕|大年三十|大年初一|元宵(?=节)|清明(?=节|假|那天|回|去|扫)"
    r"|端午(?!粽)|中秋(?!月饼)"
)
# Chance neighbours of characters, set phrases, habits and titles, which mean no day.
_NO_DAYS = (
    r"[聪文透光黎说证发声]明天|[目以之当眼提从空面]前天|[然以之今最午背往身]后天"
    r"|后天(?:的?(?:努力|形成|养成|培养|因素|环境)|[性免])|今日头条"
    r"|[失过]去年|[以之目提当]前年|[去今明前后]年[轻龄]"
)
_NO_WEEKDAYS = (
    r"[每一二两三四五六七八九十几整半隔0-9]个?(?:周|星期|礼拜)[一二三四五六日天]"
    r"(?:[和、到至](?:周|星期|礼拜)?[一二三四五六日天])*"
)
_NO_MONTHS = (
    r"每年[0-9一二三四五六七八九十]{1,3}月|三月[兔七](?![日号])|五月[天花]|六月雪|四月是你的谎言"
    r"|一月[一两三几][次回]|八月十五"
    r"|正月[初十廿里]"  # of the lunar calendar
)
_HOLIDAY_CUES = "节旦国诞五双夜年夕午秋"
_NO_HOLIDAYS = (
    rf"(?:{'|'.join(_HOLIDAYS)})节?(?:快乐|好(?![像不玩吃几多久])|安康)|圣诞(?:老人|树|帽|歌|卡)"
    r"|春节(?:联欢|晚会|档)|每(?:年|次|逢|到)的?(?:春节|过年|中秋|端午|清明)"
)
# Words that may follow a day, unlike in 3号线 and 5号楼.
_GO_ON = (
    r"(?=$|\W|以(?!内)|[的那晚早上下中我你他她去是有在到之前后要会左就开考回来见约"
    r"了搬出办飞面体手比演聚结拿交入放发跟给])"
)
_SPAN = r"(?:[到至~～〜-]|から)"  # noqa: RUF001
_DAY_END = rf"(?:[日号]|(?={_SPAN}|[,，。!！?？;；\s]|$))"  # noqa: RUF001
_NO_PLACE = "(?![线楼院馆店门机台桌座])"  # 5号线, 5号楼
# 11.29, but no number (11.29元, 3.5) and no part of a longer one; a day below 10 needs a word.
_NUMERIC_DATE = (
    r"(?P<m>1[0-2]|0?[1-9])[./](?P<d>[12][0-9]|3[01]|0?[1-9](?=[号日]|[那当]天|[之以]?[前后]))"
    r"(?:[号日]|(?![0-9.:/%‰]|\s?(?:[元块万千百亿倍斤米克厘公升度分秒岁寸折吨平]|[a-z])))"
)

RULES = (
    rule(_NO_DAYS, ignore_idiom, "天年日"),
    rule(_NO_WEEKDAYS, ignore_idiom, "周期拜"),
    rule(_NO_MONTHS, ignore_idiom, "月"),
    rule(_NO_HOLIDAYS, ignore_idiom, _HOLIDAY_CUES),
    rule(
        rf"(?:{_YEAR})?{_NOT_NUMBER}(?P<m>{_MONTH_NUMBER})月份?"
        rf"(?:(?P<d>{_DAY_NUMBER}){_DAY_END}(?:{_SPAN}(?P<d2>{_DAY_NUMBER})[日号])?)?"
        rf"(?:{_WEEKDAY_BEHIND})?",
        _date,
        "月",
    ),
    rule(_NUMERIC_DATE, _numeric_date, "./", lead=r"(?<![0-9.:/年月第$¥a-z])"),
    rule(rf"{_YEAR}(?:(?P<season>[春夏秋冬])[天季])?", _year, "年", lead=_NOT_NUMBER),
    rule(r"(?P<step>[上这下])个?(?P<season>[春夏秋冬])[天季]", _season, "春夏秋冬"),
    rule(
        rf"(?P<day>大前|大后|前|昨|今|明|后)(?:[天日]|(?=[早晚晨夜])|{_ER}){_PART}",
        _near_day,
        "天日早晚晨夜儿",
    ),
    rule(rf"{_STEP}{_WEEK}(?:(?P<end>末)|{_WEEKDAY})?(?(wd){_PART}|(?P<part2>))", _week, "周期拜"),
    rule(
        rf"(?:周|星期|礼拜){_WEEKDAY}[,，、\s]?[(（]?(?P<d>{_DAY_NUMBER})[号日]{_NO_PLACE}",  # noqa: RUF001
        _weekday_and_day,
        "周期拜",
        lead=rf"{_NOT_NUMBER}(?<![个几])",
    ),
    rule(
        rf"(?P<d>{_DAY_NUMBER})[号日][,，、\s]?[(（]?(?:周|星期|礼拜){_WEEKDAY}",  # noqa: RUF001
        _weekday_and_day,
        "号日",
        lead=rf"{_NOT_NUMBER}(?<![a-z月])",
    ),
    rule(
        rf"(?:周|星期|礼拜){_WEEKDAY}{_PART}", _weekday, "周期拜", lead=rf"{_NOT_NUMBER}(?<![个几])"
    ),
    rule(
        rf"(?:{_STEP}个?)?月(?P<of>[初底末]|[上中下]旬)(?![薪色线])",
        _part_of_month,
        "月",
        lead=r"(?<![0-9一二三四五六七八九十几岁每满累个正腊])",
    ),
    rule(
        rf"(?:{_YEAR}[的の]?|(?P<short>[去今明]))?年(?P<of>[初底末])(?![薪奖一二三四五六七八九十])",
        _part_of_year,
        "年",
        lead=r"(?<![0-9零一二三四五六七八九十百千万两多每几半整新成近周学前后过失年])(?<!年[的の])",
    ),
    rule(rf"{_STEP}个?月(?:的?(?P<d>{_DAY_NUMBER})[日号])?", _month, "月"),
    rule(rf"(?P<d>{_DAY_NUMBER})[号日]{_GO_ON}", _nth, "号日", lead=rf"{_NOT_NUMBER}(?<![a-z月])"),
    rule(
        rf"(?!(?:19|20)[0-9]{{2}}年){_SOME}{_SMALL_UNIT}(?:以|之)?前(?![天年往])",
        _ago,
        "前",
        lead=_NOT_NUMBER,
    ),
    rule(rf"{_SOME}{_UNIT}(?:以|之)?后(?![天年])", _later, "后", lead=_NOT_NUMBER),
    rule(r"前(?:[几两些]|好几)[天日]", _few_days, "前"),
    rule(rf"(?:过去|最近|近)的?{_SOME}{_UNIT}(?![前后])", _past_units, "去近"),
    rule(rf"(?:{_YEAR})?(?P<holiday>{_HOLIDAY})节?", _holiday, _HOLIDAY_CUES),
)


_DOING = (
    r"去(?!年)|来|见|飞|考试|考|开会|开学|开始|放假|回|出发|上班|上课|加班|出差|搬家|结婚|毕业|面试"
    r"|比赛|旅行|旅游|吃|买|看|做|干|走|(?<![还只没所])有|(?<![还但于只可不])是|交|(?<![只重主])要"
    r"|会(?![议员])|能|(?<![觉记])得|想(?![起念])|需要|必须|应该|一起|聚"
    r"|复[查诊]|体检|拆线|打疫苗|打针|拔[智牙]|手术|出结果"
)

TENSES = Tenses(
    surely_future=r"(?:就|快)?要(?![了求])[^了，。]{0,6}了|快到|到时候|打算|准备|计划|将|提醒|就要|再说(?![了一])"  # noqa: RUF001
    r"|(?<![大节制])约(?:了(?!解)|好)|预约|(?:改|挪|推|推迟|延|延期|提前)到|会[^，。]{1,12}的[\s。！]*$",  # noqa: RUF001
    # Behind the date, which is a blank here, 之前 is "before" and no tense.
    past=r"了(?!解|不)|那次|那天|[过说]|记得|上次|(?<! )之前|曾|\w的[\s。？?!！]*$",  # noqa: RUF001
    future=_DOING,
)
