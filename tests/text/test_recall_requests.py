"""Messages about what was said before."""

from memory_core.text.recall_requests import asks_what_was_said
from tests.cases import for_each


@for_each(
    "message",
    [
        "remind me, why does it work on him",
        "what did you suggest for the cough?",
        "you told me a book for this",
        "did I ever tell you about Leeds",
        "what was ur silly sentence for the wrist",
        "name of the fast talking professor pls",
        "where does he live again",
        "wie hieß die Firma",
        "womit hattest du mir gedroht",
        "wann ist der Termin nochmal",
        "me recomendaste un libro",
        "como se yama el director",
        "tu m'avais conseillé un film",
        "c'est quand déjà ?",
        "напомни, как звали кота",
        "你之前说要先收多少",
        "那家店叫什么来着",
        "前に勧めてくれた本",
        "あの店どこだっけ",
    ],
)
def test_message_about_what_was_said_is_recognised(message: str) -> None:
    assert asks_what_was_said(message)


@for_each(
    "message",
    [
        "what was the cold war",
        "good morning",
        "I told my boss off",
        "he said it would rain",
        "what's the capital of France?",
        "wie heißt die Hauptstadt von Peru",
        "ich hab heute nichts gesagt bekommen",
        "¿qué es un agujero negro?",
        "comment ça va ?",
        "что такое чёрная дыра",
        "今天天气真好",
        "おはよう",
    ],
)
def test_other_message_refers_to_nothing_said_before(message: str) -> None:
    assert not asks_what_was_said(message)
