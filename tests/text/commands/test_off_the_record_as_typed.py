"""A request however it is typed is recognised by the statement beside it; other talk is stored.

The messages stand in two files, one a line: as people type them, in seven languages.
"""

import time
from pathlib import Path

from memory_core.text.commands.parser import is_unstored_request, parse_command
from tests.cases import for_each
from tests.in_time import within
from tests.text.commands.unstored import assert_off_the_record, assert_stored

_MESSAGES = Path(__file__).parent
_LONG = 500  # letters; a longer message is searched for clear requests only


def _messages(name: str) -> list[str]:
    lines = (_MESSAGES / name).read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("# ")]


@for_each("text", _messages("unstored_messages.txt"))
def test_request_beside_an_intimate_statement_keeps_it_off_the_record(text: str) -> None:
    assert_off_the_record(text)


@for_each("text", _messages("stored_messages.txt"))
def test_talk_that_resembles_such_a_request_is_stored(text: str) -> None:
    assert not is_unstored_request(text)


@for_each(
    "text",
    [
        "my friend wrote: i got fired, don't save this",
        "tom told me he is gay, don't save this",
        "i got fired while playing minecraft, don't save this",
        "Don't remember this, my mom said she is dying",
        "don't remember this: she said she's pregnant",
        "别记，他说他怀孕了",
    ],
)
def test_request_behind_reported_words_is_the_users_own(text: str) -> None:
    assert_off_the_record(text)


@for_each(
    "text",
    [
        "my friend wrote: don't save this, i got fired",
        'my friend texted me "i got fired, don\'t save this"',
        "my pregnant friend told me: don't save this",
        "don't record it, my wife said, and then she cheated",
        "please don't save this, she said, but my sister is pregnant",
        "My ex is gay. don't save this, he said",
        "Merk dir das nicht, meinte meine Frau, sie ist schwanger",
        "no guardes esto, dijo mi jefe, y me despidió",
        "ne note pas ça, m'a dit mon ex, il est gay",
        "не записывай это, сказал мой муж, я беременна",
        "别记，他说，我怀孕了",
        "i died in minecraft, don't save this",
    ],
)
def test_reported_request_or_one_about_a_game_is_talk(text: str) -> None:
    assert_stored(text)


@for_each(
    "start",
    ["i got fired ", "dont save this, ", "别记", "不要记", "no lo guardes ", "luna ", "!", " "],
)
def test_long_text_with_such_requests_takes_no_time(start: str) -> None:
    text = start * (_LONG // len(start) - 5) + "save gay"
    with within(1, time.process_time):
        parse_command(text)
