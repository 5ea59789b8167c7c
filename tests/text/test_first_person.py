"""Questions in which people ask about themselves are distinguished from requests and advice."""

from memory_core.text.first_person import asks_about_speaker, own_statements
from tests.cases import for_each


@for_each(
    "text",
    [
        "Do I have a pet?", "what's my job", "who is our landlord?", "remind me where I parked",
        "Habe ich Geschwister?", "wie heißt mein Chef", "où habite ma sœur ?", "¿tengo hermanos?",
        "как зовут мою кошку", "我有宠物吗？", "告诉我我的生日是几号？", "私の仕事は何？",
        "¿qué instrumento toco?", "на чём езжу", "うちの猫の名前は何？",
    ],
)  # fmt: skip
def test_question_about_the_speaker_is_recognised(text: str) -> None:
    assert asks_about_speaker(text)


@for_each(
    "text",
    [
        "tell me a joke", "how do I boil an egg?", "Should I take an umbrella?", "what is a cello?",
        "My cat is old.", "erzähl mir einen Witz", "wie koche ich Reis?", "cuéntame un chiste",
        "给我讲个笑话好吗？", "我应该怎么办？", "",
    ],
)  # fmt: skip
def test_request_advice_and_statement_are_no_questions_about_the_speaker(text: str) -> None:
    assert not asks_about_speaker(text)


@for_each(
    "text",
    [
        "hey Mira, bin der Jonas, 34 und wohn in Leipzig", "arbeite als Schreiner",
        "hab jetzt nen neuen Job", "mag keinen Fisch", "bin allergisch gegen Nüsse",
        "übrigens ess kein Fleisch", "muss morgen zum Zahnarzt", "heiße übrigens Tom",
        "komm aus Bayern",
    ],
)  # fmt: skip
def test_german_statement_without_a_pronoun_is_the_speakers_own(text: str) -> None:
    assert list(own_statements(text)) == [text]


@for_each(
    "text",
    [
        "живу в казани", "кстати не ем мясо", "вчера уволилась из кофейни",
        "привет, работаю бариста", "замужем три года",
    ],
)  # fmt: skip
def test_russian_statement_without_a_pronoun_is_the_speakers_own(text: str) -> None:
    assert list(own_statements(text)) == [text]


@for_each("text", ["мама бросила курить", "кот живет у бабушки", "погода супер сегодня"])
def test_russian_sentence_about_something_else_is_no_own_statement(text: str) -> None:
    assert not list(own_statements(text))


@for_each(
    "text",
    [
        "Bruno hat die Sneaker zerkaut", "komm mit ins Kino", "arbeit nervt", "mag sein",
        "kann sein, dass Tobi kommt", "the bin is full", "war super",
    ],
)  # fmt: skip
def test_german_sentence_about_something_else_is_no_own_statement(text: str) -> None:
    assert not list(own_statements(text))
