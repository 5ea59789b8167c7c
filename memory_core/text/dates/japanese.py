"""Japanese words in dates. The Chinese rules also read the Japanese 12月19日 and 3日前."""

from .date_words import DateWords
from .feasts import FixedDay
from .tenses import Tenses
from .unit_parts import Part, named_parts

_NUMBERS = {char: value for value, char in enumerate("一二三四五六七八九十", 1)}
_MONTHS: dict[tuple[str, int | None], str] = {
    ("month", 0): "今月",
    ("month", 1): "来月",
    ("month", -1): "先月",
}
_YEARS: dict[tuple[str, int | None], str] = {
    ("year", 0): "今年",
    ("year", 1): "来年",
    ("year", -1): "去年 昨年",
}
_WEEKS: dict[tuple[str, int | None], str] = {
    ("week", 0): "今週",
    ("week", 1): "来週",
    ("week", -1): "先週",
}
_PARTS = {
    Part.BEGINNING: [
        *("{}初め", "{}の初め", "{}のはじめ", "{}頭", "{}の頭", "{}あたま", "{}のあたま"),
        *("{}上旬", "{}の上旬", "{}初旬"),
    ],
    Part.MIDDLE: ["{}半ば", "{}の半ば", "{}なかば", "{}の中頃", "{}中旬", "{}の中旬"],
    Part.END: ["{}末", "{}の末", "{}の終わり", "{}終わり", "{}下旬", "{}の下旬"],
}
_PARTS_OF_WEEK = {
    part: [one for one in phrases if one != "{}末"] for part, phrases in _PARTS.items()
}
_UNIT_PARTS = named_parts(_MONTHS, _PARTS) | named_parts(_YEARS, _PARTS)
_UNIT_PARTS |= named_parts(_WEEKS, _PARTS_OF_WEEK)
_UNIT_PARTS |= named_parts({("week", None): "週"}, {Part.BEGINNING: ["{}明け", "{}の頭", "{}初め"]})
# Twice the unit: 来年の年末.
_UNIT_PARTS |= named_parts(_MONTHS, {Part.BEGINNING: ["{}の月初"], Part.END: ["{}の月末"]})
_UNIT_PARTS |= named_parts(
    _YEARS, {Part.BEGINNING: ["{}の年明け", "{}の年初", "{}の年始"], Part.END: ["{}の年末"]}
)
_UNIT_PARTS |= named_parts({("month", None): "月"}, {Part.BEGINNING: ["{}初"], Part.END: ["{}末"]})
_UNIT_PARTS |= named_parts(
    {("year", None): "年"}, {Part.BEGINNING: ["{}明け", "{}始"], Part.END: ["{}末"]}
)

