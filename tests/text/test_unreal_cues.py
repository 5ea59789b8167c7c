"""Sentences about dreams, own stories and suppositions, in English, German and Chinese."""

import time

import pytest

from memory_core.text.unreal_cues import (
    Unreal,
    begins_with_action,
    leaves_scene,
    quotes_a_work,
    takes_back,
    unreal_cue,
    unreal_frame,
)
from tests.cases import for_each
from tests.in_time import within


@for_each(
    "sentence",
    [
        "Last night I dreamt that my bakery was under water",
        "I had a weird dream, my teeth were made of chalk",
        "in my novel, the sheriff has two daughters",
        "In the film she owns a submarine.",
        "Ich habe heute Nacht geträumt, ich sei Förster",
        "Im Traum hatte ich einen Bauernhof in Tirol",
        "In meinem Roman heißt die Heldin Vera",
        "昨晚梦见自己在月亮上种白菜",
        "我的小说里主角是个鞋匠",
    ],
)
def test_sentence_about_something_invented_is_recognised(sentence: str) -> None:
    assert unreal_cue(sentence) is Unreal.INVENTED


@for_each(
    "sentence",
    [
        "Imagine we lived on a barge",
        "suppose I open a cinema",
        "if I were a baker I'd sleep at noon",
        "if i was a teacher id give no homework",
        "Stell dir vor, wir hätten ein Boot",
        "Angenommen, ich kaufe die Mühle",
        "Wenn ich Lehrer wäre, gäbe es keine Noten",
        "假如我会飞，我每天去海边",
        "要是我当了校长，就不布置作业",
    ],
)
def test_sentence_about_a_supposition_is_recognised(sentence: str) -> None:
    assert unreal_cue(sentence) is Unreal.SUPPOSED


@for_each(
    "sentence",
    [
        "I moved to Graz in March",
        "I teach film in the play group of my school",
        "in the book club I met Tomas",
        "she asked if I was a plumber",
        "If it rains I take the bus",
        "my dream is a house by the lake",
        "I dreamt of the sea, but actually I live in Graz",
        "Wenn es regnet, fahre ich Bus",
        "Ich schreibe einen Roman",
        "Ich wohne wirklich in Graz, nicht nur im Traum",
        "我在写小说，住在成都",
        "其实我住在成都，梦里才住海边",
        "如果下雨我就坐公交",
        "もしもし、私は田中です。",
    ],
)
def test_real_statements_have_no_cue(sentence: str) -> None:
    assert unreal_cue(sentence) is None


@for_each(
    "text",
    [
        "Ines reads a book that begins 'I was born in a lighthouse on a Tuesday.'",
        'The last line of her song is "I never went back to the harbour".',
        "Der erste Satz in Pauls Buch lautet „Ich habe nie ein Schiff gesehen“.",
        "小林最喜欢的台词是「我一生只怕过一次海」。",
    ],
)
def test_quoted_first_person_of_a_work_is_recognised(text: str) -> None:
    assert quotes_a_work(text)


@for_each(
    "text",
    [
        "Rita said 'I live in Porto since spring'.",
        "Ines's book is called 'The Lighthouse of Tuesday'.",
        "Ines's novel is about her own harbour.",
        "Pauls Buch heißt „Das letzte Schiff im Hafen“.",
        "小林的小说叫「海边的鞋匠铺」。",
        "It's Ana's book, and it isn't mine or my brother's",
    ],
)
def test_titles_and_hearsay_are_no_quoted_work(text: str) -> None:
    assert not quotes_a_work(text)


@pytest.mark.parametrize("piece", ["'a", "if i was ", "wenn ich ", "「", "in my "])
def test_hostile_text_is_searched_for_cues_in_time(piece: str) -> None:
    with within(2.0, time.process_time):
        assert unreal_cue(piece * 5_000) in (None, *Unreal)
        assert quotes_a_work(piece * 5_000) in (True, False)


@for_each(
    "message",
    [
        "just kidding, I deliver parcels",
        "Haha. I was only joking!",
        "ok I lied, I have no boat",
        "I made that up, sorry",
        "That was a joke. I work in a bank.",
        "War nur Spaß, ich bin Lehrer",
        "Ich hab dich angelogen, ich habe kein Boot",
        "好吧骗你的，我是快递员",
        "开玩笑的啦",
        "我瞎编的",
    ],
)
def test_message_that_takes_the_last_one_back_is_recognised(message: str) -> None:
    assert takes_back(message)


@for_each(
    "message",
    [
        "I'm not kidding, it was cold",
        "No joke, I flew to Paris",
        "I lied to my boss about the parcels",
        "My brother was lying on the sofa",
        "Das war kein Scherz",
        "Joking aside, it was cold",
        "没骗你，真的",
        "我不是开玩笑的",
        "We flew home. It rained. My sister was joking all the way.",
        "No es broma, vivo en Roma.",
        "No, no estoy bromeando.",
        "Я не шучу, я врач.",
        "Я никогда не шучу.",
        "Je plaisante souvent avec ma femme.",
    ],
)
def test_other_messages_do_not_take_the_last_one_back(message: str) -> None:
    assert not takes_back(message)


@for_each(
    ("message", "is_action"),
    [
        ("*draws a sword* Who goes there?", True),
        ("（推门）掌柜的", True),
        ("(sits down) tea please", True),
        ("I *love* this song", False),
        ("2*3*4 is 24", False),
        ("* a list", False),
    ],
)
def test_action_at_the_beginning_is_recognised(message: str, is_action: bool) -> None:
    assert begins_with_action(message) is is_action


@for_each(
    ("sentence", "leaves"),
    [
        ("ooc: my train is here", True),
        ("btw I moved to Braga", True),
        ("出戏一下，外卖到了", True),
        ("The doctor took my sword", False),
        ("我的剑在此", False),
    ],
)
def test_word_out_of_a_scene_is_recognised(sentence: str, leaves: bool) -> None:
    assert leaves_scene(sentence) is leaves


@for_each(
    ("fact", "cue"),
    [
        ("In their role-play, Ana is a witch.", Unreal.INVENTED),
        ("在小安的梦里，鲸鱼会说话。", Unreal.INVENTED),
        ("If Ana won a million, she would buy a barge.", Unreal.SUPPOSED),
        ("假如小安会飞，她每天去海边。", Unreal.SUPPOSED),
        ("Ana had a dream of Lisbon, and moved there.", None),
        ("In the end, Ana stayed.", None),
        ("如果下雨，小安坐地铁上班。", None),
    ],
)
def test_frame_of_a_retold_fact_is_recognised(fact: str, cue: Unreal | None) -> None:
    assert unreal_frame(fact) is cue
