"""Plain requests to remember in other languages than English and Chinese."""

import pytest

from memory_core.text.commands.parser import CommandKind, parse_command
from tests.cases import for_each
from tests.in_time import within

REMEMBERED = {
    "bitte merken: ich habe am 3. Mai Geburtstag": "ich habe am 3. Mai Geburtstag",
    "Merk dir: meine Schwester wohnt in Porto": "meine Schwester wohnt in Porto",
    "merk dir bitte, dass ich kein Fleisch esse.": "dass ich kein Fleisch esse.",
    "Merke dir bitte: der Code ist 4711. Was kochen wir?": "der Code ist 4711.",
    "Mira, merk dir, ich bin allergisch gegen Nüsse": "ich bin allergisch gegen Nüsse",
    "Vergiss nicht, dass wir uns am Freitag treffen!": "dass wir uns am Freitag treffen!",
    "Denk daran, dass ich nachts arbeite": "dass ich nachts arbeite",
    "denk bitte dran dass ich nachts arbeite": "dass ich nachts arbeite",
    "merk dir mal mein kater heißt moritz": "mein kater heißt moritz",
    "merk dir dass ich am 5.12. zum zahnarzt muss": "dass ich am 5.12. zum zahnarzt muss",
    "merks dir: ich bin vegan": "ich bin vegan",
    "wichtig: nicht vergessen: ich bin vegan": "ich bin vegan",
    "speicher ab: ich bin vegan": "ich bin vegan",
    "Notier dir bitte, dass ich vegan lebe": "dass ich vegan lebe",
    "Schreib dir auf, dass ich vegan lebe": "dass ich vegan lebe",
    "Behalte bitte im Hinterkopf, dass ich vegan lebe": "dass ich vegan lebe",
    "Kannst du dir bitte merken, dass ich vegan lebe?": "dass ich vegan lebe.",
    "du sollst dir merken dass ich vegan bin": "dass ich vegan bin",
    "ich möchte, dass du dir merkst, dass ich vegan bin": "dass ich vegan bin",
    "Recuerda que soy alérgica a las nueces.": "soy alérgica a las nueces.",
    "por favor recuerda que mi hermana vive en Oporto": "mi hermana vive en Oporto",
    "No olvides que trabajo de noche": "trabajo de noche",
    "acuérdate de que mi perro se llama Bruno": "mi perro se llama Bruno",
    "¡Recuerda: el código es 4711!": "el código es 4711!",
    "recordá que soy alérgica al maní": "soy alérgica al maní",
    "acordate q mañana tengo turno con el dentista": "mañana tengo turno con el dentista",
    "acordate de q me llamo Sofi": "me llamo Sofi",
    "recuerda q no como carne": "no como carne",
    "porfa acuérdate de que no me gusta el cilantro": "no me gusta el cilantro",
    "tené en cuenta que soy celíaca": "soy celíaca",
    "ten presente que soy celíaca": "soy celíaca",
    "anotá: el código es 4711": "el código es 4711",
    "guarda esto: mi talla es 38": "mi talla es 38",
    "quiero q te acuerdes de que soy vegana": "soy vegana",
    "no, recuerda que soy vegana": "soy vegana",
    "no te olvides nunca de que soy vegana": "soy vegana",
    "que no se te olvide que soy vegana": "soy vegana",
    "acordate de esto: mi talla es 38": "mi talla es 38",
    "Souviens-toi que je suis végétarien": "je suis végétarien",
    "au fait, souviens-toi de ça : j'ai un chat": "j'ai un chat",
    "souvient toi que ma soeur habite à Lyon": "ma soeur habite à Lyon",
    "retiens q jsuis végé": "jsuis végé",
    "s'te plait retiens que jsuis végé": "jsuis végé",
    "mémorise que j'ai un chat": "j'ai un chat",
    "garde en tête que je mange pas de porc": "je mange pas de porc",
    "il faut que tu retiennes que je suis végé": "je suis végé",
    "n'oublie pas que ma sœur habite à Porto. On mange quoi ?": "ma sœur habite à Porto.",
    "Retiens bien : le code est 4711": "le code est 4711",
    "Rappelle-toi qu'on part lundi": "on part lundi",
    "Запомни, что у меня аллергия на орехи.": "у меня аллергия на орехи.",
    "запомни пожалуйста, я не ем мясо": "я не ем мясо",
    "Не забудь, что моя сестра живёт в Порту": "моя сестра живёт в Порту",
    "Запомни: код 4711": "код 4711",
    "覚えておいて、私は卵アレルギーなの": "私は卵アレルギーなの",
    "覚えておいてね：暗証番号は4711": "暗証番号は4711",
    "私は卵アレルギーだって覚えておいてね。": "私は卵アレルギーだ",
    "私は卵アレルギーだと覚えておいて。": "私は卵アレルギーだ",
    "妹がポルトに住んでいることを覚えておいてください。今日は何食べる？": "妹がポルトに住んでいる",
    "Lembre-se de que sou alérgica a amendoim.": "sou alérgica a amendoim.",
    "não esqueça que minha irmã mora no Porto": "minha irmã mora no Porto",
    "por favor, anota aí: o código é 4711": "o código é 4711",
    "anote, eu não como carne": "eu não como carne",
    "Ricordati che sono allergica alle noci.": "sono allergica alle noci.",
    "non dimenticare che lavoro di notte": "lavoro di notte",
    "ehi, tieni a mente che non mangio carne": "non mangio carne",
    "ricorda: il codice è 4711": "il codice è 4711",
    "Zapamiętaj, że mam uczulenie na orzechy.": "mam uczulenie na orzechy.",
    "nie zapomnij że pracuję w nocy": "pracuję w nocy",
    "zapisz sobie: kod to 4711": "kod to 4711",
    "나 땅콩 알레르기 있다는 거 꼭 기억해 줘.": "나 땅콩 알레르기 있다",
    "내 동생은 부산에 산다고 기억해 줘": "내 동생은 부산에 산다",
    "이거 기억해줘: 비밀번호는 4711이야": "비밀번호는 4711이야",
}
TALK = (
    "Merk dir das",
    "Merk dir das gut!",
    "merk dir meine worte gut",
    "speicher ist voll",
    "Denk dran",
    "schreib mir ein Gedicht, dass ich vegan bin",
    "Merkst du dir, dass ich kein Fleisch esse?",
    "Ich merke mir, dass du Tee magst",
    "Vergiss es",
    "Vergiss nicht zu lächeln",
    "„Merk dir, dass ich dich liebe“, sagte sie.",
    "*Merk dir, dass ich da bin*",
    "Sie sagte: merk dir, dass er lügt",
    "Wie merkt man sich Vokabeln?",
    "Recuerda la canción",
    "¿Recuerdas que fuimos a Oporto?",
    "Recuerda que fuimos a Oporto?",
    "recuerdo que te gusta el té",
    "Recuerda que te dije lo de Oporto",
    "No olvides sonreír",
    "recordá la canción",
    "acordate de mí",
    "guarda silencio",
    "guarda el libro que te di",
    "mi amor, no te olvides",
    "no recuerda que soy su hija",
    "no quiero que recuerdes que te mentí",
    "quiero que te acuerdes de mí",
    "Souviens-toi de ce jour-là",
    "Tu te souviens que je suis végétarien ?",
    "n'oublie pas de sourire",
    "« Souviens-toi que je t'aime », dit-elle.",
    "note bien",
    "garde la tête haute",
    "enregistre ta voix",
    "mon cœur, n'oublie pas",
    "Notes de cours sur Porto",
    "Запомни это",
    "Запомни, что я тебе сказал",
    "Ты помнишь, что я не ем мясо?",
    "не забудь улыбнуться",
    "あの日のことを覚えておいて",
    "私の名前を覚えておいて",
    "私が卵アレルギーなの覚えてる？",
    "覚えておいて",
    "「私は卵アレルギーだって覚えておいて」と彼女は言った",
    "lembra que a gente foi ao Porto?",
    "não esquece de sorrir",
    "não esqueça o que eu te disse",
    "Ricorda la canzone",
    "ricordi che siamo andati al mare?",
    "ricorda che ti ho detto di Porto",
    "non dimenticarti di sorridere",
    "pamiętasz, że byliśmy nad morzem?",
    "Zapamiętaj tę piosenkę",
    "nie zapomnij się uśmiechnąć",
    "우리 처음 만난 날 기억해 줘",
    "내가 땅콩 못 먹는 거 기억해?",
)


@for_each(("message", "statement"), REMEMBERED.items())
def test_request_to_remember_gives_its_statement(message: str, statement: str) -> None:
    command = parse_command(message)
    assert command is not None
    assert (command.kind, command.argument) == (CommandKind.REMEMBER, statement)
    assert command.model_text == message
    assert not command.is_chinese


@for_each("message", TALK)
def test_talk_is_no_request_to_remember(message: str) -> None:
    assert parse_command(message) is None


@pytest.mark.parametrize(
    "text",
    [
        "merk dir " + "bitte " * 20_000,
        "ok, " * 20_000,
        "souviens-toi" + " stp ," * 20_000,
        "あ" * 60_000,
        "のこと" * 20_000,
        "not" + " " * 60_000 + "e",
    ],
)
def test_long_message_is_searched_for_a_request_in_no_time(text: str) -> None:
    with within(20.0):
        parse_command(text)
