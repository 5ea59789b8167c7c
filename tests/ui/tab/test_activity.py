"""The list of what memory did is in words and holds no text of a chat."""

from memory_core.memory.journal import EntryKind, JournalEntry
from memory_core.text.locales import LANGUAGES, tab_words
from memory_core.ui.tab.settings.activity import activity_html
from tests.builders import NOW, SPACE
from tests.cases import for_each


@for_each("language", LANGUAGES.values())
@for_each("kind", EntryKind)
def test_every_activity_has_words(kind: EntryKind, language: str) -> None:
    entry = JournalEntry(ts=NOW, namespace=SPACE, kind=kind, count=2, ms=3.0)
    html = activity_html([entry], tab_words(language))
    assert SPACE.character in html
    assert "<time" in html


def test_empty_list_of_activities_says_so() -> None:
    assert "Nothing yet" in activity_html([], tab_words("en"))
