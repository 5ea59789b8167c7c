"""Sentences with numbers or names that the source lacks are cut from a summary."""

import pytest

from memory_core.consolidation.grounding import supported_sentences

SOURCE = "Ana: I pay 1,250 a month since May 3rd, and Tom's sister helps.\n2024-05-07"


@pytest.mark.parametrize(
    "summary",
    [
        "Ana pays 1250 a month since May 3rd.",
        "Ana pays 1,250. Tom's sister helps her.",
        "On 7 May 2024 Ana said that she pays 1250.",
        "She said so on Tuesday.",
        "Nothing else was said.",
        "",
    ],
)
def test_a_supported_summary_stays_whole(summary: str) -> None:
    assert supported_sentences(summary, SOURCE) == summary


@pytest.mark.parametrize(
    ("summary", "kept"),
    [
        ("Ana pays 1,350 a month. Tom's sister helps.", "Tom's sister helps."),
        ("Tom's sister Berta helps.", ""),
        ("She helps, Berta said.", ""),
        ("It costs 12 500.", ""),
        ("/", ""),
        ("\u2013", ""),
        ("小安每月付1250。小安有4只猫。", "小安每月付1250。"),
    ],
)
def test_an_unsupported_sentence_is_cut(summary: str, kept: str) -> None:
    assert supported_sentences(summary, SOURCE) == kept


def test_german_nouns_are_no_names() -> None:
    source = "Ana: Ich habe gestern den Vertrag für die Wohnung am Fluss unterschrieben."
    summary = "Ana hat einen Mietvertrag für die Wohnung."
    assert supported_sentences(summary, source) == summary
