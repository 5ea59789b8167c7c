"""Statements of lasting limits and tastes."""

from memory_core.text.tastes_and_limits import states_a_limit, states_a_taste
from tests.cases import for_each
from tests.text.test_proposals import TELLING

LIMITS = [
    "my nephew is allergic to eggs",
    "I can't stand musicals",
    "haven’t touched meat in six years",
    "heights terrify me",
    "ich vertrage keine Milch",
    "ich esse seit Jahren kein Fleisch",
    "soll wegen dem Magen keinen Kaffee trinken",
    "ピーナッツはあかんねん",
    "mi hija no come carne",
    "llevo meses sin comer gluten",
    "ma tante ne supporte pas le gluten",
    "я не ем рыбу",
    "爷爷有糖尿病",
    "医生说以后虾蟹都别碰了",
    "姪は小麦アレルギーです",
    "飛行機が怖くて乗れない",
    "エビ食べれない",
    "牛乳でお腹壊す",
    "酒やめた",
    "高所恐怖症なんだ",
    "от молока живот крутит",
]
TASTES = [
    "jasmine tea is my favourite",
    "mein Lieblingsfilm ist alt",
    "siempre tomo café solo",
    "j'adore le jazz",
    "я всегда беру зелёный чай",
    "我最喜欢吃面",
    "抹茶が大好き",
]


@for_each("text", LIMITS)
def test_lasting_limit_is_recognised(text: str) -> None:
    assert states_a_limit(text)


@for_each("text", TASTES)
def test_lasting_taste_is_no_limit(text: str) -> None:
    assert states_a_taste(text)
    assert not states_a_limit(text)


@for_each("text", TELLING)
def test_account_of_what_happened_states_neither(text: str) -> None:
    assert not states_a_limit(text)
    assert not states_a_taste(text)
