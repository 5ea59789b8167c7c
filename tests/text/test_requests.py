"""Messages about what was said before.

Short requests to be told something, and their subjects, are recognised in eight languages.

Requests for another style of the answers, or for work on a given text.
"""

from memory_core.text.requests import (
    asks_for_a_style,
    asks_to_be_told,
    asks_what_was_said,
    gives_text_to_work_on,
    without_asking_to_be_told,
)
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
        "shorter pls",
        "say that again but simpler",
        "geht das auch kürzer",
        "sag das nochma aber ohne fachwörter",
        "mas corto porfa",
        "redis ça plus simplement",
        "короче пожалуйста",
        "короче пиши плиз",
        "не так длинно пожалуйста",
        "говори со мной на ты",
        "タメ口でいいよ",
        "再短一点",
        "もっと短く",
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
        "which route was shorter",
        "wie lang ist die strecke zur arbeit",
        "wie war das nochmal ohne brille",
        "mi pelo está más corto",
        "короче он опять забыл",
        "пиши на почту",
        "会議が長すぎて疲れた",
        "how long is it",
    ],
)
def test_other_request_asks_for_no_style(message: str) -> None:
    assert not asks_for_a_style(message)


@for_each(
    "message",
    [
        'rewrite this so it sounds less rude: "you parked across my drive again"',
        "Translate into German: my sister arrives on Monday",
        "can you fix the grammar\n\nme and my brother was at the lake",
        "Please summarize: “We went to the lake and my brother fell in.”",
        "make this shorter: I would like to ask if you could feed the cat",
        "Übersetze bitte: Meine Schwester kommt am Montag an",
        'corrige les fautes: "je vous écrit au sujet du colis"',
        "traduce esto al inglés: mi hermana llega el lunes",
        "переведи на английский: моя сестра приедет в понедельник",
        "帮我把这句话翻译成英文：我妹妹星期一到",
        "次の文を英語に訳して:妹は月曜日に着きます",
        "これ英語にして：妹は月曜日に着きます",
    ],
)
def test_text_to_work_on_is_recognised(message: str) -> None:
    assert gives_text_to_work_on(message)


@for_each(
    "message",
    [
        "rewrite the poem you wrote for my sister",
        "translate the letter from my landlord, please",
        "check whether my exam is on Monday",
        "I said: my sister arrives on Monday",
        "fix the date: when was my sister coming",
        "say hi to your sister",
        "make it quick: when does she arrive?",
        "write a card for my mum: she likes roses and the sea",
        "帮我写张卡片：我妈喜欢玫瑰",
    ],
)
def test_other_request_gives_no_text_to_work_on(message: str) -> None:
    assert not gives_text_to_work_on(message)
