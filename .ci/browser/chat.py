"""Steps in the demo's chat."""

from playwright.sync_api import expect

from .now import used_shows
from .visit import CAT, MANGO, Step, Visit


def talks(visit: Visit) -> None:
    """Asks in English and in Chinese; the answer and the tab show the right memory."""
    expect(visit.at("chat")).to_contain_text("Crumb")
    visit.shot("chat-opens-on-a-sample")
    for character, question, answer in (("Mira", CAT, "Rua da Rosa"), ("小岚", MANGO, "芒果过敏")):
        visit.choose("character", character)
        visit.says("questions", question)
        visit.at("new-chat").click()
        expect(visit.at("chat")).not_to_contain_text("Crumb")
        visit.at("message").locator("textarea").fill(question)
        visit.at("send").click()
        expect(visit.at("chat")).to_contain_text(answer)
        visit.shot(f"chat-{character}")
        visit.tab("Long-term memory")
        used_shows(visit, question, answer)
        visit.shot(f"used-{character}")
        visit.tab("Chat")
    visit.choose("character", "Mira")
    visit.says("questions", CAT)
    expect(visit.page.locator(".toast-body.error")).to_have_count(0)


STEPS: tuple[Step, ...] = (talks,)
