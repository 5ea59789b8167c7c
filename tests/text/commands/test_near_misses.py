"""Slash words that are nearly commands of the memory."""

from memory_core.text.commands.near_misses import near_miss
from memory_core.text.commands.parser import is_command_message
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
        ("/olvida eso", "/forget"),
        ("/aide", "/help"),
        ("/запомни я люблю чай", "/remember"),
        ("/覚えて 私は医者", "/remember"),
    ],
)
def test_near_miss_names_the_command_that_may_be_meant(text: str, meant: str) -> None:
    assert near_miss(text, is_chinese=False) == meant
    assert is_command_message(text)


def test_near_miss_in_chinese_names_the_chinese_command() -> None:
    assert near_miss("/撤销", is_chinese=True) == "/忘记 上一条"


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
    ],
)
def test_slash_words_of_others_paths_and_prose_are_left_alone(text: str) -> None:
    assert near_miss(text, is_chinese=False) == ""
    assert not is_command_message(text)


def test_endless_slash_word_is_passed_over_at_once() -> None:
    with within(0.2):
        assert near_miss(f"/{'remember' * 100_000}", is_chinese=False) == ""
