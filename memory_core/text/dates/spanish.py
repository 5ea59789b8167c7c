"""Spanish words in dates."""

from .date_words import DateWords
from .feasts import EasterDay, FixedDay
from .tenses import Tenses
from .unit_parts import Part, named_parts

_NUMBERS = (
    "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
    "diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro "
    "veinticinco veintiséis veintisiete veintiocho veintinueve treinta treinta_y_uno"
)
_COUNTED = {word: number for number, word in enumerate(_NUMBERS.split(), 2)}
_PAST = (
    "fui|fue|fuimos|fueron|hice|hizo|hicimos|hicieron|tuve|tuvo|tuvimos|estuve|estuvo|estuvimos"
    "|vine|vino|vinieron|dije|dijo|dijiste|vi|vimos|vio|di|dio|pude|puse|quise|supe|traje|había"
    "|tenía|hacía|era|éramos|estaba|estábamos|iba|íbamos|nació|salimos|comimos|recuerda|recuerdas|acuerdas"
)
_NOW = (
    "tengo|tienes|tiene|tenemos|tienen|hay|es|son|está|están|estoy|quiero|viajo|viajamos|salgo"
    "|sale|salimos|llego|llega|llegan|vuelo|volamos|voy|vas|va|vamos|van|vengo|viene|vienen|vuelvo"
    "|vemos|veo|quedamos|puedo|puedes|podemos|debo|empieza|empiezo|comienza|celebramos|cumplo"
    "|cumple|caso|casamos|hacemos|haces|hago|trabajo|visito|toca|pasa"
)

# "el martes 3 amigas"
_NO_THINGS = (
    r"(?!\s*(?:[0-9:€%/]|h\b|horas?\b|euros?\b|veces\b)"
    r"|\s+del?\s+(?!(?:este|ese)\b)"
    r"|\s+(?!(?:antes|después|despues|tras|mas|más|pues)\b)\w+s\b)"
)
_UNITS = {
    ("month", None): "de_mes del_mes",
    ("month", 0): "de_este_mes",
    ("month", 1): "del_mes_que_viene del_próximo_mes",
    ("month", -1): "del_mes_pasado",
    ("year", None): "de_año del_año",
    ("year", 0): "de_este_año",
    ("year", 1): "del_año_que_viene del_próximo_año",
    ("year", -1): "del_año_pasado",
    ("week", None): "de_semana de_la_semana",
    ("week", 0): "de_esta_semana",
    ("week", 1): "de_la_semana_que_viene de_la_próxima_semana",
    ("week", -1): "de_la_semana_pasada",
}
_UNIT_PARTS = named_parts(
    _UNITS,
    {
        Part.BEGINNING: ["principios_{}", "principio_{}", "comienzos_{}", "inicios_{}"],
        Part.MIDDLE: ["mediados_{}"],
        Part.END: ["finales_{}", "final_{}", "fines_{}", "fin_{}"],
    },
)
# The weekend, many of them, and New Year's Eve.
for _phrase in ("fin_de_semana", "fines_de_semana", "fin_de_año"):
    del _UNIT_PARTS[_phrase]

_NUMBERED_THINGS = (
    "número numero números numeros cifra cifras valor valores nivel niveles nota notas"
    " capítulo capitulo capítulos capitulos página pagina páginas paginas"
)
_NO_PAGES = "".join(rf"(?<!\b{word} )" for word in _NUMBERED_THINGS.split())