WORDS = DateWords(
    weekdays=tuple(f"{char}曜日 {char}曜 ({char}) （{char}）" for char in "月火水木金土日"),  # noqa: RUF001
    days={
        0: "今日 本日 きょう",
        -1: "昨日 きのう",
        -2: "一昨日 おととい",
        -3: "一昨々日 さきおととい",
        1: "明日 あした",
        2: "明後日 あさって",
        3: "明々後日 明明後日 しあさって",
    },
    day_parts={
        (-1, "night"): "昨夜 昨晩 ゆうべ",
        (0, "night"): "今夜 今晩",
        (0, "morning"): "今朝",
        (1, "morning"): "明朝",
        (1, "night"): "明晩",
    },
    parts={
        "morning": "朝 早朝 午前 午前中",
        "afternoon": "昼 お昼 午後",
        "evening": "夕方",
        "night": "夜 晩 深夜 夜中",
    },
    numbers=_NUMBERS | {"半": 0.5},
    few="数",
    units={
        "day": "日 日間",
        "week": "週 週間",
        "weekend": "週末 土日 週の土日 週土日",
        "month": "月 か月 ヶ月 カ月",
        "year": "年 年間",
    },
    named_units={
        ("year", -2): "おととし",
    },
    seasons={
        "spring": "春",
        "summer": "夏",
        "autumn": "秋",
        "winter": "冬",
    },
    season_gap="(?P<of_year>年の?)?",
    weekends="(?<![毎今来先])(?:週末|土日)",
    holidays={
        "クリスマスイブ": FixedDay(12, 24),
        "クリスマスイヴ": FixedDay(12, 24),
        "クリスマス": FixedDay(12, 24, 2),
        "大晦日": FixedDay(12, 31),
        "元日": FixedDay(1, 1),
        "元旦": FixedDay(1, 1),
        "正月": FixedDay(1, 1, 3),
        "お正月": FixedDay(1, 1, 3),
        "バレンタイン": FixedDay(2, 14),
        "ホワイトデー": FixedDay(3, 14),
        "ゴールデンウィーク": FixedDay(4, 29, 7),
        "ゴールデンウイーク": FixedDay(4, 29, 7),
        "gw": FixedDay(4, 29, 7),
        "シルバーウィーク": FixedDay(9, 19, 5),
        "お盆": FixedDay(8, 13, 4),
        "年末年始": FixedDay(12, 29, 6),
        "節分": FixedDay(2, 3),
        "こどもの日": FixedDay(5, 5),
        "子供の日": FixedDay(5, 5),
        "七夕": FixedDay(7, 7),
        "ハロウィン": FixedDay(10, 31),
    },
    year_gap="年の?",
    last="先|昨|去|この(?:前|間)の|こないだの|(?<![以日週月年駅の])前の",
    this="今|この",
    next="来",
    before_last="先[々先]|一昨",
    after_next="再来|さ来|さらい",
    coming="今度の?|次の",
    unit_parts=_UNIT_PARTS,
    ago=r"(?<![几数何百千一二三四五六七八九十上下前後后]){n}{unit}前(?![後半])",
    later=r"(?<![几数何百千一二三四五六七八九十上下前後后]){n}{unit}後",
    week_day="の?",
    idioms=r"毎週[月火水木金土日]曜日?|今日は(?=[、。！!]|$)"  # noqa: RUF001
    r"|(?:メリー|ハッピー)(?:クリスマス|ハロウィン|バレンタイン)|毎年の?(?:クリスマス|正月)"
    r"|(?:クリスマス|バレンタイン|ハロウィン|正月)の?(?:ソング|ツリー|カード|映画|料理|飾り|曲|ローズ)"
    "|元旦那|元日本|旧正月|毎[月年]末"  # an ex-husband, former Japan, the lunar new year
    "|[a-z]gw|gw[a-z]|毎年のお盆",
    month_day=(
        r"(?:(?=(?:[0-9]{1,2}日[の(（]?)?(?:{weekday})))?"  # noqa: RUF001
        r"(?:[月火水木金土日]曜日?の?)?(?<![0-9月/.])(?<!月の)(?<!あと){digits}日"
        r"(?:[の(（]?[月火水木金土日]曜日?[)）]?|[(（][月火水木金土日][)）]"  # noqa: RUF001
        r"|(?=[はにのっ、。！？!?]|から(?=[0-9]{1,2}日)|まで|$"  # noqa: RUF001
        r"|じゃな|だ(?:よ|ね|っけ)|かな|か[0-9]{1,2}日|って|も(?!た)|以[降前]"
        r"|[0-9]{1,2}[時:]|午[前後]|[朝昼夕夜]))"
    ),
    rare={
        "weekdays": "曜",
        "units": "先昨去今こ来次前",
        "weekends": "末土",
        "parts": "月年週",
        "ago": "前",
        "later": "後",
        "month_day": "日",
    },
    gap="",
    has_blanks=False,
    tenses=Tenses(
        past=r"(?:た|だった|でした|ました)(?=[。！？!?、\s]|$|[よねのがけから])|覚えて",  # noqa: RUF001
        future=(
            r"ます|ません|ましょう|予定|つもり|行く|来る|会う|帰る|飛ぶ|始まる|する|あります|ある|です"
            r"|試験|たい|何がある"
        ),
    ),
)
