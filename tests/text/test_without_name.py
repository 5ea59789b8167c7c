"""A name is removed as a whole word, with its possessive ending."""

from memory_core.text.without_name import without_name
from tests.cases import for_each


@for_each(
    ("text", "name", "rest"),
    [
        ("Ana moved to Lisbon.", "Ana", "moved to Lisbon."),
        ("The dog is ana's, not Anabel's.", "Ana", "The dog is , not Anabel's."),
        ("安娜搬到了里斯本", "安娜", "搬到了里斯本"),
        ("Ana", "Ana", "Ana"),
        ("Ana moved.", "", "Ana moved."),
    ],
)
def test_name_is_removed_as_a_whole_word_with_its_possessive(
    text: str, name: str, rest: str
) -> None:
    assert without_name(text, name) == rest