WORDS = DateWords(
    months=(  # without "de", "feb" and the like are English
        "enero ene",
        "febrero de_feb",
        "marzo",
        "abril abr",
        "mayo",
        "junio de_jun",
        "julio de_jul",
        "agosto",
        "septiembre setiembre de_sept",
        "octubre de_oct",
        "noviembre de_nov",
        "diciembre dic",
    ),
    weekdays=(
        "lunes",
        "martes",
        "miércoles miercoles",
        "jueves",
        "viernes",
        "sábado sabado",
        "domingo",
    ),
    days={
        0: "hoy",
        -1: "ayer",
        -2: "anteayer antes_de_ayer antier",
        1: "mañana manana",
        2: "pasado_mañana pasado_manana",
    },
    day_parts={
        (-1, "night"): "anoche",
        (-2, "night"): "anteanoche antes_de_anoche",
        (0, "night"): "esta_noche",
        (0, "morning"): "esta_mañana esta_manana",
        (0, "afternoon"): "esta_tarde",
    },
    parts={
        "morning": "por_la_mañana en_la_mañana a_la_mañana por_la_manana en_la_manana a_la_manana",
        "afternoon": "por_la_tarde en_la_tarde a_la_tarde",
        "night": "por_la_noche en_la_noche a_la_noche",
    },
    ordinals={"primero": 1, "uno": 1} | _COUNTED,
    numbers={"un": 1, "una": 1} | _COUNTED,
    few="unos unas algunos algunas pocos pocas varios varias un_par_de",
    units={
        "day": "día dia días dias",
        "week": "semana semanas",
        "weekend": "fin_de_semana finde",
        "month": "mes meses",
        "year": "año ano años anos",
    },
    holidays={
        "nochebuena": FixedDay(12, 24),
        "noche_buena": FixedDay(12, 24),
        "nochevieja": FixedDay(12, 31),
        "fin_de_año": FixedDay(12, 31),
        "día_de_navidad": FixedDay(12, 25),
        "año_nuevo": FixedDay(1, 1),
        "san_valentín": FixedDay(2, 14),
        "san_valentin": FixedDay(2, 14),
        "día_de_reyes": FixedDay(1, 6),
        "día_de_muertos": FixedDay(11, 2),
        "domingo_de_ramos": EasterDay(-7),
        "jueves_santo": EasterDay(-3),
        "viernes_santo": EasterDay(-2),
        "domingo_de_pascua": EasterDay(0),
        "domingo_de_resurrección": EasterDay(0),
        "lunes_de_pascua": EasterDay(1),
    },
    feasts={
        "navidad": FixedDay(12, 24, 3),
        "navidades": FixedDay(12, 24, 3),
        "halloween": FixedDay(10, 31),
        "semana_santa": EasterDay(-7, 8),
        "pascua": EasterDay(0, 2),
    },
    at_feast="en|por|para|desde|hasta|tras|antes de|después de|estas|las",
    unit_parts=_UNIT_PARTS,
    weekends=r"(?:el|al|del)\s+(?:finde|fin\s+de\s+semana)(?!\s+(?:pasado|anterior|q(?:ue)?\b|pr[óo]x))",
    last=r"pasad[oa]|últim[oa]",
    this=r"est[ea]",
    next=r"pr[óo]x(?:im[oa])?|q(?:ue)?\s+viene",
    day_of_week=r"\s+de\s+(?:la\s+)?",
    date=(
        r"(?:(?:{weekday}),?\s+(?:el\s+)?)?(?:{digits}(?:[º°]|ro)?|(?:{ordinal}))\s+(?:de\s+)?{month}{year}"
    ),
    with_year=r",?\s+(?:del?\s+)?",
    among=r"entre\s+el",
    among_and=r"y(?:\s+el)?",
    span_from=rf"{_NO_PAGES}del(?!\s+[01]\s+al\s+(?:5|10|20|100)\b)",  # on a scale
    span_end=(
        r"(?=\s*(?:[,;.!?]|$)|\s+(?:me|nos|no|estoy|estamos|voy|vamos|tengo|tenemos|hay|viene|vienen"
        r"|viajo|viajamos|trabajo|qu[ée]|por|y|en|con|si)\b)"
    ),
    numbered_things="|".join(_NUMBERED_THINGS.split()),
    until=r"al?(?:\s+d[ií]a)?",
    numeric=(
        r"(?P<lead>(?:el|del|al|{weekday}(?:,?\s+el)?)\s+(?:d[ií]a\s+)?)?{digits}/{number}"
        r"(?:/{years})?(?(lead)|(?=\s+a\s+las?\s))(?![0-9/]|\s*(?:de\b|%))"
    ),
    month_day=(
        r"(?:(?P<lead>(?:el\s+)?{weekday},?\s+|el\s+d[ií]a\s+(?=[0-9]))|(?!el\s+(?:primero|uno|dos|tres)\b)el\s+)"
        r"(?:d[ií]a\s+)?(?:{digits}|{ordinal})"
        rf"(?(lead){_NO_THINGS}|(?=\s*(?:[,;.!?]|$)|\s+(?:por|a\s+las?)\b))"
    ),
    in_month=r"en|desde|hasta|(?:principios|finales|mediados)\s+de",
    in_year=r"en(?:\s+el)?|desde|hasta|año",
    ago=r"hace\s+{n}\s+{unit}",
    later=r"(?:dentro\s+de|en)\s+{n}\s+{unit}",
    idioms=(
        r"(?:la|una|cada|buena|media)\s+ma[ñn]ana|hoy\s+en\s+(?:día|ocho)"
        r"|(?:los|cada|todos\s+los)\s+(?:lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo)"
        r"(?!\s+santos?\b)"
        r"|(?:feliz|próspero)\s+(?:navidad|año\s+nuevo|san\s+valent[íi]n|día\s+de\s+reyes)"
        r"|año\s+nuevo\s+(?:chino|lunar|judío)"
        r"|(?:santo|plácido)\s+domingo|viernes\s+negro"
    ),
    cues="en desde año",
    tenses=Tenses(
        past_before=r"\b(?:desde\s+el)\s+",
        surely_future=r"\b(?:voy|vas|va|vamos|van)\s+a\b|\b\w{2,}(?:ar|er|[^mt]ir|dr)(?:é|emos|án?)\b",
        past_words=frozenset(_PAST.split("|")),
        past=(
            r"\b(?:\w{2,}(?:aste|iste|aron|ieron|aba|aban)|\w{2,}ó)\b"
            r"|\b(?!qué|café|bebé|porqué|josé|esté|aunque)\w{3,}é\b"
            r"|\b(?!aquí|así|allí|ahí|casi)\w{2,}í\b|\b(?:he|has|ha|hemos|han)\s+\w+(?:d|ch|st|t)o\b"
        ),
        future_words=frozenset(_NOW.split("|")),
    ),
)
