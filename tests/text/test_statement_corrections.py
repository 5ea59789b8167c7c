"""A message that only corrects the statement before it changes one word or number of it."""

import pytest

from memory_core.text.statement_corrections import corrected_statement
from tests.cases import for_each

CORRECTED = [
    ("my locker is 14", "sorry, 41", "my locker is 41"),
    ("my locker is 14", "41*", "my locker is 41"),
    ("dentist on monday", "*tuesday", "dentist on tuesday"),
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
    ("my sister is called Anna", "sorry its Hanna not Anna", "my sister is called Hanna"),
    ("my sister is called Anna", "it is Hanna, not Anna", "my sister is called Hanna"),
    ("i live in boston", "new york, not boston", "i live in new york"),
    ("i am 34", "sorry, i am 43", "i am 43"),
    ("dentist at 9", "sorry, at 10", "dentist at 10"),
    ("мой папа врач", "юрист, а не врач", "мой папа юрист"),
    (
        "my brother tims birthday is 5 june",
        "no its sam not tim",
        "my brother sams birthday is 5 june",
    ),
    ("my sister hanna lives in bonn", "her name is anna not hanna", "my sister anna lives in bonn"),
    ("my sister hanna lives in bonn", "she lives in ulm not bonn", "my sister hanna lives in ulm"),
    ("my dog rex is 7", "his name is max not rex", "my dog max is 7"),
    (
        "meine schwester wohnt in köln",
        "sie wohnt in bonn nicht köln",
        "meine schwester wohnt in bonn",
    ),
    ("party on 12 may at 7", "no, 12 may at 8", "party on 12 may at 8"),
    ("party on 12 may at 7", "12, sorry, 13 may", "party on 13 may at 7"),
    ("party on 12 may at 7", "at 8 not 7", "party on 12 may at 8"),
    ("party on the 12th", "the 13th not the 12th", "party on the 13th"),
    ("la cita es el 14 a las 5", "perdón a las 6 no a las 5", "la cita es el 14 a las 6"),
    ("la cita es el 14 de mayo", "no el 14, el 15", "la cita es el 15 de mayo"),
    ("встреча в среду", "ой, во вторник", "встреча в вторник"),
    ("встреча в среду", "не в среду, а во вторник", "встреча во вторник"),
    ("我妈妈的生日是3月14日", "说错了，3月15日", "我妈妈的生日是3月15日"),
    ("我妈妈的生日是3月14日", "不对，是15日", "我妈妈的生日是3月15日"),
    ("我妈妈的生日是3月14日", "是15号不是14号", "我妈妈的生日是3月15日"),
    ("我妈妈的生日是3月14日", "错了，是4月", "我妈妈的生日是4月14日"),
    ("my son is 7", "no hes 8", "my son is 8"),
    ("el wifi es gato123", "ay no, gato132", "el wifi es gato132"),
    (
        "tengo dos hijos, marcos de 9 y leo de 6",
        "no, leo tiene 5",
        "tengo dos hijos, marcos de 9 y leo de 5",
    ),
    ("i owe tom 50 and ana 50 euros", "ana 60, not 50", "i owe tom 50 and ana 60 euros"),
    ("i work there on tuesdays", "thursdays i mean", "i work there on thursdays"),
    ("my cat is called milo", "*Mylo", "my cat is called Mylo"),
    ("i love bannanas", "bananas*", "i love bananas"),
    ("弟の名前は太郎", "太郎じゃなくて次郎", "弟の名前は次郎"),
    ("猫の名前はミケ", "ごめん、ミケではなくてタマだよ", "猫の名前はタマ"),
    ("弟は太郎という名前です", "次郎です、太郎じゃなくて", "弟は次郎という名前です"),
    ("歯医者は金曜", "金曜じゃなくて木曜だった", "歯医者は木曜"),
    ("歯医者は金曜日", "ごめん、木曜日だった", "歯医者は木曜日"),
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
# Values of something else, denied values and questions.
NOT_OF_THE_STATEMENT = [
    ("my locker is 14", "*waits 5 minutes*"),
    ("my locker is 14", "*shrugs* 5"),
    ("my locker is 14", "not 41"),
    ("my locker is 14", "it's 14 not 12"),
    ("my locker is 14", "sorry i was at 15"),
    ("my locker is 14", "no i am 15"),
    ("my locker is 14", "sorry it is 5 am"),
    ("my locker is 14", "oops 3am"),
    ("my locker is 14", "sorry, was at the 7-11"),
    ("my locker is 14", "no i mean is it 5"),
    ("my locker is 14", "sorry, 41 people came"),
    ("my locker is 14", "41 is a lot"),
    ("the meeting is on monday", "rather not on sunday"),
    ("the meeting is on monday", "no not on tuesday"),
    ("the meeting is on monday", "wait, is it tuesday"),
    ("the meeting is on monday", "no, tuesday is fine for lunch"),
    ("my sister is called Anna", "I am not Anna"),
    ("my sister is called Anna", "Tom is not Anna"),
    ("my sister is called Anna", "she said not Anna"),
    ("my sister is called Anna", "sorry I am called Tom"),
    ("my sister is called Anna", "sorry, is she called Hanna"),
    ("my sister is called Anna", "thanks anna"),
    ("i like tea", "not tea, thanks"),
    ("i like tea", "i drink coffee not tea"),
    ("i like tea", "that's my sister, not i"),
    ("my brother tim lives in graz", "she likes bob not tim"),
    ("my brother tim lives in graz", "call bob, not tim"),
    ("my brother tim lives in graz", "good question, not tim"),
    ("my brother tim lives in graz", "bob wants cake, not tim"),
    ("mein Termin ist am Montag", "nein nicht Dienstag"),
    ("mein Termin ist am Montag", "nein, dienstag nicht"),
    ("la reunión es el lunes", "no, martes no"),
    ("la reunión es el 14", "no, el 15 no"),
    ("meine Schwester heißt Anna", "ich bin nicht Anna"),
    ("meine Schwester heißt Anna", "Tom mag nicht Anna"),
    ("mi casillero es el 14", "no, son las 5"),
    ("Ana come carne", "Tom no come carne"),
    ("mon casier est le 14", "non, il est 5 h"),
    ("j'aime le thé", "j'aime pas le thé"),
    ("мой шкафчик 14", "прости, я на 5"),
    ("мой папа врач", "папа не врач"),
    ("会议在星期一", "不是星期二"),
    ("会议在星期一", "等等，星期二了"),
    ("我的柜子是14号", "不好意思，我是41号"),
    ("我妹妹叫安娜", "我不是安娜"),
    ("私のロッカーは14番", "すみません、41人来た"),
    ("i owe tom 50 euros", "Ana 60, not 50"),
    ("my cat is called milo", "*smiles*"),
    ("my cat is called milo", "*shrugs"),
    ("milo likes milo", "*mylo"),
    ("i owe tom 50 euros", "ana 60"),
    ("学校に行った", "学校じゃなくて休んだ"),
    ("お茶が好き", "お茶じゃなくてコーヒーが好き"),
    ("弟の名前は太郎", "太郎じゃなくて残念"),
    ("弟の名前は太郎", "太郎じゃない"),
    ("歯医者は金曜", "木曜に会おう"),
    ("歯医者は金曜", "ごめん、木曜は忙しい"),
]


@for_each(("statement", "message", "corrected"), CORRECTED)
def test_statement_is_corrected_by_the_next_message(
    statement: str, message: str, corrected: str
) -> None:
    assert corrected_statement(statement, message) == corrected


@for_each(("statement", "message"), NO_CORRECTIONS + NOT_OF_THE_STATEMENT)
def test_other_message_corrects_nothing(statement: str, message: str) -> None:
    assert corrected_statement(statement, message) == ""


@pytest.mark.parametrize("message", ["sorry 34", "sorry, 34"])
def test_correction_is_appended_when_it_may_mean_several_numbers(message: str) -> None:
    statement = "code 33 for door 12"
    assert corrected_statement(statement, message) == f"{statement} ({message})"
