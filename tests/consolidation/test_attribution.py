"""A summary must not give one speaker what the other one said of themselves."""

from memory_core.consolidation.attribution import misattributed, misattributed_to_user
from memory_core.domain.records import Exchange
from tests.cases import for_each

FLAT = ("I signed the contract for the flat in Lisbon and I move on May 3rd.", "Congratulations!")
SISTER = ("My sister Lena teaches chess in Graz.", "I once won a small chess cup as a child.")
KEYS = ("What a day!", "I lost my keys on the tram. Found them under the seat again.")
HINT = ("Hm?", "You signed the contract for the flat at last, so I bake a cake.")
ZH_FLAT = ("我签了深圳那套房子的合同，五月三日搬家。", "恭喜！")
ZH_PIANO = ("今天怎么样？", "我在学校教孩子们弹钢琴，很累。")
DE_FLAT = ("Ich habe den Vertrag für die Wohnung am Fluss unterschrieben.", "Wie schön!")


def exchange(sides: tuple[str, str], user: str = "Ana", character: str = "Mira") -> Exchange:
    asked, answered = sides
    return Exchange(user=asked, assistant=answered, user_name=user, assistant_name=character)


@for_each(
    ("sides", "claim"),
    [
        (FLAT, "Mira signed the contract for a flat in Lisbon."),
        (FLAT, "On Monday, Mira signed the contract for a flat in Lisbon."),
        (FLAT, "Mira told Ana that she signed the contract for the flat in Lisbon."),
        (FLAT, "Ana was happy, and Mira signed the contract for the flat in Lisbon."),
        (FLAT, "The character signed the contract for the flat."),
        (SISTER, "Mira's sister Lena teaches chess in Graz."),
        (KEYS, "Ana lost her keys on the tram and found them under the seat."),
        (KEYS, "The user lost the keys on the tram."),
    ],
)
def test_claim_of_the_wrong_speaker_is_found(sides: tuple[str, str], claim: str) -> None:
    assert misattributed(f"It rained. {claim}", [exchange(sides)]) == [claim]


@for_each(
    ("sides", "claim"),
    [
        (FLAT, "Ana signed the contract for a flat in Lisbon. Mira congratulated her."),
        (FLAT, "Mira congratulated Ana on signing the contract for the flat in Lisbon."),
        (FLAT, "Mira praised the contract for the flat in Lisbon."),
        (FLAT, "Ana told Mira that she signed the contract for the flat."),
        (FLAT, "The flat in Lisbon delights Mira."),
        (FLAT, "Both speak of the contract for the flat in Lisbon."),
        (SISTER, "Ana's sister teaches chess, and Mira won a small chess cup as a child."),
        (KEYS, "Mira lost her keys on the tram and found them under the seat."),
        (HINT, "Ana signed the contract for the flat. Mira bakes a cake."),
    ],
)
def test_claim_of_the_right_speaker_is_left_alone(sides: tuple[str, str], claim: str) -> None:
    assert misattributed(claim, [exchange(sides)]) == []


@for_each(
    ("sides", "wrong", "right"),
    [
        (ZH_FLAT, "米拉签了深圳一套房子的合同。", "小安签了深圳一套房子的合同。"),
        (ZH_FLAT, "米拉告诉小安，她签了深圳房子的合同。", "小安告诉米拉，她签了深圳房子的合同。"),
        (ZH_FLAT, "助手签了深圳那套房子的合同。", "用户签了深圳那套房子的合同。"),
        (ZH_PIANO, "小安在学校教孩子们弹钢琴。", "米拉在学校教孩子们弹钢琴。"),
        (ZH_PIANO, "小安问候了她，小安在学校教钢琴。", "小安问候了她，米拉在学校教钢琴。"),
    ],
)
def test_speakers_are_distinguished_in_chinese(
    sides: tuple[str, str], wrong: str, right: str
) -> None:
    said = [exchange(sides, "小安", "米拉")]
    assert misattributed(wrong, said) == [wrong]
    assert misattributed(right, said) == []


def test_speakers_are_distinguished_in_german_and_by_first_name() -> None:
    said = [exchange(DE_FLAT, "Ana Sofia Reis", "Mira")]
    wrong = "Mira hat den Vertrag für die Wohnung am Fluss unterschrieben."
    assert misattributed(wrong, said) == [wrong]
    assert misattributed(wrong.replace("Mira", "Ana"), said) == []


def test_speakers_of_equal_name_are_not_distinguished() -> None:
    claim = "Mira signed the contract for a flat in Lisbon."
    assert misattributed(claim, [exchange(FLAT, "Mira", "Mira")]) == []
    assert misattributed(claim, []) == []


def test_statement_of_both_about_themselves_is_right_for_both() -> None:
    both = ("I lost my job at the bank in May.", "I lost my job at the bank, too.")
    for name in ("Ana", "Mira"):
        assert misattributed(f"{name} lost the job at the bank.", [exchange(both)]) == []


@for_each(
    ("sides", "page", "wrong"),
    [
        (KEYS, "I lost my keys on the tram. It was a day!", ["I lost my keys on the tram."]),
        (KEYS, "Mira told me that she lost her keys on the tram.", []),
        (FLAT, "I signed the contract for the flat in Lisbon.", []),
    ],
)
def test_first_person_of_a_page_is_the_user(
    sides: tuple[str, str], page: str, wrong: list[str]
) -> None:
    assert misattributed_to_user(page, [exchange(sides)]) == wrong
