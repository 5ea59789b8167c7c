"""Requests for another style of the answers."""

from memory_core.text.style_requests import asks_for_a_style
from tests.cases import for_each


@for_each(
    "message",
    [
        "make your answers longer please, and more description",
        "shorter answers pls, im on the bus",
        "can u keep it to like one sentence pls ur going on a bit",
        "[OOC: can you write in present tense from now on?]",
        "talk a bit more slowly",
        "stop saying hoo for a bit would you",
        "quit callin me hon",
        "can you give me that as bullet points",
        "from now on answer me only in French please",
        "no emojis please",
        "fass dich heute bitte kurz",
        "nich so lange texte bitte",
        "contéstame más cortito porfa",
        "réponds en une phrase max stp",
        "отвечай покороче",
        "回复再长一点，多写点动作描写",
        "不要一直叫我老板娘",
        "もう少し短く書いて",
    ],
)
def test_request_for_a_style_is_recognised(message: str) -> None:
    assert asks_for_a_style(message)


@for_each(
    "message",
    [
        "write me an insta bio, two lines, work and town",
        "help me write a few words for my wife's bench",
        "write a short message to my sister about the flat",
        "what did I call the short story",
        "keep the key under the mat",
        "my boss told me to talk more slowly, that clown, and then he gave my shift to Ed. " * 3,
        "do you remember how long my sentences were",
        "I stopped drinking coffee",
        "schreib meiner schwester eine karte",
        "escribe a mi madre que llego tarde",
        "我想写短一封信给妈妈",
        "no emojis please, write a card for my mum",
        "write a scene in third person where Lysa mentions the promise",
        "keep it short, a toast for my brother",
        "schreib meiner Mutter eine Karte, keine Emojis",
        "escribe una nota para mi jefa, en primera persona",
        "écris un mot pour ma voisine, sans emojis",
        "напиши открытку маме, без смайликов",
        "写一段给妈妈的话，简短一点",
        "母への手紙を短く書いて",
    ],
)
def test_other_request_asks_for_no_style(message: str) -> None:
    assert not asks_for_a_style(message)
