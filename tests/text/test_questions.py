"""Questions without a question mark are distinguished from statements.

Questions with light words, reporting verbs and others around them.
"""

import re

from memory_core.text.first_person import own_statements
from memory_core.text.questions import (
    asks,
    asks_if_remembered,
    asks_in_any_words,
    reports_a_question,
    stands_alone,
    without_adverbs_of_time,
    without_asking_if_remembered,
)
from tests.cases import for_each

QUESTIONS = """чё я люблю
а во сколько у меня врач
скока мне лет
про что был тот фильм
what am I allergic to
which tea do I like
how old am I
so what is my sister called
remind me what I am allergic to
Tell me what I like
you know what my job is
I wonder what my cat is called
i forgot where my sister lives
what my brother does for work
wo wohne ich
wogegen bin ich allergisch
sag mir wie meine Katze heißt
à quoi je suis allergique
a qué soy alérgico
cuando era la reunión
q hora era
onde eu moro
dove abito io
waar woon ik
gdzie mieszkam ja
на что у меня аллергия
我对什么过敏
我住在哪里
私の猫の名前は何
anything on monday morning
got anything planned for tuesday
steht am montag was an
was ging letztes mal
was an meinem job mag ich
weisst du noch wo ich arbeite
weißte wie mein chef heißt
kannste mir sagen wann mein termin ist
weißt du noch, wie mein hund heißt
sag mal wie hieß das restaurant
na wie heißt mein hund
wieviel hat mein auto gekostet
seit wann arbeite ich da
um wieviel uhr war das nochmal
ich hab vergessen wie der arzt heißt
ich komm grad nicht drauf wie der heißt
hat mein bruder kinder
war das nicht am dienstag
gibts am samstag was
liegt morgen was an
algo el lunes
te acordás cuándo tengo turno
vos sabés cómo se llama mi perro
decime cómo se llama mi perro
recordás cómo se llama mi perro
mi perro como se llamaba
a que hora tengo dentista
j'ai rdv quand
mon rdv c'est quand
c'est quand mon rdv
c koi ma couleur préférée
mon chien s'appelle comment
je suis allergique à quoi
j'ai rdv à quelle heure
mon chat il a quel âge
karim c'est qui
t'as retenu le nom de mon chien
y'a quoi lundi
周一有啥安排
月曜なんかあったっけ
내 고양이 이름이 뭐야"""
STATEMENTS = """I am allergic to walnuts
My cat is called Biscuit and I found him in a ditch
when I was a child I lived in Vienna
was at the dentist today
was thinking about you
wie gesagt mein hund heißt bello
wie du ja weißt wohne ich in köln
wie geil ich hab den job bekommen
was mich nervt ist mein chef
was ich am liebsten esse ist lasagne
was das essen angeht bin ich vegan
wann immer ich kann geh ich joggen
bin ich froh dass ich den job hab
mag ich nicht so fisch
wohne ich jetzt halt in köln
nenn mich tom
hab ich schon erzählt dass ich umziehe
war nicht so toll heute
What I like most is tea
Where I live, there are many cats
How I met my wife is a long story
I forgot my keys at work
I was born in Porto
Co-workers like me
Was ich mag, ist Tee
Ich bin gegen Nüsse allergisch
Mon chat s'appelle Félix
tu sais que j'ai déménagé à Nantes
tu sais j'ai déménagé à Nantes
je sais pas quoi faire
c'est quand même mon frère
c'est quand il pleut que je lis
mon moment préféré c'est quand on mange
je suis crevé quoi
je bosse n'importe comment
je sais plus où
c'est mon frère qui vient
sabes que me mudé a Lima
sabés que soy vegana
a que no sabes nadar
recordé cómo se llama
Soy alérgico a las nueces
Cuando llego a casa me ducho antes de cenar con ella
Cuando era niño vivía en Lugo
Como mucho pescado
Tengo algo de fiebre
Mir ist egal, was du sagst
啥都没有
У меня аллергия на орехи
что то я сегодня никакая
чё-то я устал
我什么都吃
我啥都吃
今天没啥事，我在家躺着
我不咋吃辣
我没干嘛
没咋睡，昨晚加班到三点
我咋这么倒霉，又丢了钱包
不知道能不能去成都，机票太贵了
我来北京没多久
我的猫叫小白
私の猫の名前はタマです"""

