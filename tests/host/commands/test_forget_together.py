"""Forgetting by a wish in plain words; and what is forgotten with a memory: wishes to forget it,
requests for a note, corrections of a number."""

import re

import pytest

from memory_core.domain.records import Exchange
from tests.host.one_page import MIRA, OnePage

ANTONIO = "me separé de Antonio hace un año"


@pytest.fixture
def page(tmp_path):
    return OnePage(tmp_path)


@pytest.mark.parametrize(
    ("said", "wish", "command"),
    [
        (ANTONIO, "olvida lo que te dije de Antonio", "/forget antonio"),
        ("My ex is Tom", "forget what I said about Tom", "/forget Tom"),
        ("我室友叫阿杰", "忘掉我说的阿杰的事", "/忘记 阿杰"),
        ("a Marta me traiu", "esqueça o que eu te contei sobre a Marta", "/forget traiu"),
    ],
)
def test_wish_goes_with_the_memory_that_it_means(tmp_path, said, wish, command):
    page = OnePage(tmp_path)
    page.say(said)
    page.say(wish)
    page.say(wish)
    page.say(command)
    assert page.kept() == []


def test_wish_that_tells_something_new_is_kept(page):
    page.say("The party for Ida is on Friday")
    new = "forget what I said about Friday, the party for Ida is on Saturday"
    page.say(new)
    assert "2. " in page.say("/forget Friday")
    page.say("/forget 2")
    assert page.kept() == [new]


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


@pytest.mark.parametrize(
    ("command", "named", "kept"),
    [
        ("/forget son", "my son is 7", ["i like tea"]),
        ("/forget hes 8", "no hes 8", ["i like tea", "my son is 7"]),
    ],
)
def test_statement_takes_its_correction_along_but_not_the_other_way(page, command, named, kept):
    for told in ("my son is 7", "no hes 8", "i like tea"):
        page.say(told)
    assert named in page.say(command)
    assert page.kept() == kept


def test_request_is_forgotten_with_its_note_by_number(tmp_path):
    page = OnePage(tmp_path)
    page.say("don't forget my appointment is on friday at 3")
    page.say("i like tea")
    page.say("/memories appointment")
    assert "1. " in page.say("/memories")
    page.say("/forget 1")
    assert page.kept() == ["i like tea"]


def test_forgetting_in_plain_words_forgets_nothing_and_says_so(page):
    page.say("My neighbour Darren lost his job.")
    prompt = page.say("forget what I said about Darren")
    assert "Nothing was forgotten" in prompt
    assert "/forget" in prompt
    assert "My neighbour Darren lost his job." in page.kept()
    assert "什么都没有忘记" in page.say("忘掉我说的关于小李的事")


@pytest.mark.parametrize(
    ("told", "wish", "command"),
    [
        (
            "My dog Biscuit is allergic to chicken",
            "forget that biscuit is allergic to chicken",
            "/forget 1",
        ),
        ("我对花生过敏", "忘了我对花生过敏这件事", "/忘记 1"),
    ],
)
def test_wish_to_forget_in_plain_words_numbers_what_may_be_meant(page, told, wish, command):
    page.say(told)
    page.say("It rains")
    for _ in range(2):  # the wish itself is none of the candidates
        prompt = page.say(wish)
        assert re.search(rf"1\. .*{told} \[", prompt)
        assert "\n2. " not in prompt
    assert told in page.kept()
    page.say(command)
    assert page.kept() == ["It rains"]  # no wish repeats what was forgotten


def test_wish_to_forget_brings_up_memories_as_candidates_alone(page):
    page.memory.remember(MIRA, "old", Exchange(user="My cat Rex bit Darren", assistant="Ouch."))
    prompt = page.ask("forget what I said about my cat Rex")
    (candidate,) = re.findall(".*Rex bit.*", prompt)
    assert candidate.startswith("1. ")
    asked = "Forget what I said about tea. Whom did my cat Rex bite?"
    assert "Rex bit" in page.ask(asked)


def test_wish_in_plain_words_keeps_the_numbers_of_the_last_list(page):
    for told in ("My dog is Bo", "I like tea"):
        page.say(told)
    listed = page.say("/memories dog")
    assert "1. " in listed
    prompt = page.say("forget everything about tea")
    assert re.search(r"2\. .*I like tea \[", prompt)
    page.say("/forget 1")
    assert page.kept()[0] == "I like tea"


def test_message_that_tells_more_than_the_note_is_not_taken_along(page):
    asked = "remember that my dog is called Rex. I also got a job at Siemens today."
    page.say(asked)
    listed = page.say("/memories Rex")
    number = 1 if "Siemens" in re.findall(r"2\. .*", listed)[0] else 2
    page.say(f"/forget {number}")
    assert page.kept() == [asked]
