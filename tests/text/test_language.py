"""The language of a short text, by script and function words."""

from memory_core.text.language import languages_of
from tests.cases import for_each


@for_each(
    ("text", "language"),
    [
        ("Де мій ключ?", "uk"),
        ("Где мой ключ?", "ru"),
        ("Tôi đang ở nhà", "vi"),
        ("متى نسافر؟", "ar"),
        ("कल मिलते हैं", "hi"),
        ("Τι ώρα είναι;", "el"),
        ("พรุ่งนี้เจอกัน", "th"),
        ("내일 봐요", "ko"),
        ("明日ね", "ja"),
        ("明天见", "zh"),
        ("Wo ist meine Jacke?", "de"),
    ],
)
def test_language_is_recognised_by_script_or_function_words(text: str, language: str) -> None:
    assert languages_of(text) == (language,)


def test_a_text_in_an_unknown_script_has_no_language() -> None:
    assert languages_of("שלום") == ()


def test_words_of_two_languages_leave_both_possible() -> None:
    assert {"es", "pt"} <= {*languages_of("me da miedo")}
    assert languages_of("der Kaffee steht da") == ("de",)
