"""French words in dates."""

from .date_words import DateWords
from .feasts import EasterDay, FixedDay
from .tenses import Tenses
from .unit_parts import Part, named_parts

_DAYS = "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
_WEEKS = "week-?ends?|semaines?|mois|ans?|années?|jours?"
_A = "['\u2019]"
_NUMBERS = ["deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix"]
_TEENS = "onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt".split()  # noqa: SIM905
_TWENTIES = ["vingt_et_un", *(f"vingt-{word}" for word in _NUMBERS[:8])]
_DAYS_OF_MONTH = [*_NUMBERS, *_TEENS, *_TWENTIES, "trente", "trente_et_un"]
_COUNTED = {word: number for number, word in enumerate(_DAYS_OF_MONTH, 2)}
_DONE = (
    r"\w{2,}ée?s?|vue?s?|lu|pu|dû|eue?|fait|dit|pris|mis|venue?s?|partie?s?|sortie?s?|fini|reçu"
    "|couru|connu|voulu|vécu|mort|dormi|choisi|perdu|vendu|bu|cru|été|écrit|ouvert|offert|appris"
)
_PAST = "étais|était|étions|étaient|avais|avait|avions|avaient|allait|allais|faisait|faisais"

# "mardi 3 copains", "vendredi 8h"
_NO_THINGS = (
    r"(?!\s*(?:[0-9:€%/]|h(?:[0-9]|\b)|heures?\b|\w*euros?\b|fois\b)"
    r"|\s+(?!(?:dans|sans|vers|depuis|dès|après|mais)\b)\w+[sx]\b)"
)
_UNITS = {
    ("month", None): "de_mois du_mois",
    ("month", 0): "de_ce_mois",
    ("month", 1): "de_mois_prochain du_mois_prochain",
    ("month", -1): "du_mois_dernier",
    ("year", None): "d'année de_l'année",
    ("year", 0): "de_cette_année",
    ("year", 1): "d'année_prochaine de_l'année_prochaine",
    ("year", -1): "de_l'année_dernière",
    ("week", None): "de_semaine de_la_semaine",
    ("week", 0): "de_cette_semaine",
    ("week", 1): "de_semaine_prochaine de_la_semaine_prochaine",
    ("week", -1): "de_semaine_dernière de_la_semaine_dernière",
}
_UNIT_PARTS = named_parts(
    _UNITS, {Part.BEGINNING: ["début_{}"], Part.MIDDLE: ["milieu_{}"], Part.END: ["fin_{}"]}
)

_NUMBERED_THINGS = "numéro numéros nombre page pages chapitre chapitres note notes"
_NO_PAGES = "".join(rf"(?<!\b{word} )" for word in _NUMBERED_THINGS.split())

