"""A person's actions on the host's page in a browser. They wait for visible effects."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise

from playwright.sync_api import Browser, Page, Request, TimeoutError, sync_playwright

PATIENCE_MS = 60_000
QUIET_S = 0.6
LOST_S = 8.0
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
_CLICK = "it => it.click()"
_TALK = "() => [...document.querySelectorAll('#chat [data-raw]')].map(it => it.dataset.raw)"
_HAS = f"text => ({_TALK})().some(raw => raw.includes(text))"
_IDLE = "() => !document.querySelector('._generating')"
_ENDS_IN = f"text => ({_IDLE})() && ({_TALK})().at(-1)?.trim() === text"


@contextmanager
def browser(executable: str | None) -> Iterator[Browser]:
    """Launches the given Chromium, else the system's, else Playwright's own."""
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
        self.begun = 0
        page.on("request", self._begin)
        page.on("requestfinished", self._end)
        page.on("requestfailed", self._end)

    def await_quiet(self, *, after: int) -> None:
        """Until more than `after` events began and none is under way: chains follow quickly.

        What began or ended too long ago is not waited for: Playwright may miss a stream's end.
        """
        self._last = time.monotonic()
        while True:
            still = time.monotonic() - self._last
            busy = self.begun <= after or bool(self._streams)
            if still > LOST_S or (still > QUIET_S and not busy):
                return
            self._page.wait_for_timeout(50)

    def _begin(self, request: Request) -> None:
        self.begun += "/queue/join" in request.url
        if "/queue/" in request.url:
            self._last = time.monotonic()
        if "/queue/data" in request.url:
            self._streams.add(request)

    def _end(self, request: Request) -> None:
        if request in self._streams:
            self._streams.remove(request)
            self._last = time.monotonic()


class ChatPage:
    """One open page of the host. Each method returns when its effect is visible."""

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
        self._await_values(after=0)

    def _sign_in(self, name: str, password: str) -> None:
        self.page.get_by_label("username").fill(name)
        self.page.get_by_label("password").fill(password)
        self.page.get_by_role("button", name="Login").click()

    def _await_values(self, *, after: int) -> None:
        """The page asks the host for its values after it is shown."""
        self.page.wait_for_selector("#chat-input textarea")
        self.page.wait_for_selector("#chat", state="attached")
        self._traffic.await_quiet(after=after)

    def reload(self) -> None:
        before = self._traffic.begun
        self.page.reload(wait_until="domcontentloaded")
        self._await_values(after=before)

    def close(self) -> None:
        self._context.close()

    def say(self, text: str, *, answer: str) -> None:
        """Sends a message; returns when exactly this answer has been given.

        On a busy machine the page may miss a redrawing; opened anew it shows what the host has.
        """
        self.send(text)
        try:
            self.await_last(answer)
        except TimeoutError:
            self.reload()
            self.await_last(answer)
        if self.talk()[-2:-1] != [text.strip()]:
            self.reload()

    def send(self, text: str) -> None:
        self.page.fill("#chat-input textarea", text)
        self.page.click("#Generate")

    def await_part(self, text: str) -> None:
        """Waits until a part of an answer is shown."""
        self.page.wait_for_function(_HAS, arg=text)

    def await_last(self, text: str) -> None:
        """Waits until this is the chat's last message and nothing is being written."""
        self.page.wait_for_function(_ENDS_IN, arg=text, timeout=PATIENCE_MS / 2)

    def talk(self) -> list[str]:
        """Returns the messages shown, each as the host holds it."""
        return [str(text).strip() for text in self.page.evaluate(_TALK)]

    def exchanges(self) -> list[tuple[str, str]]:
        """Returns the conversation in pairs, without the character's greeting."""
        talk = self.talk()
        return list(pairwise(talk[len(talk) % 2 :]))[::2]

    def new_chat(self) -> None:
        self.act("#new-chat-btn")

    def new_incognito_chat(self) -> None:
        self.act("#incognito-chat-btn")

    def regenerate(self, *, answer: str) -> None:
        self.act("#Regenerate")
        self.await_last(answer)

    def stop(self) -> None:
        self.act("#stop")
        self.page.wait_for_function(_IDLE)

    def remove_last(self) -> None:
        self.act("#Remove-last")

    def choose_mode(self, mode: str) -> None:
        """Repeats the choice if values that arrive late on a new page undo it."""
        box = f'#chat-mode input[value="{mode}"]'
        for _ in range(3):
            if not self.page.locator(box).is_checked():
                self.act(box)
        assert self.page.locator(box).is_checked(), f"the mode does not become {mode}"

    def edit(self, place: int, text: str) -> None:
        """Rewrites the message at this position of the conversation (-1: the last answer)."""
        message = self.page.locator("#chat [data-raw]").nth(place)
        message.locator(".footer-edit-button").evaluate(_CLICK)
        message.locator(".editing-textarea").fill(text)
        before = self._traffic.begun
        message.locator(".edit-control-button").first.evaluate(_CLICK)
        self._traffic.await_quiet(after=before)

    def context_box(self) -> str:
        return self.page.locator("#character-context textarea").input_value()

    def open_tab(self, name: str) -> None:
        self.page.locator(".header_bar button").get_by_text(name, exact=True).click()

    def act(self, selector: str) -> None:
        """Clicks an element, even in a closed menu. Returns when all its events have ended."""
        self.following(lambda: self.page.locator(selector).first.evaluate(_CLICK))

    def following(self, act: Callable[[], None]) -> None:
        """Runs the action. Returns when all its events have ended."""
        before = self._traffic.begun
        act()
        self._traffic.await_quiet(after=before)
