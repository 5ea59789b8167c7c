"""A wish to forget that also tells something new, in the same sentence, is more than a wish."""

import time

from memory_core.text.commands.parser import CommandKind, parse_command
from tests.cases import for_each
from tests.in_time import within


@for_each(
    ("text", "tells"),
    [
        ("Forget what I said about Friday, the party is on Saturday", True),
        ("forget that I live in Berlin because I moved to Hamburg", True),
        ("I'm moving to Berlin in May, forget what I said about Paris", True),
        ("Forget what I said about Friday but the dinner is at 8", True),
        ("delete my old address: the new one is 12 Oak Street", True),
        ("Vergiss, was ich über Freitag gesagt habe, die Party ist am Samstag", True),
        ("olvida que vivo en Madrid, me mudé a Sevilla", True),
        ("Oublie ce que j'ai dit sur vendredi, la fête est samedi", True),
        ("забудь мой старый адрес, теперь я живу на улице Ленина 5", True),
        ("忘掉我说的周五，派对是周六", True),
        ("私の住所は忘れて、新しい住所は港区です", True),
        ("Vergiss, was ich über Freitag gesagt habe", False),
        ("Забудь, что я говорил про пятницу", False),
        ("forget what I said about Biscuit, Rex and Tom", False),
        ("forget that I live in Berlin, Germany", False),
        ("forget what I said about Sam, it was a joke, ok?", False),
        ("forget what I told you about my boss, please don't ever mention it", False),
        ("forget that I told you about Tom, I shouldn't have said it", False),
        ("vergiss was ich über Tom gesagt habe, das war nur ein Scherz", False),
        ("忘掉我说的阿杰的事，那只是开玩笑", False),
        ("forget what I said about Tom, and delete what I said about Ida", False),
    ],
)
def test_wish_that_tells_something_new_has_more_text(text: str, *, tells: bool) -> None:
    command = parse_command(text)
    assert command is not None
    assert (command.kind, command.has_more_text) == (CommandKind.FORGET_IN_WORDS, tells)


def test_long_list_behind_a_wish_is_quick() -> None:
    with within(1, time.process_time):
        assert parse_command("forget my address" + ",a b c" * 80)
