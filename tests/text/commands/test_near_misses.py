"""Slash words that are nearly commands of the memory."""

from memory_core.text.commands.near_misses import near_miss
from memory_core.text.commands.parser import is_command_message, parse_command
from tests.cases import for_each
from tests.in_time import within


@for_each(
    ("text", "meant"),
    [
        ("/undo", "/forget last"),
        ("/Undo.", "/forget last"),
        ("/notes", "/memories"),
        ("/forgt last", "/forget last"),
        ("/frget my cat", "/forget"),
        ("/rember I like tea", "/remember"),
        ("/memroies", "/memories"),
        ("/puase", "/pause"),
        ("/offf the code of my bank card is 4711", "/off"),
        ("/offrecord: my code is 4711", "/off"),
        ("/memory", "/memories"),
        ("/memory off", "/pause both"),
        ("/memory on", "/resume"),
        ("/vergiss das", "/forget"),
        ("/lösche das", "/forget"),
        ("/merk dir das", "/remember"),
        ("/olvida eso", "/forget"),
        ("/aide", "/help"),
        ("/запомни я люблю чай", "/remember"),
        ("/覚えて 私は医者", "/remember"),
        ("/удали последнее", "/forget"),
        ("/запиши я люблю чай", "/remember"),
        ("/офф я соврала Оле", "/off"),
        ("/продолжить", "/resume"),
        ("/覚えといて 私は医者", "/remember"),
        ("/オフレコ 田中さんに嘘をついた", "/off"),
        ("/メモリー", "/memories"),
        ("/消して 住所", "/forget"),
        ("/ off my pin is 4711", "/off"),
        ("/ Remember I like tea", "/remember"),
        ("/ forget cat", "/forget"),
        ("/forgetlast", "/forget last"),
        ("/delete last", "/forget last"),
        ("/delete that message", "/forget last"),
        ("/erase my memories", "/forget"),
    ],
)
def test_near_miss_names_the_command_that_may_be_meant(text: str, meant: str) -> None:
    assert near_miss(text, is_chinese=False) == meant
    assert is_command_message(text)


@for_each(
    ("text", "meant"),
    [
        ("/撤销", "/忘记 上一条"),
        ("/忘了上一条", "/忘记 上一条"),
        ("/删除 美式", "/忘记"),
        ("/删除美式咖啡", "/忘记"),
        ("/刪掉我的電話", "/忘记"),
        ("/清空记忆", "/忘记"),
        ("/不记 我骗了小李", "/不记录"),
        ("/别记 我骗了小李", "/不记录"),
        ("/ 不记录 我骗了小李", "/不记录"),
        ("／ 记住 我属龙", "/记住"),
        ("/查看记忆", "/记忆"),
        ("/关闭记忆", "/暂停 全部"),
        ("/停止記錄", "/暂停"),
        ("/打开记忆", "/恢复"),
    ],
)
def test_near_miss_in_chinese_names_the_chinese_command(text: str, meant: str) -> None:
    assert near_miss(text, is_chinese=True) == meant
    assert is_command_message(text)


@for_each(("text", "meant"), [("/一時停止", "/pause"), ("/再開", "/resume"), ("/削除", "/forget")])
def test_near_miss_in_japanese_without_kana_is_not_answered_in_chinese(
    text: str, meant: str
) -> None:
    command = parse_command(text)
    assert command is not None
    assert (command.argument, command.language) == (meant, "en")


@for_each(
    "text",
    [
        "/imagine a cat",
        "/roll d20",
        "/me waves",
        "/think",
        "/s",
        "/of",
        "/paste",
        "/parse",
        "/forge a sword",
        "/member",
        "/remembered him by the river",
        "/paused",
        "/resumen",
        "/home/ana/notes",
        "/notes/today.txt",
        "/undo the spell that you cast upon my brother",
        "/aide moi",
        "undo",
        "That was odd /undo",
        "/忘了吗",
        "/清空了购物车",
        "/笑",
        "/ off topic: how are you",
        "/ remembered",
        "/delete the old files",
        "/remove background",
        "/erase",
        "要不要 /删除 它",
    ],
)
def test_slash_words_of_others_paths_and_prose_are_left_alone(text: str) -> None:
    assert near_miss(text, is_chinese=False) == ""
    assert not is_command_message(text)


def test_endless_slash_word_is_passed_over_at_once() -> None:
    with within(0.2):
        assert near_miss(f"/{'remember' * 100_000}", is_chinese=False) == ""
