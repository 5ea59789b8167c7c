"""The room *Memories* in Debian's chromium, over a made-up history; keeps screenshots.

usage: browser_memories.py FOLDER
"""

import os
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))
os.environ.update({"GRADIO_ANALYTICS_ENABLED": "False", "HF_HUB_OFFLINE": "1"})

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
DESK, PHONE = ViewportSize(width=1280, height=900), ViewportSize(width=390, height=844)
DAY = 86_400.0
NOW = 1_795_000_000.0
SAID = (
    ("My sister Clara plays the cello in Porto.", "Clara must practise a lot."),
    ("I am allergic to walnuts, so no walnut cake for me.", "I will remember: no walnuts."),
    ("I work as a night nurse in the children's hospital.", "That sounds tiring."),
    (
        "My cat Biscuit fell off the balcony but she is fine.",
        "Poor Biscuit! Good that she is well.",
    ),
    ("Biscuit my cat is afraid of the vacuum cleaner.", "Many cats are."),
    ("We moved to a flat near the river in May.", "How do you like the new flat?"),
    ("I want to travel to Japan in spring.", "The cherry blossoms are lovely then."),
    ("I drink my coffee without sugar.", "Just like the Italians."),
    ("I am learning to play the guitar.", "Which song do you practise?"),
    ("Should I paint the kitchen green or yellow?", "Yellow makes it warm.\n\nGreen calms."),
    ("我对芒果过敏,一吃就起疹子。", "记住了,不推荐芒果。"),
    ("Remind me how the <b>story</b> of the dragon ended?", "The dragon kept the sword & left."),
)
PLACES = ["the harbour", "the market", "the old mill", "the library", "the station", "the museum"]


def fill(folder: Path) -> None:
    """Writes some hundred exchanges of two years, and a note."""
    from memory_core.domain.namespaces import Namespace
    from memory_core.domain.records import Exchange, MemoryKind
    from memory_core.ui.demo.program import Program

    program = Program(folder, {})
    memory, space = program.runtime.memory, Namespace("Alex", "Nora")
    draw = random.Random(7)  # noqa: S311
    for number in range(300):
        user, answer = SAID[number] if number < len(SAID) else draw.choice(SAID)
        ts = NOW - draw.random() * 700 * DAY
        if number >= len(SAID):
            user = f"{user} I thought of it at {draw.choice(PLACES)} today, entry {number}."
        said = Exchange(user=user, assistant=answer, user_name="Alex", assistant_name="Nora", ts=ts)
        chat = ("20260503-14-05-09", "20260921-08-30-00", "Our garden plans")[number % 3]
        memory.remember(space, chat, said)
    memory.add_note(space, "Alex prefers short answers.", kind=MemoryKind.KNOWLEDGE, pinned=False)
    program.runtime.close()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    import gradio as gr

    from memory_core.providers.embedders.fake import FakeEmbedder
    from memory_core.ui.demo.program import Program
    from memory_core.ui.tab.page import build

    program = Program(folder, {})
    if "--embedded" in sys.argv:
        from memory_core.domain.namespaces import Namespace

        program.runtime.memory.embedder = FakeEmbedder(dim=64)
        while program.runtime.memory.derive_pending(Namespace("Alex", "Nora")):
            pass
    with gr.Blocks() as blocks:
        build(program.administration)
    _, address, _ = blocks.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
    try:
        yield address
    finally:
        blocks.close()
        program.runtime.close()


class Visit:
    def __init__(self, page: Page, shots: Path) -> None:
        self.page, self._shots, self._taken = page, shots, 0

    def shot(self, name: str) -> None:
        self._taken += 1
        self.page.wait_for_timeout(250)
        self.page.screenshot(path=self._shots / f"{self._taken:02}-{name}.png", full_page=True)

    def press(self, name: str, *, within: str = "#ltm-browser", nth: int = 0) -> None:
        self.page.locator(within).get_by_role("button", name=name, exact=True).nth(nth).click()

    def shows(self, text: str) -> None:
        expect(self.page.locator("#ltm-browser")).to_contain_text(text)

    def lacks(self, text: str) -> None:
        expect(self.page.locator("#ltm-memories")).not_to_contain_text(text)

    def search(self, text: str) -> None:
        field = self.page.locator("#ltm-search").locator("textarea, input")
        field.fill("")
        field.press_sequentially(text, delay=30)

    def choose_namespace(self, label: str) -> None:
        self.page.get_by_label("Whose memories").click()
        self.page.get_by_role("option", name=label).click()

    def ticks(self, count: int) -> None:
        boxes = self.page.locator("#ltm-memories > ol .ltm-tick")
        for index in range(count):
            boxes.nth(index).check()


def opens(visit: Visit) -> None:
    visit.choose_namespace("Alex / Nora")
    visit.page.get_by_role("tab", name="Memories", exact=True).click()
    visit.shows("About me")
    visit.shows("301 memories")
    visit.shows("People and family")
    visit.shot("opened")


