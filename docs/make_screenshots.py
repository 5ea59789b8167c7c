"""Takes the README's two pictures from the demo, in Debian's chromium: `make screenshots`."""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

PROJECT = Path(__file__).resolve().parent.parent
IMAGES = PROJECT / "docs" / "images"
sys.path.insert(0, str(PROJECT / ".ci"))

from browser.demo import demo  # noqa: E402
from browser.visit import CAT, FLAGS, PATIENCE_MS, Visit  # noqa: E402

CHROMIUM = "/usr/bin/chromium"
ANSWER = "Rua da Rosa"
CHAT, TAB = ViewportSize(width=1200, height=720), ViewportSize(width=1200, height=1060)
LARGEST = 200_000  # bytes


def asks(visit: Visit) -> None:
    """Asks in a new chat about an old one; the answer shows that the character remembers."""
    visit.says("questions", CAT)
    visit.at("new-chat").click()
    expect(visit.at("chat")).not_to_contain_text("Crumb")
    visit.at("message").locator("textarea").fill(CAT)
    visit.at("send").click()
    expect(visit.at("chat")).to_contain_text(ANSWER)


def opens_the_tab(visit: Visit) -> None:
    visit.tab("Long-term memory")
    visit.says("ltm-turn", CAT[:10])
    expect(visit.at("ltm-injected")).to_contain_text(ANSWER)


def take(page: Page, name: str, size: ViewportSize) -> None:
    page.set_viewport_size(size)
    page.wait_for_function("document.fonts.status === 'loaded'")
    path = IMAGES / f"{name}.png"
    page.screenshot(path=path, animations="disabled")
    if path.stat().st_size > LARGEST:
        sys.exit(f"{path} has {path.stat().st_size} bytes; at most {LARGEST} belong in a README")


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        demo(Path(folder)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport=CHAT)
        page.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        page.goto(address, wait_until="domcontentloaded")
        visit = Visit(page, IMAGES, Path(folder))
        asks(visit)
        take(page, "chat", CHAT)
        opens_the_tab(visit)
        take(page, "tab", TAB)
        browser.close()


if __name__ == "__main__":
    main()
