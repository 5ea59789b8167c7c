"""Steps in the demo's chat."""

from playwright.sync_api import expect

from .answer import used_shows
from .visit import CAT, MANGO, Step, Visit

NUTS = "Which nuts am I allergic to?"


def opens_on_a_sample(visit: Visit) -> None:
    visit.says("chat", "Crumb")
    visit.shot("chat-opens-on-a-sample")


def talks(visit: Visit) -> None:
    """Asks in English and in Chinese; the answer and the tab show the right memory."""
    for character, question, answer in (("Mira", CAT, "Rua da Rosa"), ("小岚", MANGO, "芒果过敏")):
        visit.choose("character", character)
        visit.says("questions", question)
        visit.click(visit.at("new-chat"))
        visit.lacks("chat", "Crumb")
        visit.fill("message", question)
        visit.click(visit.at("send"))
        visit.says("chat", answer)
        why = visit.at("chat").locator("details.demo-why").last
        visit.click(why.locator("summary"))
        expect(why.locator("mark").first).to_be_visible()
        visit.shot(f"chat-{character}")
        visit.tab("Long-term memory")
        used_shows(visit, question, answer)
        visit.shot(f"used-{character}")
        visit.tab("Chat")
    visit.choose("character", "Mira")
    visit.says("questions", CAT)
    expect(visit.page.locator(".toast-body.error")).to_have_count(0)


def speaks_chinese(visit: Visit) -> None:
    """The chat follows the language that is chosen in the tab."""
    visit.tab("Long-term memory")
    visit.choose("ltm-language", "中文")
    visit.says("ltm-last-answer", "记忆")
    visit.outer_tab(0)
    visit.says("new-chat", "新对话")
    visit.shot("chat-zh")
    visit.outer_tab(1)
    visit.choose("ltm-language", "English")
    visit.outer_tab(0)
    visit.says("new-chat", "New chat")


def edits_a_message(visit: Visit) -> None:
    """A suggestion starts a chat of its own; its message can be edited, and is answered again."""
    visit.click(visit.at("question-0"))
    expect(visit.at("chat").locator("details.demo-why")).to_have_count(1)
    visit.click(visit.at("edit-last"))
    edited = visit.at("edited").locator("textarea")
    expect(edited).to_have_value(CAT)
    edited.fill(NUTS)
    visit.click(visit.at("save-edit"))
    visit.says("chat", "praline")
    visit.lacks("chat", CAT)
    visit.fill("message", "/memories")
    visit.click(visit.at("send"))
    visit.says("chat", "memories in all")
    visit.click(visit.at("edit-last"))
    visit.choose("edit-which", NUTS)
    visit.says("save-edit", "the answers stay")
    visit.shot("chat-edits-an-earlier-message")
    edited.fill(f"{NUTS} Tell me.")
    visit.click(visit.at("save-edit"))
    visit.says("chat", "allergic to? Tell me.")
    visit.says("chat", "memories in all")
    visit.click(visit.at("remove-last"))
    visit.lacks("chat", "memories in all")
    visit.says("chat", "praline")
    visit.click(visit.at("remove-last"))
    visit.lacks("chat", "praline")
    visit.fill("message", "")


def cancels_an_edit(visit: Visit) -> None:
    edited = visit.at("edited").locator("textarea")
    visit.click(visit.at("edit-last"))
    expect(edited).to_be_visible()
    visit.click(visit.at("cancel-edit"))
    expect(edited).to_be_hidden()


STEPS: tuple[Step, ...] = (
    opens_on_a_sample,
    cancels_an_edit,
    edits_a_message,
    talks,
    speaks_chinese,
)
