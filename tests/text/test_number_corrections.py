"""Tests of corrections of a number."""

from memory_core.text.number_corrections import corrects
from tests.cases import for_each

CORRECTED_NUMBERS = [
    ("the code is 3307", "3370 sorry"),
    ("the code is 3307", "wait, 3370"),
    ("the code is 3307", "3370*"),
    ("the code is 3307", "*3370"),
    ("the code is 3307", "3370"),
    ("the code is 3307", "no 3370 not 3307"),
    ("the code is 3307", "oops its 3370"),
    ("meet me at 9pm", "actually 10pm"),
    ("meet me at 9pm", "wait no, at 10"),
    ("my flight is BA118", "sorry BA181"),
    ("it costs 45 euros", "sry 54 euros"),
    ("my room is 204", "hold on, 240"),
    ("flug um 18:30", "quatsch, 18:20"),
    ("der code ist 3307", "nein 3370"),
    ("mi número es 118", "perdón, el 181"),
    ("le code c'est 3307", "pardon, c'est 3370"),
    ("код 3307", "ой, 3370"),
    ("код 3307", "то есть 3370"),
    ("код 3307", "3370, извини"),
    ("o código é 3307", "ops 3370"),
    ("il codice è 3307", "scusa 3370"),
    ("kod to 3307", "przepraszam 3370"),
    ("비밀번호는 3307이야", "아 미안 3370"),
    ("密码是3307", "不对，是3370"),
    ("密码是3307", "打错了，3370"),
    ("下午四点开会", "啊不对五点"),
    ("暗証番号は3307", "ごめん、3370だった"),
    ("会議は4時", "違った5時"),
    ("the pin is 4812", "fuck, 4821"),
    ("we meet at 7 tmrw", "i mean 7:30"),
    ("mein pin ist 3307", "ach ne 3370"),
    ("the pin is 4812", "4821 sorry lol"),
    ("the pin is 4812", "sorry its 4821 haha"),
    ("the pin is 4812", "sorry typo, its 4821"),
    ("the pin is 4812", "I meant 4821!"),
    ("the pin is 4812", "oh wait 4821"),
    ("the pin is 4812", "sorry, meant 4821 😅"),
    ("my son is 7", "no hes 8"),
    ("my daughter is 8", "nah shes 7"),
    ("tom is 7", "no he's 8"),
    ("mein sohn ist 7", "nee er wird 8"),
    ("mi hijo tiene 7 años", "no, él tiene 8"),
    ("mon fils a 7 ans", "non il a 8 ans"),
    ("моему сыну 7", "нет ему 8"),
    ("我儿子7岁", "不对，他8岁"),
]
TALK = [
    ("the code is 3307", "thanks, see you at 5"),
    ("i have 3 cats", "and 2 dogs"),
    ("i have 3 cats", "sorry 5 minutes"),
    ("the code is 3307", "sorry im late, 20 min"),
    ("it costs 45 euros", "no i paid 60 to the driver"),
    ("my room is 204", "floor 2"),
    ("my locker is 118", "sorry?"),
    ("im 26", "my sister is 28"),
    ("the code is 3307", "3307"),
    ("the code is 3307", "4812"),
    ("i ran 10 km", "12 tomorrow"),
    ("score was 2:1", "wait what"),
    ("call me at 5", "not before 5"),
    ("密码是3307", "我3点到"),
    ("код 3307", "я приду в 5"),
    ("the code is 3307", "is it 3370?"),
    ("i slept 5 hours", "no joke, 5 coffees today"),
    ("10 push ups", "20"),
    ("my locker is 14", "no hes 15"),
    ("it is 7 now", "no hes 8"),
    ("my son is 7", "no hes at 8 street"),
    ("my son is 7", "hes 8 apples ahead"),
    ("我的柜子是14号", "不，他15岁"),
    ("10 push ups", "no 11 sit ups"),
    ("the code is 3307", "3370 sorry, and " + "i talked on and on about my day " * 3),
]


@for_each(("earlier", "later"), CORRECTED_NUMBERS)
def test_other_number_alone_corrects_the_message_before(earlier: str, later: str) -> None:
    assert corrects(later, earlier)


@for_each(("earlier", "later"), TALK)
def test_talk_with_a_number_corrects_nothing(earlier: str, later: str) -> None:
    assert not corrects(later, earlier)
