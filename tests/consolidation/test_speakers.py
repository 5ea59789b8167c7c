"""Facts are stored with a name where a model wrote a pronoun."""

from memory_core.consolidation.speakers import speakers_of, with_named_subject
from memory_core.domain.records import Exchange
from tests.cases import for_each

SAID = Exchange(
    user="My brother Rui left for Braga. I play the cello in an orchestra. 我姐姐小梅搬到成都了。",
    assistant="I have a sister in Faro myself. She paints boats.",
    user_name="Ana",
    assistant_name="Mira",
)
SOURCE = f"Ana\nMira\n{SAID.user}\n{SAID.assistant}"


@for_each(
    ("text", "subject", "named"),
    [
        ("He left for Braga.", "Rui", "Rui left for Braga."),
        ("He's a baker in Braga.", "Rui", "Rui's a baker in Braga."),
        ("She left for Braga.", "Ana's brother", "Ana's brother left for Braga."),
        ("His home is Braga.", "Rui", "Rui's home is Braga."),
        ("He left for Braga.", "brother", "brother: He left for Braga."),
        ("They left for Braga.", "Rui", "Rui: They left for Braga."),
        ("You play the cello.", "Ana", "Ana: You play the cello."),
        ("The user plays the cello.", "Ana", "Ana plays the cello."),
        ("User plays the cello.", "Ana", "Ana plays the cello."),
        ("The assistant has a sister.", "Mira", "Mira has a sister."),
        ("The user's name is Ana, not Anna.", "Ana", "The user's name is Ana, not Anna."),
        ("I play the cello in an orchestra.", "Ana", "Ana: I play the cello in an orchestra."),
        ("I have a sister in Faro.", "Mira", "Mira: I have a sister in Faro."),
        ("My brother is called Rui.", "Rui", "Ana: My brother is called Rui."),
        ("她搬到成都了。", "小梅", "小梅搬到成都了。"),
        ("她们搬到成都了。", "小梅", "小梅：她们搬到成都了。"),
        ("我姐姐搬到成都了。", "小梅", "Ana：我姐姐搬到成都了。"),
        ("用户会拉大提琴。", "Ana", "Ana会拉大提琴。"),
        ("Ana plays the cello.", "Ana", "Ana plays the cello."),
        ("Heinz left for Braga.", "Rui", "Heinz left for Braga."),
        ("Items left for Braga.", "Rui", "Items left for Braga."),
    ],
)
def test_pronoun_at_the_beginning_is_named(text: str, subject: str, named: str) -> None:
    assert with_named_subject(text, subject, SAID, SOURCE) == named


@for_each("subject", ["", "Carlos", "Ana's uncle"])
def test_pronoun_without_a_known_name_makes_no_fact(subject: str) -> None:
    assert with_named_subject("He left for Braga.", subject, SAID, SOURCE) == ""


@for_each(
    ("about", "text", "subject"),
    [
        ("user", "Ana plays the cello.", "Ana"),
        ("Assistant", "Mira has a sister.", "Mira"),
        ("I", "I play the cello in an orchestra.", "Ana"),
        ("I", "I have a sister in Faro.", "Mira"),
        ("我", "我姐姐搬到成都了。", "Ana"),
        ("he", "Rui left for Braga.", ""),
        ("她", "小梅搬到成都了。", ""),
        ("Rui", "He left for Braga.", "Rui"),
    ],
)
def test_subject_is_a_name_or_nothing(about: str, text: str, subject: str) -> None:
    assert speakers_of(SAID).subject(about, text, SAID) == subject
