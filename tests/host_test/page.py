"""The host's page in a browser: what a person does there. Waits for what is to be seen."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, Request, sync_playwright

PATIENCE_MS = 60_000
QUIET_S = 0.6
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
_TALK = """() => [...document.querySelectorAll('#chat [data-raw]')].map(it => it.dataset.raw)"""
_IDLE = "() => !document.querySelector('._generating') && !!document.querySelector('#chat')"
_SHOWS = "text => [...document.querySelectorAll('#chat [data-raw]')].some("
_ANY_HAS = _SHOWS + "it => it.dataset.raw.includes(text))"
_LAST_IS = (
    "text => { const all = [...document.querySelectorAll('#chat [data-raw]')];"
    " return !document.querySelector('._generating') && all.at(-1)?.dataset.raw.trim() === text; }"
)


@contextmanager
def browser(executable: str | None) -> Iterator[Browser]:
    """Chromium: the one named, else the system's, else Playwright's own."""
    found = executable or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=_FLAGS)
        yield launched
        launched.close()


class Traffic:
    """Gradio's events: each is posted to /queue/join and answered in a stream at /queue/data."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._streams: set[Request] = set()
        self._last = time.monotonic()
        page.on("request", self._begun)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)

    def _begun(self, request: Request) -> None:
        if "/queue/" in request.url:
            self._last = time.monotonic()
        if "/queue/data" in request.url:
            self._streams.add(request)

    def _ended(self, request: Request) -> None:
        if request in self._streams:
            self._streams.remove(request)
            self._last = time.monotonic()

    def await_quiet(self) -> None:
        """Until no event has been under way for a while: a chain's steps follow within it."""
        end = time.monotonic() + PATIENCE_MS / 1000
        while self._streams or time.monotonic() - self._last < QUIET_S:
            assert time.monotonic() < end, "the page's events do not come to an end"
            self._page.wait_for_timeout(50)


class ChatPage:
    """One open page of the host."""

    def __init__(self, browser: Browser, url: str, *, login: tuple[str, str] | None = None) -> None:
        self._context = browser.new_context(viewport={"width": 1500, "height": 1000})
        self.page: Page = self._context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self._traffic = Traffic(self.page)
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.goto(url, wait_until="domcontentloaded")
        if login:
            self._sign_in(*login)
        self.ready()

    def ready(self) -> None:
        """Waits until the page holds the host's values, which it asks for after it is shown."""
        self.page.wait_for_selector("#chat-input textarea")
        self.page.wait_for_selector("#chat-mode input:checked", state="attached")
        self.page.wait_for_selector("#chat", state="attached")
        self.settle()

    def settle(self) -> None:
        self._traffic.await_quiet()

    def _sign_in(self, name: str, password: str) -> None:
        self.page.locator("input").nth(0).fill(name)
        self.page.locator("input[type=password]").fill(password)
        self.page.get_by_role("button", name="Login").click()

    def close(self) -> None:
        self._context.close()

    def say(self, text: str, *, answer: str) -> None:
        """Sends a message and waits until exactly this answer has been given."""
        self.send(text)
        self.await_last(answer)

    def send(self, text: str) -> None:
        self.page.fill("#chat-input textarea", text)
        self.page.wait_for_function("text => document.querySelector('#chat-input textarea').value === text", arg=text)
        self.page.click("#Generate")

    def await_last(self, text: str) -> None:
        """Until this is the last message of the chat and nothing is being written any more."""
        self.page.wait_for_function(_LAST_IS, arg=text)

    def await_part(self, text: str) -> None:
        self.page.wait_for_function(_ANY_HAS, arg=text)

    def await_idle(self) -> None:
        self.page.wait_for_function(_IDLE)

    def talk(self) -> list[str]:
        """The messages shown, as the host holds them."""
        return [text.strip() for text in self.page.evaluate(_TALK)]

    def press(self, selector: str) -> None:
        """Clicks what is hidden in a menu, too."""
        self.page.locator(selector).first.evaluate("it => it.click()")

    def choose_mode(self, mode: str) -> None:
        box = self.page.locator(f'#chat-mode input[value="{mode}"]')
        if not box.is_checked():
            box.evaluate("it => it.click()")
            self.settle()
