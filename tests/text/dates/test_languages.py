"""German, Spanish and French dates, and phrases that only look like dates."""

from datetime import datetime
from zoneinfo import ZoneInfo

from memory_core.text.dates.find_dates import find_dates, may_contain_date
from tests.cases import for_each
from tests.text.dates.periods import stretches, the

NOW = datetime(2026, 11, 24, 15, tzinfo=ZoneInfo("Europe/Berlin"))  # a Tuesday
LAST_FRIDAY, NEXT_FRIDAY = "2026-11-20", "2026-11-27"

LAST_WEEK, NEXT_WEEK = ("2026-11-16", "2026-11-23"), ("2026-11-30", "2026-12-07")
NEXT_MONTH = ("2026-12-01", "2027-01-01")

GERMAN = [
    ("20. Februar", the("2026-02-20")),
    ("Am 20. Februar fliege ich nach Rom", the("2027-02-20")),
    ("am 20. Februar bin ich geflogen", the("2026-02-20")),
    ("am 3. März 2025", the("2025-03-03")),
    ("am 3.März", the("2026-03-03")),
    ("der erste Mai", the("2026-05-01")),
    ("am einundzwanzigsten Dezember", the("2026-12-21")),
    ("Freitag, den 4. Dezember", the("2026-12-04")),
    ("Am Freitag habe ich Prüfung", the(NEXT_FRIDAY)),
    ("Meine Prüfung ist am Freitag", the(NEXT_FRIDAY)),
    ("Was machen wir am Freitag?", the(NEXT_FRIDAY)),
    ("Am Freitag habe ich ihn getroffen", the(LAST_FRIDAY)),
    ("Was haben wir am Freitag gemacht?", the(LAST_FRIDAY)),
    ("Am Freitag war ich krank", the(LAST_FRIDAY)),
    ("letzten Freitag", the(LAST_FRIDAY)),
    ("nächsten Freitag", the(NEXT_FRIDAY)),
    ("gestern habe ich geschlafen", the("2026-11-23")),
    ("vorgestern", the("2026-11-22")),
    ("gestern Abend", ("2026-11-23 18", "2026-11-24")),
    ("Ich fahre morgen nach Rom", the("2026-11-25")),
    ("übermorgen", the("2026-11-26")),
    ("letzte Woche", LAST_WEEK),
    ("nächste Woche", NEXT_WEEK),
    ("nächsten Monat", NEXT_MONTH),
    ("letztes Jahr", ("2025-01-01", "2026-01-01")),
    ("letzte Woche Dienstag", the("2026-11-17")),
    ("vor 3 Tagen", the("2026-11-21")),
    ("vor zwei Wochen", ("2026-11-07", "2026-11-14")),
    ("in drei Tagen fliege ich", the("2026-11-27")),
    ("im Mai war ich krank", ("2026-05-01", "2026-06-01")),
    ("Mai 2024", ("2024-05-01", "2024-06-01")),
    ("im Jahr 2019", ("2019-01-01", "2020-01-01")),
    ("was ist am dreißigsten?", the("2026-11-30")),
    ("am freitag hab ich nen termin", the(NEXT_FRIDAY)),
    ("was mach ich am freitag", the(NEXT_FRIDAY)),
    ("freitagabend geh ich ins kino", the(NEXT_FRIDAY)),
    ("am Freitagabend hab ich gekocht", the(LAST_FRIDAY)),
    ("freitag fang ich im neuen job an", the(NEXT_FRIDAY)),
    ("erinner mich am freitag an den arzt", the(NEXT_FRIDAY)),
    ("erinnerst du dich an freitag", the(LAST_FRIDAY)),
    ("heut abend", ("2026-11-24 18", "2026-11-25")),
    ("uebermorgen", the("2026-11-26")),
    ("in vierzehn tagen", the("2026-12-08")),
    ("der termin ist verschoben auf den 25.", the("2026-11-25")),
    ("ist auf freitag verschoben", the(NEXT_FRIDAY)),
    ("in ner woche", ("2026-11-28", "2026-12-05")),
    ("vor nem jahr", ("2025-05-24", "2026-05-24")),
    ("vom 5.12. bis 12.12. bin ich weg", ("2026-12-05", "2026-12-13")),
    ("vom 5. Dezember bis zum 7. Januar", ("2026-12-05", "2027-01-08")),
    ("Donnerstag, den 24. fliege ich", the("2026-12-24")),
    ("wer kommt Heiligabend?", the("2026-12-24")),
    ("was mache ich an weihnachten", ("2026-12-24", "2026-12-27")),
    ("letztes Weihnachten", ("2025-12-24", "2025-12-27")),
    ("silvester 2025 war toll", the("2025-12-31")),
]
SPANISH = [
    ("el 4 de diciembre", the("2026-12-04")),
    ("el 4 de diciembre de 2025", the("2025-12-04")),
    ("mi examen es el 12 de enero", the("2027-01-12")),
    ("el primero de mayo", the("2026-05-01")),
    ("el veintiuno de diciembre", the("2026-12-21")),
    ("el viernes voy a Madrid", the(NEXT_FRIDAY)),
    ("el viernes tengo un examen", the(NEXT_FRIDAY)),
    ("el viernes viajaré a Madrid", the(NEXT_FRIDAY)),
    ("el viernes fui a Madrid", the(LAST_FRIDAY)),
    ("el viernes hablé con ella", the(LAST_FRIDAY)),
    ("¿Qué hicimos el viernes?", the(LAST_FRIDAY)),
    ("el viernes pasado", the(LAST_FRIDAY)),
    ("el próximo viernes", the(NEXT_FRIDAY)),
    ("ayer llovió", the("2026-11-23")),
    ("anteayer", the("2026-11-22")),
    ("anoche soñé contigo", ("2026-11-23 18", "2026-11-24 06")),
    ("mañana tengo examen", the("2026-11-25")),
    ("pasado mañana", the("2026-11-26")),
    ("la semana pasada", LAST_WEEK),
    ("la próxima semana", NEXT_WEEK),
    ("el mes que viene", NEXT_MONTH),
    ("el año pasado", ("2025-01-01", "2026-01-01")),
    ("hace tres días", the("2026-11-21")),
    ("hace 3 dias", the("2026-11-21")),
    ("dentro de 15 dias viajo", the("2026-12-09")),
    ("manana voy al medico", the("2026-11-25")),
    ("pasado manana tengo examen", the("2026-11-26")),
    ("antes de ayer", the("2026-11-22")),
    ("antes de anoche", ("2026-11-22 18", "2026-11-23 06")),
    ("ayer a la noche", ("2026-11-23 18", "2026-11-24 06")),
    ("hoy a la tarde", ("2026-11-24 12", "2026-11-24 18")),
    ("la semana q viene", NEXT_WEEK),
    ("la prox semana", NEXT_WEEK),
    ("el finde q viene", ("2026-12-05", "2026-12-07")),
    ("el año q viene", ("2027-01-01", "2028-01-01")),
    ("el lunes de la semana que viene", the("2026-11-30")),
    ("el lunes de la semana pasada", the("2026-11-16")),
    ("el 15 de dic", the("2026-12-15")),
    ("el 30 de nov nos cambiamos", the("2026-11-30")),
    ("el 1ro de diciembre", the("2026-12-01")),
    ("el martes 1 de diciembre de 2026", the("2026-12-01")),
    ("el dia 5 tengo cita", the("2026-12-05")),
    ("en el 2019", ("2019-01-01", "2020-01-01")),
    ("dentro de tres días", the("2026-11-27")),
    ("en mayo de 2024", ("2024-05-01", "2024-06-01")),
    ("¿qué hay el treinta?", the("2026-11-30")),
    ("el lunes veintitrés", the("2026-11-23")),
    ("qué hago en nochebuena", the("2026-12-24")),
    ("la navidad pasada", ("2025-12-24", "2025-12-27")),
    ("en año nuevo vuelo a Lima", the("2027-01-01")),
]
FRENCH = [
    ("le 12 juin", the("2026-06-12")),
    ("le 12 juin je pars", the("2027-06-12")),
    ("le 12 juin 2025", the("2025-06-12")),
    ("1er mai", the("2026-05-01")),
    ("le premier mai", the("2026-05-01")),
    ("on se voit vendredi", the(NEXT_FRIDAY)),
    ("vendredi j'ai un examen", the(NEXT_FRIDAY)),
    ("vendredi je suis allé au cinéma", the(LAST_FRIDAY)),
    ("qu'est-ce qu'on a fait vendredi ?", the(LAST_FRIDAY)),
    ("vendredi dernier", the(LAST_FRIDAY)),
    ("vendredi prochain", the(NEXT_FRIDAY)),
    ("hier j'ai dormi", the("2026-11-23")),
    ("hier soir", ("2026-11-23 18", "2026-11-24")),
    ("avant-hier", the("2026-11-22")),
    ("aujourd\u2019hui", the("2026-11-24")),
    ("demain je pars", the("2026-11-25")),
    ("après-demain", the("2026-11-26")),
    ("la semaine dernière", LAST_WEEK),
    ("la semaine prochaine", NEXT_WEEK),
    ("le mois prochain", NEXT_MONTH),
    ("l'an dernier", ("2025-01-01", "2026-01-01")),
    ("il y a trois jours", the("2026-11-21")),
    ("ya 3 jours", the("2026-11-21")),
    ("dans quinze jours", the("2026-12-09")),
    ("apres demain j'ai un exam", the("2026-11-26")),
    ("avant hier", the("2026-11-22")),
    ("cet aprem", ("2026-11-24 12", "2026-11-24 18")),
    ("demain aprèm", ("2026-11-25 12", "2026-11-25 18")),
    ("vendredi pro", the(NEXT_FRIDAY)),
    ("la semaine pro", NEXT_WEEK),
    ("la semaine derniere", LAST_WEEK),
    ("ce we on va à la mer", ("2026-11-28", "2026-11-30")),
    ("le we prochain", ("2026-12-05", "2026-12-07")),
    ("lundi de la semaine prochaine", the("2026-11-30")),
    ("le 15 déc", the("2026-12-15")),
    ("le 5 j'ai rdv", the("2026-12-05")),
    ("au mois de mars", ("2026-03-01", "2026-04-01")),
    ("il y a un an", ("2025-05-24", "2026-05-24")),
    ("dans trois jours", the("2026-11-27")),
    ("en mars 2024", ("2024-03-01", "2024-04-01")),
    ("le trente on part", the("2026-11-30")),
    ("jeudi 24 on part", the("2026-12-24")),
    ("on fait quoi à noël", ("2026-12-24", "2026-12-27")),
    ("le nouvel an on sera à Lyon", the("2027-01-01")),
    ("noël dernier", ("2025-12-24", "2025-12-27")),
]
MEANT = [*GERMAN, *SPANISH, *FRENCH]

