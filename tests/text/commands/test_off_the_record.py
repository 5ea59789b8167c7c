"""Wishes that a message be not remembered are recognised in plain words; talk is not."""

from memory_core.text.commands.parser import CommandKind, is_unstored_request, parse_command
from tests.cases import for_each
from tests.text.commands.unstored import assert_stored, assert_wish_to_forget


@for_each(
    "text",
    [
        "don't remember this: my pin is 9032",
        "dont remember this : my pin is 9032",
        "Please don't remember this, I am ashamed of it. I lied to Tom.",
        "btw please do not save this message: I lied to Tom",
        "Don't store this in your memory. I lied to Tom.",
        "off the record: I lied to Tom",
        "don't write this down: I lied to Tom",
        "please don't keep this: I lied to Tom",
        "please don't save this chat. I lied to Tom",
        "can you please not remember this? I lied to Tom",
        "🤫 don't save this: I lied to Tom",
        "Mira, don't save this: I lied to Tom",
        "don't save my next message: I lied to Tom",
        "I lied to Tom, keep it off the record",
        "merk dir das nicht ok? ich hab Tom angelogen",
        "schreib das bitte nicht auf: ich hab Tom angelogen",
        "hey, /off I lied to Tom",
        "I lied to Tom /off",
        "我骗了汤姆 /不记录",
        "Keep this off the record, but I lied to Tom",
        "I lied to Tom, please don't remember that",
        "I lied to Tom. (don't remember this)",
        "I lied to Tom. Don't save that to your memory!",
        "(don't remember this) I lied to Tom",
        "OOC: don't remember this: I lied to Tom",
        "((ooc please don't save this: I lied to Tom))",
        "Merk dir das nicht: Ich habe Tom angelogen",
        "Merk dir das bitte nicht, ich habe Tom angelogen",
        "Ich habe Tom angelogen, bitte nicht merken",
        "Ich habe Tom angelogen (nicht speichern)",
        "Ich hab Tom angelogen. Merk dir das nicht!",
        "das hier nicht merken: ich hab Tom angelogen",
        "Das bitte nicht speichern: ich hab Tom angelogen",
        "Das darfst du dir nicht merken: ich hab Tom angelogen",
        "ich hab Tom angelogen. das musst du dir nicht merken",
        "no recuerdes esto: le mentí a Tomás",
        "Le mentí a Tomás, no memorices esto",
        "no guardes esto: le mentí a Tomás",
        "Le mentí a Tomás, no guardes esto en tu memoria",
        "no guardés esto: le mentí a Tomás",
        "no recordés esto: le mentí a Tomás",
        "esto no lo guardes: le mentí a Tomás",
        "no lo guardes: le mentí a Tomás",
        "porfa no guardes esto: le mentí a Tomás",
        "no guardes esto, por favor: le mentí a Tomás",
        "Le mentí a Tomás, no guardes esto porfa",
        "no quiero que recuerdes esto: le mentí a Tomás",
        "no quiero q guardes esto: le mentí a Tomás",
        "je veux pas que tu retiennes ça : j'ai menti à Paul",
        "ne note pas ça : j'ai menti à Paul",
        "note pas ca : j'ai menti à Paul",
        "stp ne note pas ça : j'ai menti à Paul",
        "(ne note pas ça) j'ai menti à Paul",
        "J'ai menti à Paul, note pas ça stp",
        "ne garde pas ça : j'ai menti à Paul",
        "ne mémorise pas ça : j'ai menti à Paul",
        "ne retiens pas ça : j'ai menti à Paul",
        "J'ai menti à Paul, n'enregistre pas ça stp",
        "Не запоминай это: я соврала Оле",
        "Я соврала Оле. Не запоминай это, пожалуйста",
        "不要记住这个：我骗了小李",
        "别记这个，我骗了小李",
        "我骗了小李，这个不要记住哦",
        "请不要记录这条消息，我骗了小李",
        "これは覚えないでね。田中さんに嘘をついた",
        "田中さんに嘘をついた。これは記録しないでください",
        "you don't have to remember this, but I lied to Tom",
        "I lied to Tom. no need to remember this",
        "no need to save this to your memory, but I lied to Tom",
        "Behalte das nicht im Gedächtnis: Ich hab Tom angelogen",
        "Ich hab Tom angelogen. Bitte nicht abspeichern",
        "Das soll nicht in dein Gedächtnis: ich hab Tom angelogen",
        "esto no lo guardes en tu memoria, le mentí a Tomás",
        "Le mentí a Tomás. No quiero que esto quede en tu memoria",
        "le mentí a Tomás. no hace falta que recuerdes esto",
        "mets pas ça en mémoire : j'ai menti à Paul",
        "J'ai menti à Paul. Pas besoin de retenir ça",
        "t'as pas besoin de retenir ça mais j'ai menti à Paul",
        "это не запоминай: я соврала Оле",
        "Я соврала Оле, не надо это запоминать",
        "я соврала Оле. не сохраняй это в памяти",
        "не сохраняй это плиз, я соврала Оле",
        "это между нами, не записывай: я соврала Оле",
        "это между нами не записывай. я соврала Оле",
        "я соврала Оле, только не записывай",
        "я соврала Оле только это не записывай",
        "не для протокола: я соврала Оле",
        "это не для записи, я соврала Оле",
        "не надо это записывать: я соврала Оле",
        "这事别记：我骗了小李",
        "这事别记 我骗了小李",
        "我骗了小李，这话别记",
        "我骗了小李（别记）",
        "不要把这个记下来，我骗了小李",
        "我骗了小李，别把这事记下来",
        "这个你不用记，我骗了小李",
        "これは記憶に残さないで。田中さんに嘘をついた",
        "これは覚えなくていいけど、田中さんに嘘をついた",
        "覚えなくていいんだけど、田中さんに嘘をついた",
        "記録しないで：田中さんに嘘をついた",
        "記録しないでね、田中さんに嘘ついたの",
        "記録しないでほしいんだけど、田中さんに嘘をついた",
        "田中さんに嘘ついたんだけど記録しないでね",
        "田中さんに嘘ついた（記録しないで）",
        "ここだけの話だから記録しないで。田中さんに嘘をついた",
        "これはオフレコで、田中さんに嘘をついた",
        "オフレコだけど田中さんに嘘をついた",
        "não guarde isso: menti pra Ana",
        "Por favor não guarde isso. Menti pra Ana",
        "não memorize isso, menti pra Ana",
        "menti pra Ana, não guarda isso na memória",
        "non ricordare questo: ho mentito ad Anna",
        "non memorizzare questo messaggio, ho mentito ad Anna",
        "ho mentito ad Anna, per favore non salvare questo",
        "nie zapamiętuj tego: okłamałam Anię",
        "okłamałam Anię, tego nie zapamiętuj",
        "nie zapisuj tego, proszę. okłamałam Anię",
        "이건 기억하지 마: 지수한테 거짓말했어",
        "지수한테 거짓말했어. 이 말은 저장하지 말아 줘",
    ],
)
def test_wish_keeps_its_message_off_the_record(text: str) -> None:
    command = parse_command(text)
    assert command is not None
    assert command.kind is CommandKind.OFF_THE_RECORD
    assert command.model_text == text
    assert not command.has_no_other_text
    assert is_unstored_request(text)


