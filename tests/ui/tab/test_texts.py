"""The tab has words for everything it shows, in each language."""

from memory_core.domain.records import MemoryKind
from memory_core.prompt.system_block import SYSTEM_FORM
from memory_core.recall.about_user import Subject
from memory_core.recall.results import DropReason, Form
from memory_core.storage.listing import Order
from memory_core.text.locales import LANGUAGES, Words, tab_words
from memory_core.ui.tab.answer import trace_rows
from memory_core.ui.tab.memories.list_state import ListView
from memory_core.ui.tab.settings.settings_fields import GROUPS
from tests.cases import for_each


@for_each("words", [*map(tab_words, LANGUAGES.values())], ids=LANGUAGES)
def test_reasons_forms_and_parts_of_a_trace_have_words(words: Words) -> None:
    keys = set(words.keys())
    assert {f"reason_{reason}" for reason in DropReason} <= keys
    assert {f"form_{form}" for form in (*Form, SYSTEM_FORM)} <= keys
    assert {
        *trace_rows.INJECTED_COLUMNS,
        *trace_rows.DROPPED_COLUMNS,
        *GROUPS,
    } <= keys


@for_each("words", [*map(tab_words, LANGUAGES.values())], ids=LANGUAGES)
def test_choices_and_headings_of_the_list_have_words(words: Words) -> None:
    keys = set(words.keys())
    assert {f"kind_{kind}" for kind in MemoryKind} <= keys
    assert {f"view_{view}" for view in ListView} <= keys
    assert {f"order_{order}" for order in Order} <= keys
    assert {f"about_{subject}" for subject in Subject} <= keys
    assert {f"filter_{name}" for name in ("kind", "month", "chat", "said_by")} <= keys
    for months in ("months", "months_short"):
        assert len(words[months].split(", ")) == 12


@for_each("words", [*map(tab_words, LANGUAGES.values())], ids=LANGUAGES)
def test_table_and_budget_call_short_lines_by_one_name(words: Words) -> None:
    assert words["form_line"] in words["budget_lines"]


def test_counts_of_one_file_and_of_all_use_one_measure_word() -> None:
    texts = [
        tab_words("zh")(key, chats=2, exchanges=3) for key in ("found_counts", "found_each_chats")
    ]
    assert [text.partition("3 ")[2][:2].rstrip("（") for text in texts] == ["轮", "轮"]
