from hypothesis import given
from hypothesis import strategies as st

from memory_core.text.sentences import abridge, sentences
from tests.cases import for_each


@for_each(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        (
            "Dr. Who paid 3.50 for it, e.g. twice. Yes.",
            ["Dr. Who paid 3.50 for it, e.g. twice.", "Yes."],
        ),
        (
            "Живу в г. Казань, ул. Баумана, д. 5. Родилась в 1997 г. Работаю.",
            ["Живу в г. Казань, ул. Баумана, д. 5.", "Родилась в 1997 г.", "Работаю."],
        ),
        (
            "Vom 5. bis 9. Mai in Meran. Sie ist 5. Maike",
            ["Vom 5. bis 9. Mai in Meran.", "Sie ist 5.", "Maike"],
        ),
        ("am 3. und 4. juni bin ich weg", ["am 3. und 4. juni bin ich weg"]),
        (
            "it's on the 19. of may. we are 4. and you",
            ["it's on the 19. of may.", "we are 4.", "and you"],
        ),
        (
            "Ich muss am 5.12. zum Zahnarzt. Am 7. 12. um drei zu Ina.",
            ["Ich muss am 5.12. zum Zahnarzt.", "Am 7. 12. um drei zu Ina."],
        ),
        (
            "am 5. zum arzt. Das war am 5.12. Danach nichts. I am 25. and you",
            ["am 5. zum arzt.", "Das war am 5.12.", "Danach nichts.", "I am 25.", "and you"],
        ),
        ('She said "No." Then she left', ['She said "No."', "Then she left"]),
        ("我叫小明。你好吗？“好！”走吧", ["我叫小明。", "你好吗？", "“好！”", "走吧"]),
        ("no end\nnew line\n\n", ["no end", "new line"]),
        ("www.example.org is up", ["www.example.org is up"]),
        ("", []),
    ],
)
def test_text_is_split_into_sentences(text: str, parts: list[str]) -> None:
    assert list(sentences(text)) == parts


@given(st.text(alphabet="ab .!?\n。”我", max_size=60))
def test_splitting_keeps_every_letter(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


def test_abridged_message_is_its_beginning_and_its_end() -> None:
    assert abridge("short") == "short"
    assert abridge("Read this:" + "x" * 9000 + "What is it?").startswith("Read this:")
    assert abridge("Read this:" + "x" * 9000 + "What is it?").endswith("What is it?")
    assert len(abridge("x" * 9000)) < 4100
