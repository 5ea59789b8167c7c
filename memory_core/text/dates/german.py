"""German words in dates."""

from .date_words import DateWords
from .feasts import EasterDay, FixedDay
from .tenses import Tenses
from .unit_parts import Part, UnitPart, named_parts

_ORDINALS = (
    "erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft dreizehnt vierzehnt "
    "fünfzehnt sechzehnt siebzehnt achtzehnt neunzehnt zwanzigst einundzwanzigst "
    "zweiundzwanzigst dreiundzwanzigst vierundzwanzigst fünfundzwanzigst sechsundzwanzigst "
    "siebenundzwanzigst achtundzwanzigst neunundzwanzigst dreißigst einunddreißigst"
)
_NUMBERS = ["zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf"]
_NUMBERS += ["zwölf", "dreizehn", "vierzehn"]
_ONE = ("ein", "eine", "einem", "einer", "einen", "ner", "nem", "'ner", "'nem")
_WEEKDAYS = (
    "montag",
    "dienstag",
    "mittwoch",
    "donnerstag",
    "freitag",
    "samstag sonnabend",
    "sonntag",
)
_PARTS = ("früh", "morgen", "vormittag", "mittag", "nachmittag", "abend", "nacht")


def _with_compounds(names: str) -> str:
    """Returns the names of a weekday, with "Freitagabend" and the like, which mean the day."""
    compounds = (name + part for name in names.split() for part in _PARTS)
    return " ".join([names, *compounds])


_PAST = (
    "war|warst|waren|hatte|hatten|wurde|wurden|ging|gingen|kam|kamen|sah|sahen|fuhr|fuhren|flog"
    "|flogen|traf|trafen|aß|aßen|trank|las|schrieb|sprach|fand|fanden|bekam|blieb|dachte|brachte"
    "|wusste|musste|mussten|konnte|konnten|wollte|wollten|sollte|machte|machten|sagte|schlief|rief"
    "|lief|lag|gab|stand|saß|starb|begann"
)
_HAVE = r"\b(?:habe?|hast|hat|haben|habt|bin|bist|ist|sind|seid)\b"
_DONE = (
    r"\b(?-i:[a-zäöüß]*ge[a-zäöüß]{2,}(?:t|en)|(?:be|ver|er|ent|zer)[a-zäöüß]+(?:t|en)|\w+iert)\b"
)
_VERB = (
    "ist|sind|bin|bist|hat|habe|haben|gibt|kommt|kommen|komme|fliege|fliegt|fliegen|fahre|fährt"
    "|fahren|gehe|geht|gehen|treffe|treffen|trifft|findet|beginnt|fängt|machen|mache|macht|feiere"
    "|feiern|feiert|steht|habt|werde|wird|wirst|werden|will|wollen|muss|müssen|soll|sollen|kann"
    "|können|möchte|darf|heirate|heiraten|heiratet|reise|reisen|ziehe|ziehen|kommst|gehst|fährst"
    "|fliegst|machst|hast|bekomme|besuche|besuchen|besucht|passiert|arbeite|arbeiten"
    # as one speaks: "am Freitag hab ich Prüfung"
    "|hab|geh|gehts|gibts|komm|fahr|flieg|treff|mach|feier|werd|zieh|krieg|kriege|kriegt|kriegen"
    "|fahrn|gehn|kommn|treffn|ziehn|bekomm|besuch|arbeit|fang|fange|ruf|rufe|ruft|rufen|schreib|schreibe|schreibt|schreiben|hol|hole"
    "|holt|holen|bring|bringe|bringt|bringen|kauf|kaufe|koch|koche|ess|esse|essen|spiel|spiele|spielen"
    "|spielt|wollen|heirat|reis|schau|schaue|schauen|vergessen|erinner|erinnere|startet|anstehen"
)
_NO_NOUN = (
    r"(?!\s*(?:[0-9]|tag|platz|mal|abend|geburtstag|spieltag|stock|semester|advent|weihnachts\w*))"
)
# An ordinal before a noun is not a date: "am ersten Abend".
_GOES_ON = (
    r"(?=\s*(?:$|[^\w\s]|(?:ist|war|bin|hab|habe|haben|hat|hatte|was|wer|wo|um|ab|an|und|oder|los"
    r"|eigentlich|nochmal|wieder|schon|frei|geht|gehts|kommt|komme|muss|soll|bei|mit|in|zu|zum|zur|im"
    r"|ich|wir|du|er|sie|es|noch|vor|nach|fliege|fahre|werde|wird)\b))"
)
_UNITS = {
    ("month", None): "des_monats vom_monat",
    ("month", 0): "dieses_monats diesen_monat",
    ("month", 1): "nächsten_monats nächsten_monat",
    ("month", -1): "letzten_monats letzten_monat",
    ("year", None): "des_jahres vom_jahr",
    ("year", 0): "dieses_jahres dieses_jahr",
    ("year", 1): "nächsten_jahres nächstes_jahr",
    ("year", -1): "letzten_jahres letztes_jahr",
    ("week", None): "der_woche",
    ("week", 0): "dieser_woche diese_woche",
    ("week", 1): "nächster_woche nächste_woche",
    ("week", -1): "letzter_woche letzte_woche",
}
_UNIT_PARTS = named_parts(
    _UNITS, {Part.BEGINNING: ["anfang_{}"], Part.MIDDLE: ["mitte_{}"], Part.END: ["ende_{}"]}
)
_UNIT_PARTS |= {
    f"{compound}{end}": UnitPart(unit, part)
    for compound, unit in (("monats", "month"), ("jahres", "year"), ("wochen", "week"))
    for end, part in (("anfang", Part.BEGINNING), ("mitte", Part.MIDDLE), ("ende", Part.END))
    if compound + end != "wochenende"
}