WORDS = DateWords(
    months=(
        "janvier janv",
        "février fevrier fév févr",
        "mars",
        "avril avr",
        "mai",
        "juin",
        "juillet juil",
        "août aout",
        "septembre",
        "octobre",
        "novembre",
        "décembre decembre déc",
    ),
    weekdays=tuple(_DAYS.split("|")),
    days={
        0: "aujourd'hui",
        -1: "hier",
        -2: "avant-hier avant_hier",
        1: "demain",
        2: "après-demain apres-demain après_demain apres_demain",
    },
    day_parts={
        (0, "morning"): "ce_matin",
        (0, "afternoon"): "cet_après-midi cet_aprèm cet_aprem",
        (0, "evening"): "ce_soir",
        (0, "night"): "cette_nuit",
    },
    parts={
        "morning": "matin",
        "afternoon": "après-midi aprèm aprem",
        "evening": "soir",
        "night": "nuit",
    },
    ordinals={"premier": 1} | _COUNTED,
    numbers={"un": 1, "une": 1} | _COUNTED,
    few="quelques plusieurs",
    units={
        "day": "jour jours",
        "week": "semaine semaines",
        "weekend": "week-end weekend we",
        "month": "mois mois-ci",
        "year": "an ans année annee années",
    },
    holidays={
        "réveillon_de_noël": FixedDay(12, 24),
        "jour_de_noël": FixedDay(12, 25),
        "saint-sylvestre": FixedDay(12, 31),
        "nouvel_an": FixedDay(1, 1),
        "jour_de_l'an": FixedDay(1, 1),
        "saint-valentin": FixedDay(2, 14),
        "saint_valentin": FixedDay(2, 14),
        "toussaint": FixedDay(11, 1),
        "chandeleur": FixedDay(2, 2),
        "mardi_gras": EasterDay(-47),
        "dimanche_des_rameaux": EasterDay(-7),
        "jeudi_saint": EasterDay(-3),
        "vendredi_saint": EasterDay(-2),
        "week-end_de_pâques": EasterDay(-1, 3),
        "dimanche_de_pâques": EasterDay(0),
        "lundi_de_pâques": EasterDay(1),
        "jeudi_de_l'ascension": EasterDay(39),
        "lundi_de_pentecôte": EasterDay(50),
    },
    feasts={
        "noël": FixedDay(12, 24, 3),
        "noel": FixedDay(12, 24, 3),
        "halloween": FixedDay(10, 31),
        "pâques": EasterDay(-1, 3),
        "paques": EasterDay(-1, 3),
        "la_pentecôte": EasterDay(48, 3),
    },
    at_feast="à|a|pour|avant|après|depuis|vers|fêter|pr",
    unit_parts=_UNIT_PARTS,
    last=r"derni(?:er|[èe]re)|passée?",
    this=r"ce|cet|cette",
    next=rf"prochaine?|pro(?!\s+(?:we|{_DAYS}|{_WEEKS})\b)|qui\s+vient",
    day_of_week=r"\s+de\s+(?:la\s+)?",
    date=r"(?:(?:{weekday}),?\s+(?:le\s+)?)?(?:{digits}(?:er)?|(?:{ordinal}))\s+{month}{year}",
    until=r"au",
    among=r"entre\s+le",
    among_and=r"et(?:\s+le)?",
    span_from=rf"{_NO_PAGES}du(?!\s+[01]\s+au\s+(?:5|10|20|100)\b)",  # on a scale
    numbered_things="|".join(_NUMBERED_THINGS.split()),
    span_end=(
        rf"(?=\s*(?:[,;.!?]|$)|\s+(?:j{_A}|c{_A}|(?:je|jsuis|on|nous|il|elle|ils|pour|à|chez|avec|et|donc"
        r"|y)\b))"
    ),
    after_number="er",
    numeric=(
        r"(?P<lead>(?:le|du|au|{weekday}(?:\s+le)?)\s+)?{digits}/{number}(?:/{years})?"
        r"(?(lead)|(?=\s+[àa]\s+[0-9]))(?![0-9/]|\s*(?:des?\b|%))"
    ),
    month_day=(
        r"(?:(?P<lead>(?:le\s+)?{weekday}\s+(?:le\s+)?)|(?!le\s+(?:premier|deux|trois)\b)le\s+)"
        r"(?:{digits}|{ordinal})"
        rf"(?(lead){_NO_THINGS}|(?=\s*(?:[,;.!?]|$)"
        rf"|\s+j(?:{_A}|ai\b)|\s+(?:donc|déjà|au\s+soir|au\s+matin|à|on|je|nous|il|elle)\b))"
    ),
    in_month=r"en|depuis|début|fin|mi|jusqu'en|au\s+mois\s+d(?:e|')",
    in_year=r"en|depuis|année",
    ago=r"(?:il\s+)?y['\u2019]?\s?a\s+{n}\s+{unit}",
    later=r"dans\s+{n}\s+{unit}",
    idioms=(
        rf"(?:tous\s+les|chaque|le)\s+(?:{_DAYS})s?(?!\s+(?:[0-9]|dernier|prochain|premier|saint\b(?!-)|gras\b"
        rf"|des\s+rameaux|de\s+(?:p[âae]|la\s+pent|pent|l{_A}asc)))"
        rf"|(?:tous\s+les|chaque)\s+(?:{_DAYS})s?\s+(?:saints?|gras|des\s+rameaux)"
        rf"|(?:{_DAYS})\s+en\s+(?:huit|quinze)|(?<!le\s)we\s+pro"
        r"|(?:joyeux|bon)\s+no[ëe]l|nouvel\s+an\s+(?:chinois|lunaire|juif|russe)"
        r"|[0-9]+\s+mars\s+(?:bars?|rovers?|missions?)"
        rf"|de\s+(?:début|fin)\s+(?:d{_A}année|de\s+(?:mois|semaine))(?!\s+(?:procha|derni))"
    ),
    doubtful="hier",  # "here" in German
    hints=(
        r"\b(?:je|j|tu|il|elle|on|nous|vous|ai|est|et|le|la|les|un|une|c|d|qu|avec|pas|soir|matin"
        r"|quoi|que|nuit|après)\b"
    ),
    hints_against=r"\b(?:ich|ist|das|der|und|nicht|wir|sind|bin|war|gibt|ein|eine|auf|zu|mit|noch)\b",
    cues="dernier prochain pro ce un en depuis année",
    tenses=Tenses(
        past_before=r"\bdepuis\s+",
        future_before=r"\b(?:est|sont|d'ici)\s+(?:le\s+|en\s+)?",
        past=(
            rf"\b(?:ai|as|a|avons|avez|ont|suis|es|est|sommes|êtes|sont)\s+(?:\w+\s+)?(?:{_DONE})\b"
            rf"|\b(?:{_PAST}|rappelles?|souviens|souvient)\b"
        ),
        future=(
            r"\b(?:vais|vas|va|allons|allez|vont|est|sont|suis|as|a|ai|avons|avez|ont|lieu|dois|doit)\b"
            rf"|\b(?:je|tu|on|il|elle|nous|vous|ils|elles)\s+(?!pense|sais|crois)\w+|\b[jc]{_A}\w+"
            r"|\b\w{2,}(?:erai|eras|erons|erez|eront|irai|irons|iront|drai|dra)\b"
        ),
    ),
)