COLLOQUIAL = """我老婆干啥的来着
我女兒幾歲
牙拔的哪颗
我的膝盖咋回事
20号我干嘛了
我今年多大了
我能不能喝酒啊现在
我住哪
我的车停哪了"""


@for_each("text", QUESTIONS.splitlines())
def test_question_without_a_mark_asks(text: str) -> None:
    assert asks(text)
    assert not list(own_statements(text))


@for_each("text", STATEMENTS.splitlines())
def test_statement_does_not_ask(text: str) -> None:
    assert not asks(text)
    assert not asks_in_any_words(text)


@for_each("text", COLLOQUIAL.splitlines())
def test_colloquial_question_is_no_statement(text: str) -> None:
    assert asks_in_any_words(text)
    assert not list(own_statements(text))


@for_each(
    "text",
    [
        "do you remember mr holloway?",
        "u still remember biscuit",
        "Weißt du noch, wie die Hütte hieß?",
        "te acuerdas de la taberna?",
        "te acordás de la taberna?",
        "recordás la taberna",
        "tu te souviens de Félix ?",
        "ты помнишь Барсика",
        "你还记得我面试那次吗",
        "覚えてる？",
    ],
)
def test_question_for_a_memory_asks_if_it_is_remembered(text: str) -> None:
    assert asks_if_remembered(text)


@for_each(
    "text", ["I remember mr holloway", "remember that I like tea", "记得买牛奶", "Do you like tea?"]
)
def test_other_remarks_do_not_ask_if_anything_is_remembered(text: str) -> None:
    assert not asks_if_remembered(text)


def test_foreign_text_without_an_end_is_read_quickly() -> None:
    assert not asks_if_remembered("do" + " " * 100_000)
    assert not asks_if_remembered("do you " * 20_000)
    without_asking_if_remembered("do you remember " * 20_000)


_QUESTION = re.compile("how old am i|我多大")


def is_alone(text: str) -> bool:
    found = _QUESTION.search(text)
    assert found
    return stands_alone(found)


@for_each(
    "text",
    [
        "how old am i",
        "do you know how old am i this year",
        "my boss asks how old am i",
        "她问我多大了",
    ],
)
def test_question_among_light_words_or_after_a_reporting_verb_stands_alone(text: str) -> None:
    assert is_alone(text)


@for_each(
    "text",
    ["how old am i in dog years", "i asked how old am i", "the story how old am i", "我多大的房子"],
)
def test_question_with_other_words_does_not_stand_alone(text: str) -> None:
    assert not is_alone(text)


def test_adverbs_of_time_are_left_out() -> None:
    assert without_adverbs_of_time("where do i live now again") == "where do i live"
    assert (
        without_adverbs_of_time("wann hab ich eigentlich geburtstag") == "wann hab ich geburtstag"
    )


@for_each(
    "sentence",
    [
        "my boss asks what I'm allergic to",
        "she wants to know if I eat hazelnuts",
        "die Ärztin fragt, wogegen ich allergisch bin",
        "me preguntan qué instrumento toco",
        "我老板问我对什么过敏",
    ],
)
def test_reported_question_is_recognised(sentence: str) -> None:
    assert reports_a_question(sentence)


@for_each(
    "sentence", ["I asked him where he lives", "she asked for tea", "he asks too much", "没问题"]
)
def test_statement_with_a_verb_of_asking_is_no_question(sentence: str) -> None:
    assert not reports_a_question(sentence)