WORDS = DateWords(
    months=(
        "januar jänner jan",
        "februar feber feb",
        "märz maerz mär",
        "april apr",
        "mai",
        "juni jun",
        "juli jul",
        "august aug",
        "september sept sep",
        "oktober okt",
        "november nov",
        "dezember dez",
    ),
    weekdays=tuple(map(_with_compounds, _WEEKDAYS)),
    days={
        0: "heute heut",
        -1: "gestern",
        -2: "vorgestern",
        1: "morgen",
        2: "übermorgen uebermorgen",
    },
    parts={
        "morning": "früh morgen vormittag",
        "afternoon": "mittag nachmittag",
        "evening": "abend",
        "night": "nacht",
    },
    ordinals={
        stem + end: day
        for day, stem in enumerate(_ORDINALS.split(), 1)
        for end in ("e", "en", "er")
    },
    numbers=dict.fromkeys(_ONE, 1) | {word: number for number, word in enumerate(_NUMBERS, 2)},
    few="ein_paar paar einigen wenigen mehreren",
    units={
        "day": "tag tage tagen",
        "week": "woche wochen",
        "weekend": "wochenende we",
        "month": "monat monate monaten monats",
        "year": "jahr jahre jahren jahres",
    },
    holidays={
        "heiligabend": FixedDay(12, 24),
        "heiligen_abend": FixedDay(12, 24),
        "silvester": FixedDay(12, 31),
        "silvesterabend": FixedDay(12, 31),
        "neujahr": FixedDay(1, 1),
        "neujahrstag": FixedDay(1, 1),
        "valentinstag": FixedDay(2, 14),
        "nikolaustag": FixedDay(12, 6),
        "rosenmontag": EasterDay(-48),
        "faschingsdienstag": EasterDay(-47),
        "aschermittwoch": EasterDay(-46),
        "palmsonntag": EasterDay(-7),
        "gründonnerstag": EasterDay(-3),
        "karfreitag": EasterDay(-2),
        "osterwochenende": EasterDay(-2, 4),
        "ostersamstag": EasterDay(-1),
        "ostersonntag": EasterDay(0),
        "ostermontag": EasterDay(1),
        "christi_himmelfahrt": EasterDay(39),
        "pfingstwochenende": EasterDay(48, 3),
        "pfingstsonntag": EasterDay(49),
        "pfingstmontag": EasterDay(50),
        "fronleichnam": EasterDay(60),
    },
    feasts={
        "weihnachten": FixedDay(12, 24, 3),
        "halloween": FixedDay(10, 31),
        "nikolaus": FixedDay(12, 6),
        "ostern": EasterDay(-2, 4),
        "pfingsten": EasterDay(48, 3),
    },
    at_feast="an|zwischen|zu|über|nach|vor|bis|seit|ab|für|um|kurz",
    unit_parts=_UNIT_PARTS,
    weekends=(
        r"(?:am|übers|über\s+das|fürs|für\s+das|vom|seit\s+dem|bis\s+zum)\s+wochenende"
        r"|(?<!\bi )(?:am|übers)\s+we"
    ),
    last=r"letzte[nmrs]?|vorige[nmrs]?|vergangene[nmrs]?",
    this=r"diese[nmrs]?",
    next=r"n(?:ä|ae)chste[nmrs]?|kommende[nmrs]?",
    date=(
        r"(?:(?:{weekday}),?\s+(?:de[nmr]\s+)?)?(?:{digits}\.\s*|(?:{ordinal})\s+){month}\.?{year}"
    ),
    until=r"bis(?:\s+zum)?",
    among=r"zwischen\s+dem",
    among_and=r"und(?:\s+dem)?",
    span_from="vom",
    span_end=rf"(?<=\.){_GOES_ON}",
    after_number=r"\.",
    # "24.11." and "am 24.11", but no price and no time of the day
    numeric=(
        r"(?P<lead>(?:am|vom|zum|bis|de[nmr]|{weekday},?(?:\s+de[nmr])?)\s+)?"
        r"{digits}\.\s?{number}(?(lead)\.?|\.){years}?"
        r"(?![0-9]|[.,:][0-9]|\s*(?:[€%°]|(?:uhr|h|euro|grad|kilo\w*|k[mg]|c?m|meter|liter|prozent|mio|std|stunden"
        r"|minuten|sterne|punkte|millionen)\b))"
    ),
    month_day=(
        rf"(?:(?<=\bam )|(?<=\bdem )(?<!\bzwischen dem )|(?<=\bzum )|(?<=\bauf den )"
        r"|(?:{weekday}),?\s+(?:de[nmr]\s+)?)"
        rf"(?:{{digits}}\.{_NO_NOUN}|{{ordinal}}{_GOES_ON})"
    ),
    # In English chats "im april" may mean "I am April".
    in_month=r"im(?!\s+(?-i:april|august))|(?:ende|anfang|mitte|seit|bis|ab)",
    in_year=r"jahre?|seit",
    ago=r"vor\s+{n}\s+{unit}",
    later=r"in\s+{n}\s+{unit}",
    week_day=r"\s+(?:am\s+)?",
    idioms=(
        r"(?:guten|schönen|am|jeden|der|den|dem|eines|einen|vom|frühen|zum)\s+morgen"
        r"|(?-i:(?<=[a-zäöüß,]\s)Morgen)"
        r"|(?:gutes?|chinesische[ms]?|jüdische[ms]?|orthodoxe[ms]?)\s+neujahr|(?:jedes|jeden)\s+(?:silvester|neujahr|weihnachten|valentinstag)"
        r"|(?:übernächste|vorletzte)[nmrs]?\s+(?:(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)"
        r"|jede[nmrs]?\s+(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)"
    ),
    cues="jahr jahre seit we",
    tenses=Tenses(
        past_before=r"\b(?:seit|letzte[nmrs]?)\s+",
        future_before=r"\bbis\s+(?:zum\s+)?|\bauf\s+(?:den\s+)?",
        past_words=frozenset(_PAST.split("|")),
        past=rf"\b(?:erinner(?!e?\s+mich\s+(?:(?:bitte|mal)\s+)*am\b)|weißt\s+du\s+noch\b)|^(?=.*{_HAVE}).*{_DONE}",
        future_words=frozenset(_VERB.split("|")),
        future=r"\b(?:freue\s+mich|ich\s+\w+e|wir\s+\w+en)\b|(?:e\s+ich|en\s+wir)\b",
    ),
)
