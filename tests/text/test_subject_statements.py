"""Statements of a part of the user's life."""

from memory_core.text.subject_statements import OwnSubject, states
from tests.cases import for_each


@for_each("text", ["My name is Sam", "我叫小陈", "me llamo Ana", "меня зовут Олег"])
def test_statement_of_ones_own_name_is_recognised(text: str) -> None:
    assert states(OwnSubject.NAME, text)
    assert not states(OwnSubject.NAME, "My sister is here")


@for_each("text", ["I hate mushrooms", "我讨厌香菜", "odio los lunes"])
def test_statement_of_a_dislike_is_recognised(text: str) -> None:
    assert states(OwnSubject.DISLIKES, text)
    assert not states(OwnSubject.DISLIKES, "I love mushrooms")


@for_each(
    "text",
    [
        "I live in Lisbon",
        "Hi, I'm Alex, I live near the harbour.",
        "I moved to Porto last month",
        "We've just moved into the new house",
        "Finally moved to Leeds!",
        "I found a flat near the park",
        "ich wohne jetzt in Köln",
        "wir sind nach Bonn gezogen",
        "vivo en Sevilla",
        "me he mudado a Vigo",
        "j'habite à Lyon depuis mai",
        "я живу в Москве",
        "мы переехали в Казань",
        "我住在上海",
        "我上个月搬到了滨江",
        "東京に住んでいます",
        "we only got the keys to the place in Leeds two weeks ago",
        "wir sind endlich umgezogen",
        "por fin mudados, desde agosto estamos en Vigo",
        "on a posé les cartons à Nantes",
        "всё, переехали",
        "终于搬完了",
        "やっと引っ越し終わった",
    ],
)
def test_statement_of_where_the_speaker_lives_is_recognised(text: str) -> None:
    assert states(OwnSubject.HOME, text)


@for_each(
    "text",
    [
        "I couldn't live without coffee",
        "I want to live in Paris one day",
        "I used to live in Bath",
        "My sister lives in Bath",
        "I moved the sofa to the wall",
        "I live for the weekend",
        "Long live the queen",
        "我妈住院了",
        "我妈搬到北京了",
    ],
)
def test_other_statement_with_such_words_names_no_home(text: str) -> None:
    assert not states(OwnSubject.HOME, text)


@for_each(
    ("subject", "text"),
    [
        (OwnSubject.ORIGIN, "I'm from Ohio"),
        (OwnSubject.ORIGIN, "I was born and raised in Cork."),
        (OwnSubject.ORIGIN, "ich komme eigentlich aus Graz"),
        (OwnSubject.ORIGIN, "soy de Vigo"),
        (OwnSubject.ORIGIN, "我是四川人"),
        (OwnSubject.AGE, "I'm 34"),
        (OwnSubject.AGE, "I just turned 40 today!"),
        (OwnSubject.BIRTHDAY, "My birthday is on the 9th of May"),
        (OwnSubject.BIRTHDAY, "I had a quiet birthday, the ninth as always"),
        (OwnSubject.BIRTHDAY, "ich hab am 3. Mai Geburtstag"),
        (OwnSubject.BIRTHDAY, "我的生日是五月九号"),
        (OwnSubject.AGE, "bin 52 Jahre alt"),
        (OwnSubject.AGE, "tengo 28 años"),
        (OwnSubject.AGE, "j'ai 19 ans"),
        (OwnSubject.AGE, "мне 31 год"),
        (OwnSubject.AGE, "我今年28岁"),
        (OwnSubject.AGE, "im kim, 22, a nurse in hull"),
        (OwnSubject.AGE, "сегодня 39"),
        (OwnSubject.AGE, "25 ans aujourd'hui"),
        (OwnSubject.BIRTHDAY, "my sister wants to do something for my 30th"),
        (OwnSubject.ORIGIN, "try being a kid in oban"),
        (OwnSubject.ORIGIN, "toda mi infancia en Tandil"),
        (OwnSubject.ORIGIN, "我从小在宜宾长大"),
        (OwnSubject.WORK, "first day at tarn & thistle done"),
        (OwnSubject.WORK, "so im nina, 34, i drive an ambulance in leeds"),
        (OwnSubject.WORK, "I run a small bakery with my sister"),
        (OwnSubject.WORK, "ich fahr nachts taxi"),
        (OwnSubject.WORK, "我叫阿哲，我在杭州做外卖骑手"),
        (OwnSubject.WORK, "I handed in my notice on the trucks"),
        (OwnSubject.WORK, "устроился курьером"),
        (OwnSubject.WORK, "nouveau taf !!"),
        (OwnSubject.WORK, "Terrified and light. I'm starting at a small publisher"),
        (OwnSubject.BIRTHDAY, "ugh, turning 40 on the 9th of march"),
        (OwnSubject.BIRTHDAY, "am 21. juni werd ich 28"),
        (OwnSubject.BIRTHDAY, "el 14 de febrero me caen 33"),
        (OwnSubject.BIRTHDAY, "le 2 octobre je passe à 50"),
        (OwnSubject.BIRTHDAY, "17 апреля мне стукнет 45"),
        (OwnSubject.BIRTHDAY, "11月3号我就满三十五了"),
        (OwnSubject.BIRTHDAY, "8月12日でとうとう30歳"),
        (OwnSubject.ORIGIN, "родилась в самаре"),
        (OwnSubject.ORIGIN, "детство провела в самаре"),
        (OwnSubject.ORIGIN, "鹿児島生まれ"),
        (OwnSubject.ORIGIN, "実家は鹿児島"),
        (OwnSubject.AGE, "29 лет мне"),
        (OwnSubject.AGE, "今年30になる"),
        (OwnSubject.AGE, "29歳だよ"),
        (OwnSubject.BIRTHDAY, "днюха у меня 5 мая"),
        (OwnSubject.BIRTHDAY, "5月5日生まれ"),
        (OwnSubject.HOME, "нашла квартиру на баумана"),
        (OwnSubject.HOME, "福岡住みです"),
        (OwnSubject.HOME, "大名に部屋見つけた"),
        (OwnSubject.WORK, "я бариста"),
        (OwnSubject.WORK, "меня уволили"),
        (OwnSubject.WORK, "выхожу в пекарню с понедельника"),
        (OwnSubject.WORK, "カフェ店員してる"),
        (OwnSubject.WORK, "パン屋で働く"),
        (OwnSubject.WORK, "カフェ辞めた"),
        (OwnSubject.DISLIKES, "パクチー無理"),
        (OwnSubject.DISLIKES, "бесит лук"),
    ],
)
def test_statement_of_a_part_of_ones_life_is_recognised(subject: OwnSubject, text: str) -> None:
    assert states(subject, text)


