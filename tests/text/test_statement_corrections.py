"""A message that only corrects the statement before it changes one word or number of it."""

import pytest

from memory_core.text.statement_corrections import corrected_statement
from tests.cases import for_each

CORRECTED = [
    ("my locker is 14", "sorry, 41", "my locker is 41"),
    ("the meeting is at 9pm.", "actually 10", "the meeting is at 10pm."),
    ("my flight is BA118", "sorry 181", "my flight is BA181"),
    ("my hint is X7-99", "sorry X7-98", "my hint is X7-98"),
    ("i owe Tom $14.50", "sry 15.40", "i owe Tom $15.40"),
    ("code 3307 for door 12", "3370 sorry", "code 3370 for door 12"),
    ("code 33 for door 12", "34 not 33", "code 34 for door 12"),
    ("my sister is called Anna", "sorry, Hanna not Anna", "my sister is called Hanna"),
    ("my sister is called Anna", "no, its not Anna but Hanna", "my sister is called Hanna"),
    ("i like coffee", "i like tea not coffee", "i like tea"),
    ("Ich heiße Anna", "nicht Anna sondern Hanna", "Ich heiße Hanna"),
    ("dentist is on Monday at 9", "wait no, tuesday", "dentist is on tuesday at 9"),
    ("zahnarzt am montag", "ups, dienstag", "zahnarzt am dienstag"),
    ("la reunión es el lunes", "perdón, el martes", "la reunión es el martes"),
    ("встреча в среду", "ой, в четверг", "встреча в четверг"),
    ("我的柜子是14号", "不对，是41", "我的柜子是41号"),
    ("下午四点开会", "啊不对五点", "下午五点开会"),
    ("我妹妹叫小雅", "不是小雅，是小燕", "我妹妹叫小燕"),
    ("我妹妹叫小雅", "小燕不是小雅", "我妹妹叫小燕"),
    ("星期三开会", "说错了，星期四", "星期四开会"),
    ("my sister is called Anna", "sorry, she is called Hanna", "my sister is called Hanna"),
    ("meine katze heißt Mimi", "quatsch, sie heißt Momo", "meine katze heißt Momo"),
    ("我养了一只猫叫团子", "哦打错了，叫丸子", "我养了一只猫叫丸子"),
]
NO_CORRECTIONS = [
    ("my locker is 14", "sorry gotta go in 10"),
    ("my locker is 14", "is it 41?"),
    ("my train is at 5", "oops its 5 already"),
    ("i like coffee", "not now, later"),
    ("i like coffee", "tea not juice"),
    ("i like tea", "sorry"),
    ("my sister is called Anna", "sorry, hanna"),
    ("meeting monday", "see you tuesday"),
    ("meeting monday", "sorry, tuesday is bad for me"),
    ("meeting monday or tuesday", "sorry, friday"),
    ("Anna called Anna", "Hanna not Anna"),
    ("星期三开会", "星期四见"),
    ("10 push ups", "20"),
    ("my sister is called Anna", "my brother is called Tom"),
    ("my sister is called Anna", "wait, my brother is called Tom"),
    ("我养了一只猫叫团子", "它昨晚叫了一夜"),
]


@for_each(("statement", "message", "corrected"), CORRECTED)
def test_statement_is_corrected_by_the_next_message(
    statement: str, message: str, corrected: str
) -> None:
    assert corrected_statement(statement, message) == corrected


@for_each(("statement", "message"), NO_CORRECTIONS)
def test_other_message_corrects_nothing(statement: str, message: str) -> None:
    assert corrected_statement(statement, message) == ""


@pytest.mark.parametrize("message", ["sorry 34", "sorry, 34"])
def test_correction_is_appended_when_it_may_mean_several_numbers(message: str) -> None:
    statement = "code 33 for door 12"
    assert corrected_statement(statement, message) == f"{statement} ({message})"
