"""Japanese words in dates. The Chinese rules also read the Japanese 12月19日 and 3日前."""

from .date_words import DateWords
from .feasts import FixedDay
from .tenses import Tenses
from .unit_parts import Part, named_parts

_NUMBERS = {char: value for value, char in enumerate("一二三四五六七八九十", 1)}
_MONTHS: dict[str, tuple[str, int | None]] = {
    "今月": ("month", 0),
    "来月": ("month", 1),
    "先月": ("month", -1),
}
_YEARS: dict[str, tuple[str, int | None]] = {
    "今年": ("year", 0),
    "来年": ("year", 1),
    "去年": ("year", -1),
}
_PARTS = {
    Part.BEGINNING: ["{}初め", "{}の初め", "{}のはじめ", "{}頭", "{}上旬", "{}の上旬"],
    Part.MIDDLE: ["{}半ば", "{}の半ば", "{}中旬", "{}の中旬"],
    Part.END: ["{}末", "{}の末", "{}の終わり", "{}下旬", "{}の下旬"],
}
_UNIT_PARTS = named_parts(_MONTHS, _PARTS) | named_parts(_YEARS, _PARTS)
# Twice the unit: 来年の年末.
_UNIT_PARTS |= named_parts(_MONTHS, {Part.BEGINNING: ["{}の月初"], Part.END: ["{}の月末"]})
_UNIT_PARTS |= named_parts(
    _YEARS, {Part.BEGINNING: ["{}の年明け", "{}の年初", "{}の年始"], Part.END: ["{}の年末"]}
)
_UNIT_PARTS |= named_parts({"月": ("month", None)}, {Part.BEGINNING: ["{}初"], Part.END: ["{}末"]})
_UNIT_PARTS |= named_parts({"年": ("year", None)}, {Part.BEGINNING: ["{}明け"], Part.END: ["{}末"]})

WORDS = DateWords(
    weekdays=tuple(f"{char}曜日 {char}曜 ({char}) （{char}）" for char in "月火水木金土日"),  # noqa: RUF001
    days={
        "今日": 0,
        "きょう": 0,
        "昨日": -1,
        "きのう": -1,
        "一昨日": -2,
        "おととい": -2,
        "明日": 1,
        "あした": 1,
        "明後日": 2,
        "あさって": 2,
    },
    day_parts={
        "昨夜": (-1, "night"),
        "昨晩": (-1, "night"),
        "ゆうべ": (-1, "night"),
        "今夜": (0, "night"),
        "今晩": (0, "night"),
        "今朝": (0, "morning"),
    },
    parts={
        "朝": "morning",
        "午前": "morning",
        "午後": "afternoon",
        "夕方": "evening",
        "夜": "night",
        "晩": "night",
    },
    numbers=_NUMBERS,
    few="数",
    units={
        "日": "day",
        "日間": "day",
        "週": "week",
        "週間": "week",
        "週末": "weekend",
        "月": "month",
        "か月": "month",
        "ヶ月": "month",
        "カ月": "month",
        "年": "year",
        "年間": "year",
    },
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
        "七夕": FixedDay(7, 7),
        "ハロウィン": FixedDay(10, 31),
    },
    year_gap="年の?",
    last="先|昨|去",
    this="今|この",
    next="来|今度の|次の",
    unit_parts=_UNIT_PARTS,
    ago=r"(?<![几数何百千一二三四五六七八九十]){n}{unit}前(?![後半])",
    later=r"(?<![几数何百千一二三四五六七八九十]){n}{unit}後",
    week_day="の?",
    idioms=r"毎週[月火水木金土日]曜日?|今日は(?=[、。！!]|$)"  # noqa: RUF001
    r"|(?:メリー|ハッピー)(?:クリスマス|ハロウィン|バレンタイン)|毎年の?(?:クリスマス|正月)"
    r"|(?:クリスマス|バレンタイン|ハロウィン|正月)の?(?:ソング|ツリー|カード|映画|料理|飾り|曲|ローズ)"
    "|元旦那|元日本|旧正月|毎[月年]末",  # an ex-husband, former Japan, the lunar new year
    month_day=(
        r"(?:(?=(?:[0-9]{1,2}日[の(（]?)?(?:{weekday})))?"  # noqa: RUF001
        r"(?:[月火水木金土日]曜日?の?)?(?<![0-9月/.])(?<!月の)(?<!あと){digits}日"
        r"(?:[の(（]?[月火水木金土日]曜日?[)）]?|[(（][月火水木金土日][)）]"  # noqa: RUF001
        r"|(?=[はにのっ、。！？!?]|から(?=[0-9]{1,2}日)|まで|$))"  # noqa: RUF001
    ),
    rare={
        "weekdays": "曜",
        "units": "先昨去今こ来次",
        "parts": "月年",
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
