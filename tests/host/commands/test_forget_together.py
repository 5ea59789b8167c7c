"""What belongs to a memory is forgotten with it: wishes to forget it, requests for a note,
corrections of a number."""

import pytest

from tests.host.one_page import OnePage

ANTONIO = "me separé de Antonio hace un año"


@pytest.mark.parametrize(
    ("said", "wish", "command"),
    [
        (ANTONIO, "olvida lo que te dije de Antonio", "/forget antonio"),
        ("My ex is Tom", "forget what I said about Tom", "/forget Tom"),
        ("我室友叫阿杰", "忘掉我说的阿杰的事", "/忘记 阿杰"),
    ],
)
def test_wish_goes_with_the_memory_that_it_means(tmp_path, said, wish, command):
    page = OnePage(tmp_path)
    page.say(said)
    page.say(wish)
    page.say(wish)
    page.say(command)
    assert page.kept() == []


def test_list_of_several_memories_has_no_wish(tmp_path):
    page = OnePage(tmp_path)
    page.say(ANTONIO)
    page.say("Antonio vive en Cádiz")
    page.say("olvida lo que te dije de Antonio")
    prompt = page.say("/forget antonio")
    assert "1. " in prompt
    assert "3. " not in prompt
    assert len(page.kept()) == 3


def test_wish_that_is_left_alone_can_be_forgotten(tmp_path):
    page = OnePage(tmp_path)
    page.say("forget what I said about Tom")
    page.say("/forget Tom")
    assert page.kept() == []


def test_correction_of_a_number_is_forgotten_with_its_statement(tmp_path):
    page = OnePage(tmp_path)
    page.say("my son is 7")
    page.say("no hes 8")
    page.say("i like tea")
    assert "my son is 7" in page.say("/forget son")
    assert page.kept() == ["i like tea"]


def test_forgotten_correction_leaves_its_statement(tmp_path):
    page = OnePage(tmp_path)
    page.say("my son is 7")
    page.say("no hes 8")
    page.say("/forget hes 8")
    assert page.kept() == ["my son is 7"]


def test_request_is_forgotten_with_its_note_by_number(tmp_path):
    page = OnePage(tmp_path)
    page.say("don't forget my appointment is on friday at 3")
    page.say("i like tea")
    page.say("/memories appointment")
    assert "1. " in page.say("/memories")
    page.say("/forget 1")
    assert page.kept() == ["i like tea"]
