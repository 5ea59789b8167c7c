"""One page, the things that are done on it more than once, and what is asked there."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, TimeoutError, ViewportSize, expect

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
    # Gradio's fonts come from elsewhere, at once, late, or never.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
PATIENCE_MS = 120_000  # of a machine that does much else
DESK, PHONE = ViewportSize(width=1280, height=1000), ViewportSize(width=390, height=900)
LAPTOP = ViewportSize(width=1280, height=800)

CAT = "What is my cat called, and where did I find him?"
MANGO = "我对什么水果过敏？"  # noqa: RUF001

_QUIET_FRAMES = 5
# Colours that fade in have too little contrast on the way.
_NO_MOTION = "*, *::before, *::after { transition: none !important; animation: none !important; }"
_COUNT_CALLS = Path(__file__).with_name("calls.js")
_SAYS = """([id, text]) => {
    const part = document.getElementById(id);
    const fields = part ? [...part.querySelectorAll('textarea, input')] : [];
    return part && [part.innerText, ...fields.map(f => f.value)].join('\\n').includes(text);
}"""


class Visit:
    """One page, not opened yet, and the things that are done on it more than once.

    Actions wait until the page has come to rest, as a person does: a refresh may still redraw it.
    """

    def __init__(self, page: Page, shots: Path, folder: Path, address: str = "") -> None:
        self.page = page
        self.address = address
        self.folder = folder
        self._shots = shots
        self._taken = 0
        page.add_init_script(path=_COUNT_CALLS)

    def settles(self) -> None:
        """Waits until nothing is asked of the server, and what it answered is drawn."""
        is_quiet = self.page.evaluate("window.ltmSettles", [_QUIET_FRAMES, PATIENCE_MS])
        require(is_quiet, "the page does not come to rest")

    def open_anew(self, theme: str, size: ViewportSize) -> None:
        """Opens the page in this theme and size, and in it the memory tab."""
        self.page.set_viewport_size(size)
        self.page.goto(f"{self.address}?__theme={theme}", wait_until="domcontentloaded")
        self.page.add_style_tag(content=_NO_MOTION)
        self.outer_tab(1)

    def at(self, name: str) -> Locator:
        return self.page.locator(f"#{name}")

    def shot(self, name: str) -> None:
        self.settles()
        self.keep(name)

    def keep(self, name: str) -> None:
        """Keeps a picture of the page as it is."""
        self._taken += 1
        path = self._shots / f"{self._taken:02}-{name}.png"
        self.page.screenshot(path=path, full_page=True, animations="disabled")

    def report(self, name: str, measured: object) -> None:
        """Writes what was measured or found beside the pictures."""
        text = json.dumps(measured, ensure_ascii=False, indent=1)
        (self._shots / f"{name}.json").write_text(text, encoding="utf-8")

    def click(self, part: Locator) -> None:
        """Clicks once the page is at rest, and waits for what follows."""
        self.settles()
        part.click()
        self.settles()

    def tab(self, name: str) -> None:
        self.click(self.page.get_by_role("tab", name=name, exact=True))

    def inner_tab(self, name: str) -> None:
        """Opens a tab of the memory, and the memory tab around it if another is open."""
        self.settles()
        if not self.page.get_by_role("tab", name=name, exact=True).is_visible():
            self.outer_tab(1)
        self.tab(name)

    def outer_tab(self, place: int) -> None:
        """Opens the chat (0) or the memory tab (1), whatever the language."""
        self.click(self.page.get_by_role("tab").nth(place))

    def unfold(self, name: str) -> None:
        self.click(self.page.locator("button.label-wrap", has_text=name).locator("visible=true"))

    def choose(self, element: str, option: str) -> None:
        self.click(self.at(element).locator("input"))
        self.click(self.page.get_by_role("option", name=option, exact=True))

    def press(self, name: str, within: Locator | None = None) -> None:
        """Clicks the button of this name that is visible, or the one within a part of the page."""
        buttons = (within or self.page).get_by_role("button", name=name, exact=True)
        self.click(buttons if within else buttons.locator("visible=true"))

    def fill(self, element: str, text: str) -> None:
        self.settles()
        self.at(element).locator("textarea, input").fill(text)
        self.settles()

    def says(self, element: str, text: str) -> None:
        """Waits until this text stands there, in a field or as words."""
        self.settles()
        try:
            self.page.wait_for_function(_SAYS, arg=[element, text])
        except TimeoutError as exc:
            raise AssertionError(f"#{element} never says {text!r}") from exc

    def lacks(self, element: str, text: str) -> None:
        """Waits until this text does not stand there any more."""
        self.settles()
        expect(self.at(element)).not_to_contain_text(text)


def require(condition: bool, told: str) -> None:
    if not condition:
        sys.exit(told)


Step = Callable[[Visit], None]
