"""Steps in the tab *Now*."""

from playwright.sync_api import expect

from .visit import CAT, MANGO, Step, Visit


def used_shows(visit: Visit, question: str, answer: str) -> None:
    visit.says("ltm-turn", question[:10])
    expect(visit.at("ltm-injected")).to_contain_text(answer)
    expect(visit.at("ltm-injected")).to_contain_text("replayed turns")
    expect(visit.at("ltm-injected")).to_contain_text("words ")


def used_alone(visit: Visit) -> None:
    visit.tab("Long-term memory")
    used_shows(visit, CAT, "Rua da Rosa")
    visit.shot("used")


def used_in_the_demo(visit: Visit) -> None:
    visit.tab("Long-term memory")
    visit.says("ltm-turn", MANGO[:5])
    visit.page.get_by_label("Whose memories").click()
    visit.page.get_by_role("option", name="Alex / Mira").click()
    used_shows(visit, CAT, "Rua da Rosa")


IN_THE_DEMO: tuple[Step, ...] = (used_in_the_demo,)
ALONE: tuple[Step, ...] = (used_alone,)
