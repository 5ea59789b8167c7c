"""Sentences in the first person that say nothing about their speaker."""

from memory_core.text.not_of_oneself import is_mere_action, sentences_of_speaker, without_listener
from tests.cases import for_each


@for_each(
    "message",
    [
        "Can you write a limerick about my parrot?",
        "Translate to French:\nI live in Ghent. My cat is ill.",
        "Übersetze bitte: Ich bin Lehrerin in Graz.",
        "Traduce esto: Vivo en Burgos con mi perro.",
        "Traduis : J'habite à Lille.",
        "Переведи: я живу в Самаре.",
        "帮我翻译：我住在苏州",
        "私の自己紹介を英語に訳してください。",
        "You are a smuggler and I am your captain.",
        "Du bist der Wirt und ich bin ein Gast.",
        "Ты гоблин, а я эльф.",
        "我扮演船长",
        "My character lives in a lighthouse.",
        "I was only joking about my brother.",
        "Era una broma lo de mi hermano.",
        "Je plaisantais pour mon frère.",
        "Я пошутил про брата.",
        "*I pour my tea and sit by the fire*",
        "*draws silver blade* my sister was killed by your kind",
        "what do u think about this poem\nI wandered lonely as a cloud. My heart is broken",
        "what do you think of this job ad: we want a cook. I am the owner of two restaurants",
    ],
)
def test_task_role_joke_or_action_says_nothing_of_its_speaker(message: str) -> None:
    assert [one for one in sentences_of_speaker(message) if any(map(str.isalpha, one))] == []


@for_each(
    "message",
    [
        "I write novels.",
        "What do you think of my story so far?",
        "here's my email: mia.long@example.org",
        "here's my story: I was born in Ulm and moved here in 2010, then I met Tom",
        "here is the code: 3307 for the garden gate, and the bike shed has 4412",
        "hier ist meine Geschichte: ich bin in Ulm geboren und lebe seit 2010 in Bonn",
        "aquí está mi historia: nací en Ulm y vivo aquí desde el 2010 con mi perro",
        "看看我的日记：今天我和小敏去了海边，吃了很多海鲜",
        "I *really* like tea.",
        "*sigh* I have a cold.",
        "You are right and I am a nurse.",
        "Please remember that I am allergic to walnuts.",
        "Schreibe gerade an einem Roman.",
        "请记住我对花生过敏。",
        "I want you to know that I live in Rome.",
        "I need you to remember that I have two cats.",
        "Ich möchte, dass du weißt, dass ich in Rom lebe.",
        "Quiero que sepas que vivo en Roma.",
        "Je veux que tu saches que j'habite à Rome.",
        "Хочу, чтобы ты знал, что я живу в Риме.",
        "我希望你知道我有一只猫。",
        "Я программист.",
    ],
)
def test_statement_of_oneself_stays(message: str) -> None:
    assert list(sentences_of_speaker(message)) == [message.replace("*", "")]


@for_each(
    "question", ["What do you think of my story?\nnews: ", "What do you think of my poem so far?\n"]
)
def test_news_behind_a_question_about_a_text_stays(question: str) -> None:
    *_, told = sentences_of_speaker(f"{question}i got the job at the bakery, i start on monday")
    assert told.endswith("i got the job at the bakery, i start on monday")


def test_words_of_others_in_quotation_marks_are_left_out() -> None:
    found = list(sentences_of_speaker('My mum said "I hate my job" at dinner.'))
    assert found == ["My mum said “—” at dinner."]


@for_each("sentence", ["I like your old coat.", "Ich mag deinen Mantel.", "我喜欢你的外套"])
def test_possession_of_the_listener_is_left_out(sentence: str) -> None:
    rest = without_listener(sentence)
    assert not any(word in rest for word in ("coat", "Mantel", "外套"))


def test_mere_action_is_distinguished_from_speech() -> None:
    assert is_mere_action(" *nods slowly* ")
    assert not any(map(is_mere_action, ["*nods* yes", "nods", "*nods* *waves* hi", "2 * 3 * 4"]))
