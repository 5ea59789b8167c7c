"""Facts get the flag that the chat itself gives the reason for."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memory_core.consolidation.unreal import ExchangeContext, flag_unreal
from memory_core.domain.derivations import Derivation, Flag
from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.memory.derived_memories import NewDerived
from tests.builders import NOW, SPACE, open_memory
from tests.cases import for_each
from tests.consolidation.test_observations import fact, facts, observations, observe, remember

FICTION, SUPPOSED = Flag.FICTION, Flag.HYPOTHETICAL


def new(text: str, flag: Flag | None = None) -> NewDerived:
    derived = Derivation(made_by="m", subject="Ana", key="k", flag=flag)
    return NewDerived(kind=MemoryKind.OBSERVATION, text=text, derived=derived)


def known(text: str, flag: Flag) -> Memory:
    derived = Derivation(made_by="m", flag=flag)
    return Memory(id="1", kind=MemoryKind.OBSERVATION, text=text, derived=derived)


def exchange(user: str, answer: str = "I see.") -> Exchange:
    return Exchange(user=user, assistant=answer, user_name="Ana", assistant_name="Mira")


def flags(
    found: Sequence[NewDerived],
    said: Exchange,
    before: Exchange | None = None,
    imagined: Sequence[Memory] = (),
) -> list[Flag | None]:
    result = flag_unreal(found, ExchangeContext(exchange=said, before=before, known=imagined))
    return [one.derived.flag for one in result]


@for_each(
    ("said", "text", "flag"),
    [
        ("Last night I dreamt my bakery was under water", "Ana's bakery was under water.", FICTION),
        ("Suppose I open a cinema in the mill", "Ana opens a cinema in the mill.", SUPPOSED),
        (
            "Im Traum hatte ich einen Bauernhof in Tirol",
            "Ana hatte einen Bauernhof in Tirol.",
            FICTION,
        ),
        ("Stell dir vor, wir kaufen die Mühle", "Ana kauft die Mühle.", SUPPOSED),
        ("昨晚梦见自己在月亮上种白菜", "小安在月亮上种白菜。", FICTION),
        ("假如我会飞，我每天去海边", "小安每天去海边。", SUPPOSED),
    ],
)
def test_fact_of_an_imagined_sentence_is_flagged(said: str, text: str, flag: Flag) -> None:
    assert flags([new(text)], exchange(said)) == [flag]


@for_each(
    ("said", "text"),
    [
        ("I dreamt of water. My bakery is in Graz.", "Ana's bakery is in Graz."),
        ("Suppose I open a cinema. I own the mill already.", "Ana owns the mill."),
        ("Im Traum war ich Förster. Ich arbeite als Bäckerin.", "Ana arbeitet als Bäckerin."),
        ("昨晚梦见月亮。我在成都卖白菜。", "小安在成都卖白菜。"),
    ],
)
def test_fact_of_a_real_sentence_beside_it_is_not_flagged(said: str, text: str) -> None:
    assert flags([new(text)], exchange(said)) == [None]


def test_fact_that_repeats_a_flagged_one_is_flagged() -> None:
    found = [
        new("In Ana's tale the miller hated bread and died in Graz.", FICTION),
        new("The miller hated bread and died in Graz."),
        new("Ana wrote to a publisher in Graz."),
        new("The miller did not hate bread and did not die in Graz."),
    ]
    assert flags(found, exchange("(no sentence shares a word)")) == [FICTION, FICTION, None, None]


IMAGINED = [known("If she were rich, Ana would open a hotel in Graz.", SUPPOSED)]
ASKS = exchange("if i were rich i'd open a hotel in Graz", "What would the hotel be called?")


def test_short_answer_about_an_imagined_thing_is_flagged() -> None:
    called = new("Ana's hotel in Graz is called The Pillow.")
    assert flags([called], exchange("The Pillow"), ASKS, IMAGINED) == [SUPPOSED]


@for_each("said", ["I own The Pillow already", "no, really, The Pillow exists", "The Pillow. " * 9])
def test_answer_about_oneself_or_what_is_real_is_not_flagged(said: str) -> None:
    called = new("Ana's hotel in Graz is called The Pillow.")
    assert flags([called], exchange(said), ASKS, IMAGINED) == [None]


def test_short_answer_about_something_else_is_not_flagged() -> None:
    cat = new("Ana has a cat named Pip.")
    assert flags([cat], exchange("Pip, the cat"), ASKS, IMAGINED) == [None]
    called = new("Ana's hotel in Graz is called The Pillow.")
    assert flags([called], exchange("The Pillow"), ASKS, ()) == [None]


def test_flag_of_the_model_stays() -> None:
    assert flags([new("Ana is a queen.", Flag.ROLE_PLAY)], exchange("hello")) == [Flag.ROLE_PLAY]


def test_observations_use_the_flags_of_the_exchange_before(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    remember(memory, ASKS.user, ASKS.assistant)
    hotel = fact("Rich Ana would open a hotel in Graz.", status="if")
    observe(memory, json.dumps({"facts": [hotel]}))
    remember(memory, "The Pillow")
    observe(memory, json.dumps({"facts": [fact("Ana's hotel in Graz is called The Pillow.")]}))
    found = {one.text: one.derived.flag for one in observations(memory) if one.derived}
    assert found["Ana's hotel in Graz is called The Pillow."] is SUPPOSED


PILOT = exchange("Hi, I'm a pilot and flew to Paris today", "Captain! Is it cold up there?")
TAKEN_BACK = exchange("ok just kidding, I deliver parcels", "Parcels fly, too.")
SHORT = exchange("cold, but there is champagne", "Who flies meanwhile?")


@for_each(
    ("after", "flag"),
    [
        ([TAKEN_BACK], FICTION),
        ([SHORT, TAKEN_BACK], FICTION),
        ([SHORT], None),
        ([], None),
        ([exchange("I'm not kidding, it was cold"), TAKEN_BACK], FICTION),
        ([exchange("My brother Tom moved in with us last week, with his dog"), TAKEN_BACK], None),
    ],
)
def test_fact_that_the_user_takes_back_is_fiction(
    after: Sequence[Exchange], flag: Flag | None
) -> None:
    (one,) = flag_unreal([new("Ana is a pilot.")], ExchangeContext(exchange=PILOT, after=after))
    assert one.derived.flag is flag


def test_fact_about_somebody_else_is_not_taken_back() -> None:
    of_tom = replace(new("Tom is a pilot."), derived=Derivation(made_by="m", subject="Tom"))
    (one,) = flag_unreal([of_tom], ExchangeContext(exchange=PILOT, after=[TAKEN_BACK]))
    assert one.derived.flag is None


def test_facts_of_the_message_that_takes_back_stay_real() -> None:
    said = ExchangeContext(
        exchange=TAKEN_BACK, after=[exchange("haha kidding aside, it is hard work")]
    )
    (one,) = flag_unreal([new("Ana delivers parcels.")], said)
    assert one.derived.flag is None


def test_worker_reads_the_next_message_of_the_same_sitting(tmp_path: Path) -> None:
    for gap, flag in ((60.0, FICTION), (7200.0, None)):
        memory = open_memory(tmp_path / str(gap))
        memory.remember(SPACE, "talk", replace(PILOT, ts=NOW))
        memory.remember(SPACE, "talk", replace(TAKEN_BACK, ts=NOW + gap))
        observe(memory, facts(fact("Ana is a pilot.")), facts(fact("Ana delivers parcels.")))
        found = {one.text: one.derived.flag for one in observations(memory) if one.derived}
        assert found == {"Ana is a pilot.": flag, "Ana delivers parcels.": None}
        memory.close()


@for_each(
    ("text", "flag"),
    [
        ("In their story, Ana is the queen of the north.", FICTION),
        ("In Ana's dream about the sea, the miller died.", FICTION),
        ("在他们的故事里，小安是女王。", FICTION),
        ("If Ana were mayor, she would plant trees.", SUPPOSED),
        ("Ana wrote a story, and Rui printed it.", None),
        ("In the story club, Ana reads aloud.", None),
        ("Ana is a writer.", None),
    ],
)
def test_fact_that_calls_itself_unreal_is_flagged(text: str, flag: Flag | None) -> None:
    assert flags([new(text)], exchange("Hello there.")) == [flag]


ACTED = exchange("*raises the staff* I am the lord of the north, kneel!", "*kneels* My lord!")


def test_role_in_a_scene_that_both_sides_act_is_role_play() -> None:
    lord = new("Ana is the lord of the north.")
    role = replace(lord, derived=replace(lord.derived, key="role"))
    assert flags([role], ACTED) == [Flag.ROLE_PLAY]
    assert flags([lord], ACTED) == [None]
    assert flags([role], exchange(ACTED.user, "Stop that, Ana.")) == [None]


def test_scene_that_was_flagged_goes_on_as_role_play() -> None:
    told = [known("Ana is the lord of the north.", FICTION)]
    sword = exchange("*draws* My sword is called Sorrow", "*trembles* Spare me!")
    fact_of_it = [new("Ana's sword is called Sorrow.")]
    assert flags(fact_of_it, sword, ACTED, told) == [Flag.ROLE_PLAY]
    assert flags(fact_of_it, sword, ACTED, [known("Ana ran.", SUPPOSED)]) == [None]
    assert flags(fact_of_it, sword, exchange("Hi", "Hello"), told) == [None]


@for_each("said", ["*bows* (ooc: my cat is called Sorrow)", "（鞠躬）出戏：我的猫叫 Sorrow"])
def test_remark_outside_of_the_scene_is_no_role_play(said: str) -> None:
    told = [known("Ana is the lord of the north.", FICTION)]
    found = [new("Ana's cat is called Sorrow.")]
    assert flags(found, exchange(said, "*nods* (cute!)"), ACTED, told) == [None]