@for_each(
    ("subject", "text"),
    [
        (OwnSubject.ORIGIN, "I'm home from work"),
        (OwnSubject.ORIGIN, "I'm back from Spain"),
        (OwnSubject.ORIGIN, "my neighbour is from Ohio"),
        (OwnSubject.ORIGIN, "scared of heights as a kid"),
        (OwnSubject.ORIGIN, "她从小就爱喝"),
        (OwnSubject.WORK, "quit smoking today"),
        (OwnSubject.WORK, "I'm starting at 9"),
        (OwnSubject.WORK, "it was hard work"),
        (OwnSubject.AGE, "my son is 12"),
        (OwnSubject.AGE, "義母が2月14日で80歳になります。"),
        (OwnSubject.BIRTHDAY, "mum's birthday is on the 3rd of march"),
        (OwnSubject.BIRTHDAY, "it's my nanas birthday"),
        (OwnSubject.BIRTHDAY, "我妈生日快到了"),
        (OwnSubject.BIRTHDAY, "先輩が誕生日おめでとうって言ってくれた"),
        (OwnSubject.HOME, "我婆婆现在住那间护理之家"),
        (OwnSubject.AGE, "I'm 20 minutes late"),
        (OwnSubject.AGE, "the car is 34 years old"),
        (OwnSubject.AGE, "my colleague brings her daughter, 20, a vegetarian"),
        (OwnSubject.BIRTHDAY, "my sister is turning 40 in may"),
        (OwnSubject.ORIGIN, "сестра родилась в самаре"),
        (OwnSubject.ORIGIN, "赤ちゃん生まれた"),
        (OwnSubject.ORIGIN, "地元の友達に会った"),
        (OwnSubject.AGE, "маме исполнилось 60"),
        (OwnSubject.AGE, "母が今年60になる"),
        (OwnSubject.BIRTHDAY, "дочь родилась 5 мая"),
        (OwnSubject.BIRTHDAY, "妹は5月5日生まれ"),
        (OwnSubject.HOME, "сестра нашла квартиру"),
        (OwnSubject.WORK, "работа не волк"),
        (OwnSubject.WORK, "меня взяли за руку"),
    ],
)
def test_statement_about_something_else_tells_nothing_about_the_speaker(
    subject: OwnSubject, text: str
) -> None:
    assert not states(subject, text)


@for_each(
    "text",
    [
        "I'm Sam, hi!",
        "Hello, I am Alex and I live here",
        "im Kim",
        "I'm Julian",
        "I'm Trish",
        "soy Lucía",
        "moi c'est Karim, j'ai 29 ans",
        "hey im tess. how are you",
        "moin. jannik, 34, pfleger aus bochum",
        "it's Morgan with an a",
        "привет я лера мне 29",
        "можешь звать меня лерой",
        "はじめまして、玲奈です",
    ],
)
def test_introduction_states_the_name(text: str) -> None:
    assert states(OwnSubject.NAME, text)


@for_each(
    "text",
    [
        "I'm tired",
        "hey im back.",
        "moin anna.",
        "hi im so done",
        "I'm German",
        "I'm Spanish, not Catholic",
        "I am not Sam",
        "moi c'est pareil",
        "老伴叫我吃饭了",
        "привет я дома",
        "как зовут твою кошку",
        "猫はブサっていうの",
    ],
)
def test_other_statement_of_oneself_states_no_name(text: str) -> None:
    assert not states(OwnSubject.NAME, text)