NO_DATES = """
Guten Morgen, wie geht es dir?
Am Morgen war es kalt
Das war ein schöner Morgen
jeden Montag schwimme ich
hier ist es schön
komm hier rüber
Das sind drei Tage
Tag für Tag
im Moment nicht
hi im april, nice to meet you
Maria mag Tee
das letzte Mal
am 1. Advent
am 2. Weihnachtstag
übernächsten Freitag
vorletzten Montag
por la mañana tomo café
una mañana fría
Buenos días
los lunes nado
Santo Domingo es bonito
la última vez
hoy en día todo es caro
a la mañana siguiente
por la manana tomo cafe
de hoy en ocho
el día 2 del curso fue mejor
hace calor
hace mucho tiempo
tres días
le lundi je nage
tous les vendredis
la planète Mars
3 mars bars
un an
la dernière fois
lundi en huit
are we pro Brexit or against it
zwei pro Weekend
as a pro we train a lot
un jour peut-être
am ersten Abend
am zweiten Tag schlief ich
fui el primero
quiero el dos
le premier gagne
毎週金曜日
frohe Weihnachten
ich liebe weihnachten
jedes Silvester
feliz navidad
feliz año nuevo
me encanta la navidad
joyeux noël
le sapin de noël
chinesisches Neujahr
le nouvel an chinois
el año nuevo chino
""".strip().splitlines()


