"""One page, the things that are done on it more than once, and what is asked there."""

import sys
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, ViewportSize

PROJECT = Path(__file__).resolve().parent.parent.parent
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 45_000
DESK, PHONE = ViewportSize(width=1280, height=1000), ViewportSize(width=390, height=900)

CAT = "What is my cat called, and where did I find him?"
MANGO = "我对什么水果过敏？"  # noqa: RUF001


class Visit:
    """One page, and the things that are done on it more than once."""

    def __init__(self, page: Page, shots: Path, folder: Path, address: str = "") -> None:
        self.page = page
        self.address = address
        self.folder = folder
        self._shots = shots
        self._taken = 0

    def at(self, name: str) -> Locator:
        return self.page.locator(f"#{name}")

    def shot(self, name: str) -> None:
        self._taken += 1
        self.page.screenshot(path=self._shots / f"{self._taken:02}-{name}.png", full_page=True)

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name, exact=True).click()

    def outer_tab(self, place: int) -> None:
        """Opens the chat (0) or the memory tab (1), whatever the language."""
        self.page.get_by_role("tab").nth(place).click()

    def unfold(self, name: str) -> None:
        self.page.locator("button.label-wrap", has_text=name).locator("visible=true").click()

    def choose(self, element: str, option: str) -> None:
        self.at(element).locator("input").click()
        self.page.get_by_role("option", name=option, exact=True).click()

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).locator("visible=true").click()

    def says(self, element: str, text: str) -> None:
        """Waits until this text stands there, in a field or as words."""
        self.page.wait_for_function(
            "([id, text]) => { const e = document.getElementById(id);"
            " const fields = e ? [...e.querySelectorAll('textarea, input')] : [];"
            " return e && [e.innerText, ...fields.map(f => f.value)].join('\\n').includes(text) }",
            arg=[element, text],
        )


def require(condition: bool, told: str) -> None:
    if not condition:
        sys.exit(told)


Step = Callable[[Visit], None]
