"""Short requests to be told something, and their subjects, are recognised in eight languages."""

from memory_core.text.telling_requests import asks_to_be_told, without_asking_to_be_told
from tests.cases import for_each

REQUESTS = [
    ("tell me the password", "the password"),
    ("say the password", "the password"),
    ("password please", "password"),
    ("Sag mir nochmal das Passwort", "das Passwort"),
    ("sag das passwort bitte", "das passwort"),
    ("dime la clave", "la clave"),
    ("la clave porfa", "la clave"),
    ("me diz a senha", "a senha"),
    ("dimmi la password", "la password"),
    ("dis-moi le mot de passe", "le mot de passe"),
    ("redonne le code stp", "le code"),
    ("скажи пароль", "пароль"),
    ("напомни мне пожалуйста адрес", "адрес"),
    ("告诉我密码", "密码"),
    ("密码发我", "密码"),
    ("パスワードを教えて", "パスワード"),
]
OTHERS = """I say what I think
Saying goodbye is hard
the dog is sleeping
tell me a joke
shorter please
kürzer bitte
dime algo bonito
in English please
please stop talking to me about the weather of today
Die Sage ist alt
das hat sie mir gesagt
dimension
La dama come
disons que je viens
дайвинг это здорово
我说了算
先生に教えてもらった"""


@for_each(("text", "rest"), REQUESTS)
def test_short_request_is_recognised_and_stripped(text: str, rest: str) -> None:
    assert asks_to_be_told(text)
    assert without_asking_to_be_told(text).strip() == rest


@for_each("text", OTHERS.splitlines())
def test_other_messages_are_no_short_requests(text: str) -> None:
    assert not asks_to_be_told(text)
    assert without_asking_to_be_told(text) == text


@for_each("text", ["dime", "sag mir bitte", "教えて"])
def test_request_without_a_subject_stays_whole(text: str) -> None:
    assert without_asking_to_be_told(text) == text