@for_each(
    "text",
    [
        "Please don't remember that.",
        "Mira, don't save this",
        "Merk dir das nicht",
        "no memorices eso",
        "это между нами, не записывай",
        "今言ったことは記録しないで",
        "这个不要记住",
        "别记这个",
    ],
)
def test_wish_without_other_words_is_answered_as_a_wish_to_forget(text: str) -> None:
    assert_wish_to_forget(text)


@for_each(
    "text",
    [
        "turn the lamp on /off at ten",
        "see http://example.org/off and tell me",
        "what does this do?\n```\nrm /off all\n```",
        "don't remember that, was ages ago",
        "Don't remember this one, was it good?",
        "I don't remember this: was it you?",
        "Who was he? Don't remember that.",
        "Why don't you remember this? I told you.",
        "you don't remember that, do you?",
        '"Please don\'t remember this," he whispers.',
        "*please don't remember this, he thinks*",
        "Don't save that seat, he won't come",
        "Please don't keep it, throw it away",
        "Please don't put that in your mouth",
        "please don't record this, I look awful",
        "Please don't add that.",
        "Behalt das nicht, wirf es weg",
        "no guardes eso, tíralo",
        "por favor no guardes eso, tíralo",
        "no lo guardes, tíralo",
        "não guarde isso, joga fora",
        "non salvare questo file, è rotto",
        "nie zapisuj tego numeru, jest zły",
        "그건 기억하지 못해",
        "garde pas ça, c'est cassé",
        "ne note pas ça, c'est faux",
        "note pas ça pour l'instant",
        "Do you remember this: the lake in May?",
        "warum merkst du dir das nicht, Lena?",
        "Ich kann mir das nicht merken, so ein Mist",
        "no recuerdo eso, perdona",
        "no recuerdes eso, que duele",
        "je ne retiens pas ça facilement",
        "я не запоминаю это",
        "别忘了这个：明天开会",
        "我不记得这个，你说说看",
        "记不住这个，太难了",
        "覚えてないで済むならいいけど",
        "Please remember this: I am allergic to nuts",
        "老师说这个不用记",
        "这事别记恨我，好吗",
        "这话别往心里记，我随便说的",
        "你不用记得那么清楚",
        "no need to remember the milk, I bought it",
        "no hace falta que te acuerdes de eso",
        "pas besoin de retenir la table, on est deux",
        "не надо запоминать все слова",
        "не записывай меня к врачу",
        "только не сохраняй файл",
        "он сказал не записывай",
        "漢字は覚えなくていいよ",
        "ファイルが壊れるから保存しないでね",
        "政治家のオフレコ発言が話題になってる",
        "人の名前を覚えないで困る",
        "心配しないでね、大丈夫",
        "You don't have to save this, git does it. My name is Bob and I live in Rome.",
        "Ok no need to save this, it is in git already: my server is at 10.0.0.1",
        "no need to log this, it's debug output. The bug is in parser.py",
        "The value is computed on the fly, so no need to store this.",
        "这个你不用存，我已经存了",
    ],
)
def test_talk_about_remembering_keeps_nothing_off_the_record(text: str) -> None:
    assert_stored(text)


