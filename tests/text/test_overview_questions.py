"""Questions for an overview of the user or of the last chats."""

from memory_core.text.overview_questions import Overview, overview_asked_for
from tests.cases import for_each

NAMES = ("Walter", "Rosie")
ABOUT_USER = """
o que você sabe sobre mim?
o que vc sabe sobre mim
oi, o que você já sabe de mim
você ainda lembra de mim?
me conta tudo o que você sabe sobre mim
que sabes sobre mim?
cosa sai di me?
che cosa ti ricordi di me
ti ricordi di me?
dimmi tutto quello che sai su di me
dimmi quello che sai di me
co o mnie wiesz?
co jeszcze pamiętasz o mnie
pamiętasz mnie jeszcze?
나에 대해 뭐 알아?
너 나에 대해서 뭘 기억해
나 기억해?
내가 누구야
나에 대해 아는 거 다 말해줘
저에 대해 알고 있어요?
what do you know about me?
What do you remember about me
tell me something about myself
tell me everything you know about me
do you remember me?
who am I?
how well do you know me?
do you have a memory of past chats?
test: do you remember anything?
surprise me with something you remember
Rosie, what do you still know about me?
Hi Rosie! Do you remember me?
so what do you actually remember
Could you summarize what you know about me?
what do u know about me
wait, actually, what do you know about me
lol ok what do u know abt me
hmm what do you remember about me
ooc: what do you know about me?
*looks up* so what do you know about me?
what have you learned about me so far?
((do you even remember me?))
等等，你知道我什么？
对了你知道我哪些事
话说，你还记得我吗
warte, was weißt du eigentlich über mich?
haha was weißt du noch von mir
was weißte über mich
was hast du dir bisher über mich gemerkt?
was hast du alles über mich gespeichert
was ist über mich gespeichert
sag mir mal alles, was du über mich weißt
kannst du mir sagen, was du über mich weißt?
fass mal zusammen, was du über mich weißt
liste alles auf was du über mich weißt
weißt du überhaupt noch, wer ich bin?
was kannst du mir über mich erzählen?
was hab ich dir schon alles über mich erzählt
welche Erinnerungen hast du an mich?
espera, ¿qué sabes de mí?
a ver, qué recuerdas de mí
attends, qu'est-ce que tu sais de moi ?
подожди, что ты обо мне знаешь?
чё ты обо мне знаешь
что тебе обо мне известно
расскажи всё что знаешь обо мне
что я тебе о себе рассказывал
ты хоть что-нибудь обо мне помнишь?
как хорошо ты меня знаешь
какой я человек
私の何を知ってる？
私について知ってること全部教えて
俺のこと何知ってんの
どんなこと覚えてる？
私ってどんな人？
これまで話したこと覚えてる？
記憶はあるの？
えっと、私のことを覚えてる？
你还记得我吗？
你知道我什么？
说说你对我的了解
我是谁？
你记得我哪些事？
你对我了解多少？
你记得我？
you remember me?
was weißt du über mich?
Erinnerst du dich noch an mich?
erzähl mir was du über mich weißt
¿qué sabes de mí?
¿te acuerdas de mí?
q sabes de mi?
qué sabés de mí
qué es lo que sabés de mí
que te acordás de mi?
te acordas de mi?
me conocés?
decime lo que sabés de mí
contame qué sabés de mí
sabes algo de mí?
cuanto me conoces?
qué sabe usted de mí
qu'est-ce que tu sais de moi ?
dis-moi tout ce que tu sais sur moi
tu sais quoi sur moi
t'sais quoi d'autre sur moi
kesk tu sais sur moi
tu connais quoi de moi
t'as retenu quoi sur moi
qu'est-ce que tu as retenu sur moi
tu te souviens de quoi sur moi
tu me connais bien ?
jsuis qui
что ты обо мне знаешь?
ты меня помнишь?
расскажи, что ты знаешь обо мне
私のことを覚えてる？
私について何を知ってる？
"""
LAST_CHATS = """
do que falamos da última vez?
sobre o que a gente conversou ontem
onde a gente parou
di cosa abbiamo parlato l'ultima volta?
dove eravamo rimasti?
o czym ostatnio rozmawialiśmy?
na czym skończyliśmy
우리 지난번에 무슨 얘기 했지?
어제 무슨 이야기 했어
어디까지 얘기했지?
what have we talked about so far?
what did we talk about last time?
do you remember our last conversation?
Rosie, do you remember what we talked about last time?
where did we leave off?
*stretches* where were we?
what did we do last time?
uhh what were we doing last time
recap pls
ooc: quick recap of the story so far?
what happened last time in our story
对了，上次聊到哪儿了？
let's continue where we left off
what happened last time?
summarize our previous chats
我们上次聊了什么？
上次聊到哪儿了？
你还记得我们上次聊了什么吗？
worüber haben wir letztes Mal gesprochen?
weißt du noch, worüber wir letztens gequatscht haben
worum ging's letztes mal
worum ging es in unserem letzten gespräch
wo waren wir nochmal stehen geblieben?
wo haben wir letztes Mal aufgehört?
was war letztes mal
was hab ich dir letztens erzählt
was haben wir letztes mal gemacht
worüber haben wir in letzter zeit so geredet
was war unser letztes Thema?
mach da weiter wo wir aufgehört haben
Wo waren wir stehengeblieben?
¿de qué hablamos la última vez?
de que hablamos la ultima vez
de q hablamos la ultima vez?
qué hablamos la última vez
de qué platicamos la vez pasada
de qué hablábamos
te acordás de qué hablamos la última vez?
te acuerdas de lo que hablamos la última vez?
la última vez de qué hablamos?
en que nos quedamos la ultima vez
por dónde íbamos
de quoi on a parlé la dernière fois ?
on a parlé de quoi la dernière fois
on a parle de quoi la derniere fois
la dernière fois on a parlé de quoi
de quoi on parlait
on parlait de quoi déjà
on en était où la dernière fois
on s'est dit quoi la dernière fois
je t'ai dit quoi la dernière fois
qu'est-ce qu'on s'est dit la dernière fois
tu te souviens de ce qu'on a dit la dernière fois
о чём мы говорили в прошлый раз?
前回何を話した？
どこまで話したっけ？
о чем говорили в прошлый раз
напомни о чем мы говорили
на чем мы закончили в прошлый раз
где мы остановились
про что мы в прошлый раз говорили?
перескажи наш последний разговор
продолжим с того места где остановились
この間何の話してたっけ
うちら何話してたっけ
最後に話したのはなんだっけ
前回の会話をまとめて
この前の続きしよ
hey its been a while what was i telling you
what was i telling you last time
hey im back what did we talk about
im back! where were we
what did i last tell you
whats the last thing we talked about
remind me where we left off
can you recap our last chat
summarise what we talked about
long time no see what did we talk about
its been weeks what were we talking about
you remember where we were
好久不见，我们上次说什么了
我上次跟你说了什么
weisst du noch was ich dir letztes mal erzählt hab
hallo lange nicht gesehen worüber haben wir letztes mal geredet
давно не виделись о чем мы говорили
qu'est-ce que je t'ai raconté la dernière fois
久しぶり！前回何の話した？
"""
FIRST_CHATS = """
do u remember the first time we met
Rosie, do you still remember our first conversation?
*smiles* how did we meet?
when did we first talk?
what was the first thing I ever told you?
what did we talk about the first time?
你还记得我们第一次见面吗？
我们第一次聊天说了什么？
我第一次跟你聊天是什么时候
我们是怎么认识的
erinnerst du dich noch an unser erstes Gespräch?
weißt du noch, wie wir uns kennengelernt haben?
¿te acuerdas de la primera vez que hablamos?
¿cómo nos conocimos?
tu te souviens de notre première conversation ?
comment on s'est rencontrés ?
помнишь, как мы познакомились?
о чём мы говорили в первый раз?
с чего началось наше общение
когда мы начали общаться
最初に何話したっけ
どうやって知り合ったっけ
初めて話したのいつだっけ
初めて話した時のこと、覚えてる？
"""
NEITHER = """
o que você sabe sobre meu irmão
você sabe de mim e do zeca?
cosa sai di mio fratello
chi sono i tuoi amici
co wiesz o moim bracie
나에 대해 쓴 글이야
내 동생에 대해 뭐 알아
나 아니야
무슨 얘기를 하고 싶어?
where were we supposed to meet
where were we when it rained
remind me where we left the car
im back from the gym
its been a while since i ran
好久不见的朋友来了
recap the movie for me
what was i telling you about tom
do you remember the first time we went to Rome?
how did you meet Tom?
what was your first thought?
when did we first see the sea?
我第一次去杭州是什么时候
wie haben sich meine Eltern kennengelernt?
do you remember Rome?
what do you know about black holes?
what do you know about my dog
do you remember me telling you about Tom?
who am I kidding
who am I meeting today?
tell me something
tell me about you
what did we talk about in Rome
what should we talk about
what happened before the war?
what's in your memory card
describe me as a pirate
how was the last time?
go on
you know me
tu me connais
tu me connais bien
me conocés
qué sabes de mi perro
tu sais quoi
de qué hablamos con Ana
on a parlé de quoi avec Karim
je t'ai dit quoi
记得我
ты меня знаешь
你还记得那次旅行吗
我是谁的儿子
我们聊点什么呢
你知道吗
你知道什么是黑洞吗
说说你自己
was weißt du
was weißt du über mich und Tom
was hast du mir über mich
wo waren wir im Urlaub
was haben wir gemacht
worum ging es in dem Film
erzähl mir was
wer bin ich schon
weißt du noch
de quoi tu parles
что ты знаешь
что ты знаешь обо мне и кате
ты помнишь что-нибудь про отпуск
о чем говорили на совещании
где остановились поезда
какой я идиот
перескажи последний фильм
私の猫のこと教えて
私と母のこと何覚えてる？
君のこと覚えてる？
最近何してた？
この前の映画覚えてる？
覚えてる？
知ってる？
"""


def _lines(text: str) -> list[str]:
    return text.strip().splitlines()


@for_each("message", _lines(ABOUT_USER))
def test_question_about_all_known_facts_asks_for_an_overview(message: str) -> None:
    assert overview_asked_for(message, NAMES) is Overview.ABOUT_USER


@for_each("message", _lines(LAST_CHATS))
def test_question_about_the_last_chats_asks_for_an_overview(message: str) -> None:
    assert overview_asked_for(message, NAMES) is Overview.LAST_CHATS


@for_each("message", _lines(FIRST_CHATS))
def test_question_about_the_first_chat_asks_for_an_overview(message: str) -> None:
    assert overview_asked_for(message, NAMES) is Overview.FIRST_CHATS


@for_each("message", _lines(NEITHER))
def test_message_about_something_else_asks_for_no_overview(message: str) -> None:
    assert overview_asked_for(message, NAMES) is None


def test_long_message_asks_for_no_overview() -> None:
    assert overview_asked_for("who am I? " + "so " * 200, NAMES) is None
