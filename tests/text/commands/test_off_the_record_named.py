"""A request that names the memory, or says nothing else, is recognised; programs' memory is not."""

import time

from memory_core.text.commands.parser import parse_command
from tests.cases import for_each
from tests.in_time import within
from tests.text.commands.unstored import assert_off_the_record, assert_stored, assert_wish_to_forget


@for_each(
    "text",
    [
        "не пиши это в память, я уволился",
        "не пиши это в память я уволился",
        "не пиши в память я уволился",
        "я уволился, не пиши это в память",
        "не заноси это в память, я беременна",
        "не добавляй это в память: я уволился",
        "не клади это в память, у меня рак",
        "не надо писать это в память, я уволился",
        "не вноси в память пж я уволился",
        "не запоминай я беременна",
        "не запоминай, я беременна",
        "не запоминай: я беременна",
        "nicht merken ich bin schwanger",
        "nicht merken, ich bin schwanger",
        "nicht merken: ich bin schwanger",
        "schreib das nicht in dein gedächtnis, ich bin schwanger",
        "pack das nicht ins gedächtnis ich bin schwanger",
        "das nicht speichern ich bin schwanger",
        "dont put this in memory i got fired",
        "dont add this to memory, i got fired",
        "dont keep this in memory i got fired",
        "dont write this to memory i got fired",
        "don't store this in memory: i got fired",
        "don't memorise this im pregnant",
        "no guardes esto en memoria, me despidieron",
        "no lo guardes en la memoria me despidieron",
        "no pongas esto en tu memoria, estoy embarazada",
        "no metas esto en memoria estoy embarazada",
        "n'écris pas ça dans ta mémoire, je suis enceinte",
        "ne mets pas ça en mémoire je suis enceinte",
        "n'ajoute pas ça à ta mémoire, je suis enceinte",
        "不要写进记忆，我辞职了",
        "别写进记忆 我辞职了",
        "不要存到记忆里，我怀孕了",
        "别放进记忆里，我怀孕了",
        "这个别写进记忆，我离婚了",
        "不要把这个存进记忆：我怀孕了",
        "别记到记忆里我怀孕了",
        "别记，我怀孕了",
        "别记 我怀孕了",
        "メモリに書かないで、妊娠した",
        "記憶に入れないで、妊娠した",
        "これ記憶に残さないで妊娠した",
        "妊娠しました。覚えないでください",
        "não coloca isso na memória, tô grávida",
        "non mettere questo in memoria, sono incinta",
        "nie dodawaj tego do pamięci, jestem w ciąży",
        "이거 기억에 넣지 마, 나 임신했어",
        "이거 메모리에 저장하지 마 나 임신했어",
        "don't put this in memory, my hiv test was positive",
        "don't put this in memory, i'm on a waiting list",
        "don't put this in memory, i can't fix this marriage",
        "don't put this in memory, my sugar level is too high",
        "schreib das nicht ins gedächtnis, mein Test war positiv",
        "no pongas esto en tu memoria, me besé con Ana en la disco",
        "не пиши это в память, я потеряла телефон мужа",
    ],
)
def test_request_that_names_the_memory_keeps_its_message_off_the_record(text: str) -> None:
    assert_off_the_record(text)


@for_each(
    "text",
    [
        "保存しないでください",
        "保存しないで",
        "記憶しないで",
        "メモしないで",
        "覚えなくていい",
        "不要保存",
        "别记了",
        "不要记住",
        "nicht merken",
        "nicht speichern",
        "не запоминай",
        "не сохраняй это",
        "не пиши это в память",
        "don't save this",
        "dont remember this",
        "no lo guardes",
        "저장하지 마세요",
        "nie zapisuj tego",
    ],
)
def test_bare_request_is_answered_as_a_wish_to_forget(text: str) -> None:
    assert_wish_to_forget(text)


@for_each(
    "text",
    [
        "в память о дедушке не пиши грустного",
        "не пиши в память телефона мой номер",
        "не сохраняй это в память телефона, я без места",
        "не сохраняй фото в память, у меня мало места",
        "не записывай это в память о войне",
        "не пиши это в переменную, я сам",
        "это не надо сохранять в память сервера",
        "не запоминай слова, они сложные",
        "не запоминай пароли, это опасно",
        "почему ты не запоминаешь?",
        "ты не запоминай всё подряд",
        "don't keep this in memory, it leaks",
        "don't store that in memory, the array is too big",
        "don't put it in memory, load it from disk",
        "dont save it in memory of him",
        "do not write this to memory card",
        "don't keep it in memory, i need it in the cache",
        "you can't put this in memory, my laptop has 4 gb",
        "why don't you put this in memory, i told you",
        "nicht merken sie es",
        "nicht merken wollte er es",
        "sie wird es hoffentlich nicht merken",
        "nicht speichern kann man das, ich hab es versucht",
        "er wollte es nicht merken",
        "das nicht speichern war ein fehler",
        "ich kann mir das nicht merken",
        "ich bin schwanger und kann mir nichts merken",
        "speicher das nicht im gedächtnis des rechners",
        "no guardes la foto en la memoria, no tengo espacio",
        "no tengo memoria",
        "ne mets pas la photo en mémoire",
        "ne garde pas rancune en mémoire de lui",
        "别把他放进记忆里",
        "不要存到硬盘里，我没空间",
        "不要存进内存，我怕溢出",
        "别记仇",
        "别记，我发你文件",
        "别记了 我自己来",
        "别记我",
        "不要保存这个文件",
        "别存钱了",
        "記憶に残る旅だった",
        "記憶に残らないで終わった",
        "メモリに保存しないでファイルに書いて",
        "メモリに入れないで、ディスクに書く",
        "保存しないで閉じちゃった",
        "メモしないで覚える",
        "覚えなくていい単語",
        "覚えなくていいことばかり覚える",
        "메모리에 저장하지 마, 파일로 저장해",
        "기억하지 못해",
        "저장하지 않았어",
        "don't save the world",
        "don't save this for later",
        "don't log in",
        "don't store that stuff here",
        "nicht speichern lassen",
        "no lo guardes ahi",
        "не сохраняй это в файл",
        "nie zapisuj pliku",
        "non salvare questo file",
    ],
)
def test_talk_about_memory_and_memories_is_stored(text: str) -> None:
    assert_stored(text)


@for_each(
    "text",
    [
        "не пиши это в память " * 5_000,
        "don't put this in memory" + " " * 50_000,
        "x" * 50_000 + " don't put this in memory",
        "不要写进记忆" * 20_000,
        "nicht merken " * 10_000,
        "别记这个我" * 200_000,
        "." * 500_000 + "don't save this",
    ],
)
def test_long_text_with_such_requests_takes_no_time(text: str) -> None:
    with within(5, time.process_time):
        parse_command(text)