@for_each(
    "text",
    [
        "Keep this between us: I lied to Tom",
        "I lied to Tom, that stays between us",
        "Das bleibt unter uns: ich hab Tom angelogen",
        "Le mentí a Tomás, que quede entre nosotros",
        "no se lo digas a nadie, le mentí a Tomás",
        "entre nous, j'ai menti à Paul",
        "между нами: я соврала Оле, никому не говори",
        "这是我们俩的秘密，别告诉别人：我骗了小李",
        "これは内緒だよ、田中さんに嘘をついた",
    ],
)
def test_secret_is_remembered(text: str) -> None:
    assert parse_command(text) is None
    assert not is_unstored_request(text)


def test_long_blanks_and_repeats_take_no_time() -> None:
    for text in (
        "please don't remember" + " " * 50_000,
        "ok " * 20_000 + "don't remember this: x",
        "(" * 50_000 + "don't save this",
        "别记这" * 20_000,
    ):
        parse_command(text)


@for_each(
    ("text", "note"),
    [
        ("ooc: remember that I'm allergic to nuts", "I'm allergic to nuts"),
        ("((ooc: please remember that my cat is called Tess))", "my cat is called Tess"),
        ("(OOC remember I'm vegan)", "I'm vegan"),
        ("[ooc] merk dir, dass ich vegan lebe", "dass ich vegan lebe"),
        ("((请记住我对花生过敏))", "我对花生过敏"),
    ],
)
def test_request_out_of_character_makes_a_note_without_its_brackets(text: str, note: str) -> None:
    command = parse_command(text)
    assert command is not None
    assert command.kind is CommandKind.REMEMBER
    assert command.argument == note
    assert command.model_text == text


def test_wish_to_forget_out_of_character_is_recognised() -> None:
    for text in ("ooc: forget what I said about my ex", "((forget what i said about Tom))"):
        command = parse_command(text)
        assert command is not None
        assert command.kind is CommandKind.FORGET_IN_WORDS
