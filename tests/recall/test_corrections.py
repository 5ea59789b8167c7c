"""A number that was corrected in the next message is recalled before the wrong one."""

from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.recall.gate import ScoreGate
from memory_core.recall.results import NeedFeatures
from memory_core.storage.contract import SearchFilter
from tests.builders import NOW, SPACE, asked, derive_all, open_memory, recalled, said

WRONG, RIGHT = "The code of the garden gate is 3307", "3370 sorry"
QUESTION = "what is the code of the garden gate"


def remember(memory: LongTermMemory, *texts: str, chat: str = "one") -> list[str]:
    """Stores these messages as a chat of one minute each, and returns their ids."""
    ids = [
        memory.remember(SPACE, chat, said(text, "Noted.", ts=NOW + 60.0 * place))
        for place, text in enumerate(texts)
    ]
    derive_all(memory)
    return ids


def found(memory: LongTermMemory, question: str = QUESTION, space: Namespace = SPACE) -> list[str]:
    return recalled(memory.recall(space, asked(question)))


def test_corrected_number_comes_before_the_wrong_one(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    remember(memory, "We planted roses", WRONG, RIGHT, "The garden looks fine now")
    assert found(memory)[:2] == [RIGHT, WRONG]


def test_corrected_number_also_answers_a_question_about_what_was_said_before(
    tmp_path: Path,
) -> None:
    memory = open_memory(tmp_path)
    remember(memory, WRONG, RIGHT)
    assert found(memory, "what was the garden gate code you told me before")[:2] == [RIGHT, WRONG]


def test_last_of_several_corrections_comes_first(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    remember(memory, WRONG, RIGHT, "argh, 3371")
    assert found(memory)[:3] == ["argh, 3371", RIGHT, WRONG]


def test_forgotten_correction_is_not_recalled(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    ids = remember(memory, WRONG, RIGHT, "Roses again")
    memory.forget(SPACE, [ids[1]])
    assert found(memory)[0] == WRONG
    assert RIGHT not in found(memory)


def test_number_in_another_chat_corrects_nothing(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    remember(memory, WRONG)
    remember(memory, RIGHT, chat="two")
    assert found(memory)[0] == WRONG


def test_number_said_hours_later_corrects_nothing(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    memory.remember(SPACE, "one", said(WRONG, ts=NOW))
    memory.remember(SPACE, "one", said(RIGHT, ts=NOW + 7200.0))
    derive_all(memory)
    assert found(memory)[0] == WRONG


def test_correction_takes_nothing_from_the_need_for_a_memory(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    remember(memory, WRONG, RIGHT, "The garden looks fine now")
    right, *others = [one.candidate for one in memory.recall(SPACE, asked(QUESTION)).kept]
    assert right.corrects == others[0].memory.id
    gate = ScoreGate(min_score=0.1, min_letters=1)
    query = asked(QUESTION).with_need_features(NeedFeatures(share=0.6, found=1.0))
    assert gate.keep(query, [right, *others]).need == gate.keep(query, others).need


def test_number_of_a_statement_found_by_its_subject_is_corrected(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    remember(memory, "just moved into apt 12b on cork street", "sorry 21b", "my sister is near")
    assert found(memory, "what's my address")[0] == "sorry 21b"


def test_wrong_number_below_better_memories_without_one_is_corrected(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    without = [f"The code of the garden gate is {word}" for word in ("secret", "new", "easy")]
    wrong = "I told the gardener that the code of the old garden gate is 3307 and he laughed"
    remember(memory, *without, wrong, RIGHT)
    order = found(memory)
    assert order.index(wrong) > 2
    assert order.index(RIGHT) < order.index(wrong)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("我妈妈生日是3月14日", "说错了，3月15日"),
        ("周五我要带女儿看牙医", "说错了，周四"),
        ("我妹妹叫小雅", "是小燕不是小雅"),
    ],
)
def test_overview_tells_nothing_wrong_without_its_correction(
    tmp_path: Path, wrong: str, right: str
) -> None:
    memory = open_memory(tmp_path)
    foods = (
        "咖啡",
        "红茶",
        "面包",
        "苹果",
        "羊肉",
        "三文鱼",
        "巧克力",
        "奶酪",
        "啤酒",
        "豆腐",
        "寿司",
    )
    more = [f"我每天早上都要吃很多{food}，已经十年了" for food in foods]
    remember(memory, wrong, right, *more)
    order = found(memory, "你对我了解多少")
    assert order[order.index(wrong) + 1] == right


def test_overview_quotes_no_question_without_a_mark(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    remember(memory, "我女朋友叫小敏，她对海鲜过敏", "小敏不能吃啥")
    assert found(memory, "你对我了解多少") == ["我女朋友叫小敏，她对海鲜过敏"]


def test_overview_of_a_time_has_no_correction_made_after_it(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    remember(memory, "我妈妈生日是3月14日", "说错了，3月15日")
    at_once = replace(asked("你对我了解多少"), search_filter=SearchFilter(until=NOW + 30.0))
    assert recalled(memory.recall(SPACE, at_once)) == ["我妈妈生日是3月14日"]
