"""Who comes back asks what was talked about last time, and gets the last chats, not older ones."""

import pytest

from memory_core.domain.records import Exchange
from tests.host.one_page import MIRA, OnePage

DAY_S = 86_400.0


@pytest.fixture
def page(tmp_path):
    page = OnePage(tmp_path, {"ltm_context": {}})
    now = page.runtime.clock()
    chats = {
        30: ["i work as a nurse in porto", "my sister lena just moved to berlin"],
        22: ["my boss marco is driving me nuts", "started learning guitar"],
        21: ["me and lena want to go to japan in april", "flights are like 900 euros"],
    }
    for days, texts in chats.items():
        for index, text in enumerate(texts):
            said = Exchange(user=text, assistant="I see.", ts=now - days * DAY_S + 60.0 * index)
            page.memory.remember(MIRA, f"chat {days}", said)
    return page


def test_last_chat_is_told_last_although_its_summary_is_in_the_prompt(page):
    before, lines = page.ask("what did we talk about last time").split("Mira remembers:")
    assert "japan" in before
    assert lines.index("porto") < lines.index("guitar") < lines.index("japan")
    assert "21 days ago" in lines


def test_other_question_does_not_repeat_the_summary(page):
    assert page.ask("how much were the flights to japan?").count("900 euros") == 1
