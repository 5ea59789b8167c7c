"""Limits and disk use in the tab: removals are announced, and visitors see only their own."""

import time

import pytest

from memory_core.admin.administration import Administration
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.memory.retention import RetentionPreview
from memory_core.memory.retention_policy import RetentionReason
from memory_core.storage.disk_usage import PARTS, Usage
from memory_core.text.locales import LANGUAGES, tab_words
from memory_core.ui.tab.common import retention_preview
from memory_core.ui.tab.settings import health, usage
from tests.cases import for_each
from tests.host.plain_host import PlainHost, hooks_in

WORDS = tab_words("en")
MIRA = Namespace("default", "Mira")


@pytest.fixture
def hooks(tmp_path):
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path))
    for n in range(5):
        hooks.runtime.memory.remember(
            MIRA, "c", Exchange(user=f"word{n}", assistant="hi", ts=time.time() - n)
        )
    return hooks


def objection(hooks, changes, warned=None):
    return retention_preview.unsaved_warning(hooks.runtime, changes, warned or {}, WORDS)


def test_warning_promises_no_return_if_forgotten_words_are_erased_at_once(hooks):
    hooks.runtime.save_settings({"ltm_writes.undo_forget_s": 0})
    told = objection(hooks, {"retention.max_memories": 4})
    assert "the oldest first. Its text is erased at once." in told
    assert "minutes" not in told


def test_limit_that_removes_memories_is_saved_only_after_a_warning(hooks):
    changes = {"retention.max_memories": 2, "recall.lines": 3}
    told = objection(hooks, changes)
    assert "About 3 memories of 1 character are over" in told
    assert "for 10 minutes" in told
    assert told.endswith(WORDS["limits_again"])
    assert objection(hooks, changes, warned=changes) == ""
    assert "About 4 memories" in objection(hooks, changes | {"retention.max_memories": 1}, changes)


def test_limit_that_removes_nothing_is_saved_at_once_with_other_settings(hooks):
    assert objection(hooks, {"retention.max_memories": 5, "retention.max_age_days": 1.5}) == ""
    assert objection(hooks, {"recall.lines": 3}) == ""
    hooks.runtime.save_settings({"retention.max_memories": 2})
    assert objection(hooks, {"recall.lines": 4}) == ""
    assert objection(hooks, {"retention.max_memories": None}) == ""


def test_preview_combines_a_new_limit_with_the_configured_ones(hooks):
    hooks.runtime.save_settings({"retention.max_memories": 3})
    assert "About 2 memories" in objection(hooks, {"retention.max_age_days": 1.0})


def test_removed_memories_are_reported_with_the_reason(hooks):
    assert retention_preview.limits_text(hooks.runtime, MIRA, WORDS) == WORDS["limits_none"]
    hooks.runtime.save_settings({"retention.max_memories": 3})
    assert retention_preview.limits_text(hooks.runtime, MIRA, WORDS) == "max_memories 3"
    hooks.runtime.enforce_retention()
    told = retention_preview.removed_text(hooks.runtime, MIRA, WORDS)
    assert told.startswith("2 memories")
    assert "too many: 2" in told
    rows = dict(health.rows(Administration(hooks), MIRA, WORDS))
    assert rows[WORDS["health_limits"]] == f"max_memories 3 · {told}"
    assert retention_preview.removed_text(hooks.runtime, Namespace("default", "other"), WORDS) == ""


def test_preview_reports_uncounted_namespaces(hooks):
    found = RetentionPreview(memories=9, namespaces=2, uncounted=40)
    assert "40 characters" in retention_preview.preview_text(found, hooks.runtime, WORDS)
    assert retention_preview.preview_text(RetentionPreview(), hooks.runtime, WORDS) == ""


def test_preview_warns_of_a_size_limit_that_cannot_be_reached(hooks):
    told = retention_preview.preview_text(RetentionPreview(unreachable=3), hooks.runtime, WORDS)
    assert "cannot bring 3 characters below “Maximum disk space of a character, in MB”" in told
    assert told.endswith(WORDS["limits_again"])


@for_each("words", [*map(tab_words, LANGUAGES.values())], ids=LANGUAGES)
def test_retention_reasons_and_parts_of_the_index_have_words(words):
    parts = {f"usage_part_{part}" for part in PARTS.values()}
    assert {f"limits_{why}" for why in RetentionReason} | parts <= words.keys()


def test_disk_use_is_shown_by_name_with_its_parts_and_the_whole(hooks):
    mira, whole = usage.rows(hooks, None, WORDS)
    assert mira[0] == "Mira"
    assert WORDS["usage_part_catalogue"] in usage.table_html([mira], WORDS)
    assert whole[0] == WORDS["usage_all"]
    assert whole[1].total == mira[1].total


def test_disk_use_of_many_namespaces_puts_the_smallest_into_one_row(hooks, monkeypatch):
    monkeypatch.setattr(usage, "MOST", 1)
    for n in range(2):
        space = Namespace("default", f"other{n}")
        hooks.runtime.memory.remember(space, "c", Exchange(user="hi", assistant=""))
    found = usage.rows(hooks, None, WORDS)
    assert [row[0] for row in found][1:] == ["2 more", "all"]


def test_a_shared_page_shows_the_visitors_own_disk_use_only(hooks):
    hooks.host.multi_user = True
    assert [row[0] for row in usage.rows(hooks, MIRA, WORDS)] == ["default / Mira"]
    assert usage.rows(hooks, None, WORDS) == []


def test_disk_use_is_a_table_of_escaped_names_with_every_size(hooks):
    used = Usage(logs=1024, index={"catalogue": 2048}, backups=4096)
    shown = usage.table_html([("<b>Mira</b>", used)], WORDS)
    assert "&lt;b&gt;Mira&lt;/b&gt;" in shown
    assert "total: 3.0 KB" in shown
    assert shown.count("<tr>") == 2
