"""Steps in the tab *Last answer*."""

from playwright.sync_api import expect

from .visit import CAT, DESK, MANGO, PHONE, Step, Visit, require

EDITED = "What is my cat called? He is a <b>brave</b> one."


def used_shows(visit: Visit, question: str, answer: str) -> None:
    visit.says("ltm-last-answer", question[:10])
    visit.says("ltm-last-answer", answer)
    expect(visit.at("ltm-last-answer").locator("mark").first).to_be_visible()


def folded_parts(visit: Visit) -> None:
    """The exact prompt, the scores and what was left out are folded."""
    expect(visit.at("ltm-injected")).to_be_hidden()
    visit.unfold("Scores and times")
    visit.says("ltm-injected", "earlier message in full")
    visit.says("ltm-injected", "words ")
    visit.unfold("The exact text that the model was given")
    visit.says("ltm-exact", "Rua da Rosa")
    visit.shot("answer-unfolded")
    visit.unfold("The exact text that the model was given")
    visit.unfold("Scores and times")


def corrects(visit: Visit) -> None:
    """Pin, edit, leave out and forget, each with its undo at the same card."""
    texts = visit.at("ltm-last-answer").locator(".ltm-cards > li").all_inner_texts()
    place = next(index for index, text in enumerate(texts) if "Rua da Rosa" in text)
    card = visit.at("ltm-last-answer").locator(".ltm-cards > li").nth(place)
    visit.press("Pin", within=card)
    visit.press("Unpin", within=card)
    expect(card.get_by_role("button", name="Pin", exact=True)).to_be_visible()
    visit.click(card.locator("summary", has_text="Edit"))
    expect(card.locator("textarea").first).to_be_visible()
    card.locator("textarea[name=user]").fill(EDITED)
    visit.shot("answer-edit")
    visit.press("Save changes", within=card)
    expect(card).to_contain_text("<b>brave</b>")
    visit.press("Undo", within=card)
    expect(card).to_contain_text("The change is undone")
    visit.press("Don't use in this chat", within=card)
    left_out = visit.at("ltm-last-answer").locator("li").filter(has_text="Not used in this chat")
    visit.press("Undo", within=left_out)
    expect(card).to_contain_text("Used in this chat again")
    visit.press("Forget", within=card)
    gone = visit.at("ltm-last-answer").locator("li").filter(has_text="Forgotten.")
    expect(gone).to_be_visible()
    expect(card).not_to_contain_text("Rua da Rosa")
    visit.shot("answer-forgotten")
    visit.press("Undo", within=gone)
    expect(card).to_contain_text("Rua da Rosa")


def forgets_for_other_rooms(visit: Visit) -> None:
    """A room just opened shows what was done in another; what was typed there stays."""
    visit.tab("Memories")
    total = visit.page.locator("#ltm-browser .ltm-total")
    before = total.inner_text()
    visit.unfold("Write a note")
    visit.fill("ltm-note-text", "Mira likes short")
    visit.tab("Last answer")
    visit.click(visit.at("ltm-last-answer").get_by_role("button", name="Forget", exact=True).first)
    visit.says("ltm-last-answer", "Forgotten.")
    visit.tab("Memories")
    expect(total).not_to_have_text(before)
    visit.says("ltm-note-text", "Mira likes short")
    visit.fill("ltm-note-text", "")
    visit.unfold("Write a note")
    visit.tab("Last answer")
    gone = visit.at("ltm-last-answer").locator("li").filter(has_text="Forgotten.").first
    visit.press("Undo", within=gone)
    visit.tab("Memories")
    expect(total).to_have_text(before)
    visit.tab("Last answer")


def pauses_this_chat(visit: Visit) -> None:
    visit.press("Pause in this chat")
    visit.says("ltm-banner", "Memory is paused in this chat.")
    visit.page.mouse.down(click_count=2)  # of a double click: it does not resume
    visit.page.mouse.up(click_count=2)
    visit.settles()
    visit.says("ltm-banner", "Memory is paused in this chat.")
    visit.shot("paused")
    visit.press("Resume in this chat")
    visit.says("ltm-banner", "Memory is working.")


def reaches_search_by_keyboard(visit: Visit) -> None:
    """Within three Tab stops of the tab; arrows go from tab to tab."""
    visit.settles()
    visit.page.get_by_role("tab", name="Long-term memory", exact=True).focus()
    reached = []
    for _ in range(3):
        visit.page.keyboard.press("Tab")
        reached.append(visit.page.evaluate("document.activeElement.closest('[id]')?.id"))
    require("ltm-search" in reached, f"three Tab stops reach {reached}")
    visit.page.get_by_role("tab", name="Last answer", exact=True).focus()
    visit.page.keyboard.press("ArrowRight")
    expect(visit.page.get_by_role("tab", name="Memories", exact=True)).to_have_attribute(
        "aria-selected", "true"
    )
    visit.tab("Last answer")


def search_opens_the_memories(visit: Visit) -> None:
    """Typing anywhere in the tab shows the results."""
    visit.settles()
    field = visit.at("ltm-search").locator("textarea, input")
    field.press_sequentially("ginger", delay=30)
    memories = visit.page.get_by_role("tab", name="Memories", exact=True)
    expect(memories).to_have_attribute("aria-selected", "true")
    expect(field).to_have_value("ginger")
    visit.says("ltm-memories", "ginger")
    visit.fill("ltm-search", "")
    visit.tab("Last answer")


def fits_a_phone(visit: Visit) -> None:
    visit.page.set_viewport_size(PHONE)
    visit.shot("answer-phone")
    visit.page.set_viewport_size(DESK)


def used_alone(visit: Visit) -> None:
    visit.tab("Long-term memory")
    used_shows(visit, CAT, "Rua da Rosa")
    visit.shot("used")


def used_in_the_demo(visit: Visit) -> None:
    """The tab opens with the character of the open chat, not with the last one talked to."""
    visit.tab("Long-term memory")
    used_shows(visit, CAT, "Rua da Rosa")
    visit.choose("ltm-who", "小岚")
    visit.says("ltm-last-answer", MANGO[:5])
    visit.choose("ltm-who", "Mira")
    used_shows(visit, CAT, "Rua da Rosa")


COMMON = (
    folded_parts,
    corrects,
    forgets_for_other_rooms,
    reaches_search_by_keyboard,
    search_opens_the_memories,
    pauses_this_chat,
    fits_a_phone,
)
IN_THE_DEMO: tuple[Step, ...] = (used_in_the_demo, *COMMON)
ALONE: tuple[Step, ...] = (used_alone, *COMMON)