@for_each(("text", "stretch"), MEANT, ids=[text for text, _ in MEANT])
def test_words_of_other_languages_name_this_period(text: str, stretch: tuple[str, str]) -> None:
    assert may_contain_date(text)
    assert stretches(text, NOW) == [stretch]


def test_english_abbreviation_of_a_month_is_not_read_as_spanish() -> None:
    text = "the interview is on 24 feb 11 am"
    assert stretches(text, NOW) == [the("2027-02-24")]


@for_each("text", NO_DATES)
def test_phrases_of_other_languages_name_no_date(text: str) -> None:
    assert find_dates(text, NOW) == ()


@for_each(
    ("text", "explicit"),
    [
        ("20. Februar", True),
        ("4 de diciembre", True),
        ("12 juin", True),
        ("5 января", True),
        ("im Mai", False),
        ("ayer", False),
        ("vendredi", False),
        ("先週", False),
    ],
)
def test_only_absolute_dates_of_other_languages_are_explicit(text: str, explicit: bool) -> None:
    assert [found.is_explicit for found in find_dates(text, NOW)] == [explicit]


@for_each("text", ["31. Februar", "30 de febrero", "31 juin", "31 июня"])
def test_a_day_that_no_month_has_is_no_date(text: str) -> None:
    assert find_dates(text, NOW) == ()


def test_german_hier_is_no_french_yesterday() -> None:
    assert stretches("Hier bin ich und das ist mein Haus", NOW) == []
    assert stretches("Hier je suis resté chez moi", NOW) == [the("2026-11-23")]
