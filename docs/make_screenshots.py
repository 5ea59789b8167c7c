"""Takes the pictures of the documents in Debian's chromium: `make screenshots`."""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

PROJECT = Path(__file__).resolve().parent.parent
IMAGES = PROJECT / "docs" / "images"
sys.path.insert(0, str(PROJECT / ".ci"))

from browser.demo import demo  # noqa: E402
from browser.lives import CHINESE, ENGLISH, Life, tab_over_a_life  # noqa: E402
from browser.review import ReviewSteps  # noqa: E402
from browser.visit import CAT, FLAGS, PATIENCE_MS, Visit  # noqa: E402

CHROMIUM = "/usr/bin/chromium"
ANSWER = "Rua da Rosa"
CHAT, TAB = ViewportSize(width=1280, height=800), ViewportSize(width=1280, height=1060)
ROOM, PHONE = ViewportSize(width=1280, height=900), ViewportSize(width=390, height=844)
ROOMS = (
    ("memories", "Memories", "#ltm-memories .ltm-memory"),
    ("transfer", "Import and back up", "#ltm-drop"),
    ("settings", "Settings and health", "#ltm-plain-amount"),
)
LARGEST = 200_000  # bytes
LOCALES = {"en": "en-GB", "zh": "zh-CN"}


def asks(visit: Visit) -> None:
    """Asks in a new chat about an old one; the answer shows that the character remembers."""
    visit.says("questions", CAT)
    visit.at("new-chat").click()
    expect(visit.at("chat")).not_to_contain_text("Crumb")
    visit.at("message").locator("textarea").fill(CAT)
    visit.at("send").click()
    expect(visit.at("chat")).to_contain_text(ANSWER)
    visit.at("chat").locator("details.demo-why").wait_for()


def opens_the_tab(visit: Visit) -> None:
    visit.tab("Long-term memory")
    visit.says("ltm-last-answer", CAT[:10])
    expect(visit.at("ltm-last-answer")).to_contain_text(ANSWER)


def opens_a_room(visit: Visit, name: str, sign: str) -> None:
    visit.tab(name)
    visit.page.locator(sign).first.wait_for()


def goes_to_a_phone(visit: Visit) -> None:
    visit.page.set_viewport_size(PHONE)
    visit.page.goto(f"{visit.address}?__theme=dark", wait_until="domcontentloaded")
    opens_the_tab(visit)


def take(page: Page, name: str, size: ViewportSize) -> None:
    page.set_viewport_size(size)
    page.wait_for_function("document.fonts.status === 'loaded'")
    path = IMAGES / f"{name}.png"
    page.wait_for_timeout(700)  # what is drawn last
    page.screenshot(path=path, animations="disabled")
    refuse_large(path)


def take_review(browser: Browser, life: Life) -> None:
    """Takes the review of this life, with what the guard holds back."""
    with tempfile.TemporaryDirectory() as folder, tab_over_a_life(life, Path(folder)) as address:
        page = browser.new_page(viewport=ROOM, locale=LOCALES[life.language])
        visit = Visit(page, Path(folder), Path(folder), address)
        page.goto(address, wait_until="domcontentloaded")
        ReviewSteps(life).opens(visit)
        path = IMAGES / "review" / f"{life.language}.png"
        visit.at("ltm-review").screenshot(path=path, animations="disabled")
        page.close()
    refuse_large(path)


def refuse_large(path: Path) -> None:
    if path.stat().st_size > LARGEST:
        sys.exit(f"{path} has {path.stat().st_size} bytes; at most {LARGEST} belong in a README")


def main() -> None:
    (IMAGES / "review").mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        demo(Path(folder)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport=CHAT)
        page.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        visit = Visit(page, IMAGES, Path(folder), address)
        page.goto(address, wait_until="domcontentloaded")
        asks(visit)
        take(page, "chat", CHAT)
        opens_the_tab(visit)
        take(page, "tab", TAB)
        for name, room, sign in ROOMS:
            opens_a_room(visit, room, sign)
            take(page, name, ROOM)
        goes_to_a_phone(visit)
        take(page, "phone", PHONE)
        for life in (ENGLISH, CHINESE):
            take_review(browser, life)
        browser.close()


if __name__ == "__main__":
    main()