def searches(visit: Visit) -> None:
    visit.search("biscu")
    expect(visit.page.locator("#ltm-memories mark").first).to_have_text("Biscuit")
    visit.lacks("walnut")
    visit.shot("search")
    visit.page.locator("summary", has_text="Month").click()
    visit.shot("filter-open")
    visit.page.locator(".ltm-menu[open] button").nth(2).click()
    visit.shows("Clear filters")
    visit.press("Clear filters")


def edits(visit: Visit) -> None:
    visit.press("Edit", within="#ltm-memories > ol")
    visit.shot("edit")
    visit.page.locator("#ltm-memories textarea[name=user]").fill("Biscuit is <i>brave</i> now.")
    visit.press("Save changes")
    visit.shows("Changed.")
    visit.shows("Biscuit is <i>brave</i> now.")
    visit.shot("edited")
    visit.press("Undo")
    visit.shows("Undone.")
    visit.lacks("<i>brave</i>")


def forgets(visit: Visit) -> None:
    visit.search("walnut")
    visit.shows("allergic to walnuts")
    visit.press("Forget", within="#ltm-memories > ol")
    visit.shows("1 memory forgotten")
    visit.shows("mention this")
    visit.page.get_by_text("Show and choose").click()
    visit.shot("forgot-offer")
    visit.press("Forget the ticked ones too")
    visit.shows("memories forgotten")
    visit.shot("forgot-also")
    visit.press("Undo")
    visit.shows("Undone.")
    visit.shows("allergic to walnuts")


def bulk(visit: Visit) -> None:
    visit.search("guitar")
    visit.shows("learning to play the guitar")
    visit.ticks(2)
    visit.shot("ticked")
    visit.press("Merge into one")
    visit.shows("The new memory")
    visit.page.locator("textarea[name=text]").fill("Alex is learning the guitar and loves Dylan.")
    visit.shot("merging")
    visit.press("Merge", within="#ltm-browser")
    visit.shows("2 memories are one now")
    visit.shows("made of 2 memories")
    visit.shot("merged")
    visit.press("Undo")
    visit.lacks("loves Dylan")
    visit.ticks(2)
    visit.page.locator("#ltm-memories summary", has_text="Move to").click()
    visit.shot("move-menu")
    visit.press("all characters")
    visit.shows("2 memories moved")
    visit.press("Undo")
    visit.shows("Undone.")
    visit.press("Tick all on this page")
    visit.page.wait_for_timeout(300)
    visit.press("Save as a document")
    expect(visit.page.locator("#ltm-ticked-file")).to_be_visible()
    visit.shot("exported")


def erases(visit: Visit) -> None:
    visit.search("dragon")
    visit.shows("<b>story</b>")
    expect(visit.page.locator("#ltm-memories input:checked")).to_have_count(0)
    visit.press("Forget", within="#ltm-memories > ol")
    visit.shows("1 memory forgotten")
    visit.search("")
    visit.press("Forgotten")
    visit.shows("2 forgotten memories")
    visit.shot("forgotten")
    visit.press("Erase now")
    visit.shows("cannot be undone")
    visit.press("Yes, erase for good")
    visit.shows("2 memories erased")
    visit.press("Clear filters")


def views(visit: Visit) -> None:
    visit.press("Timeline")
    visit.shows("Choose a month")
    visit.shot("timeline")
    visit.press("Map")
    visit.page.wait_for_timeout(400)
    visit.shot("map")
    if "--embedded" in sys.argv:
        visit.page.locator(".ltm-point").first.focus()
        visit.page.keyboard.press("ArrowRight")
        visit.page.keyboard.press("Enter")
        expect(visit.page.locator("#ltm-memories .ltm-memory")).to_have_count(1)
        visit.shot("map-opened")
    visit.press("List")


STEPS = (opens, searches, edits, forgets, bulk, erases, views)


def looks(page: Page, address: str, shots: Path) -> None:
    """Takes the room in both themes and widths, and in Chinese."""
    for theme in ("light", "dark"):
        for size in (DESK, PHONE):
            page.set_viewport_size(size)
            page.goto(f"{address}?__theme={theme}", wait_until="domcontentloaded")
            visit = Visit(page, shots)
            visit.choose_namespace("Alex / Nora")
            page.get_by_role("tab", name="Memories", exact=True).click()
            visit.shows("About me")
            visit.search("cat")
            page.wait_for_timeout(700)
            page.screenshot(path=shots / f"look-{theme}-{size['width']}.png", full_page=True)
            visit.search("")
            page.wait_for_timeout(500)


def main() -> None:
    shots = Path(sys.argv[1])
    shots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        fill(Path(name))
        with served(Path(name)) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
            page = browser.new_page(viewport=DESK)
            page.set_default_timeout(15_000)
            expect.set_options(timeout=15_000)
            faults: list[str] = []
            page.on("pageerror", lambda error: faults.append(str(error)))
            page.goto(address, wait_until="domcontentloaded")
            visit = Visit(page, shots)
            try:
                for step in STEPS:
                    step(visit)
                    sys.stdout.write(f"ok {step.__name__}\n")
                looks(page, address, shots)
            except Exception:
                visit.shot("failed")
                raise
            finally:
                browser.close()
            if faults:
                sys.exit(f"errors on the page: {faults}")


if __name__ == "__main__":
    main()
