"""One visit: a browser goes through steps on a page, and no error may appear there."""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, ConsoleMessage, Error, Page, expect, sync_playwright

from .visit import DESK, FLAGS, PATIENCE_MS, Step, Visit

CHROMIUM = "/usr/bin/chromium"

KNOWN_ERRORS = (
    # Gradio 4.37 at each upload, which succeeds: its progress bar is handed a loose method.
    "Cannot set properties of undefined (setting 'abort_controller')",
    # Gradio 4.37 asks for fonts from elsewhere.
    "Unable to preload CSS for https://fonts.googleapis.com/",
    # Gradio 6 of the stream that a step cut by opening the page anew.
    "BodyStreamBuffer was aborted",
    "Connection errored out.",
)
# Gradio 4.37 asks for it and has none.
KNOWN_MISSING = ("/manifest.json", "/favicon.ico")


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A page with memories of its own. `serve` takes an empty folder and yields the address."""

    name: str
    serve: Callable[[Path], AbstractContextManager[str]]
    locale: str = "en-GB"


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        expect.set_options(timeout=PATIENCE_MS)
        try:
            yield browser
        finally:
            browser.close()


def walk(browser: Browser, site: Site, steps: Sequence[Step], shots: Path) -> None:
    """Does the steps on the page of this site. Exits with the errors of the page, if any."""
    shots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, site.serve(Path(folder)) as address:
        page = browser.new_page(viewport=DESK, locale=site.locale)
        page.set_default_timeout(PATIENCE_MS)
        faults = gather_errors(page, address)
        visit = Visit(page, shots, Path(folder), address)
        page.goto(address, wait_until="domcontentloaded")
        go_through(visit, steps)
        page.close()
    if faults:
        sys.exit(f"errors on the page: {faults}")


def go_through(visit: Visit, steps: Sequence[Step]) -> None:
    """Does the steps; if one fails, keeps a picture of the page as it is then."""
    done = False
    try:
        for step in steps:
            started = time.monotonic()
            step(visit)
            sys.stdout.write(f"ok {step.__name__} ({time.monotonic() - started:.1f} s)\n")
            sys.stdout.flush()
        done = True
    finally:
        if not done:
            visit.keep("failed")


def gather_errors(page: Page, address: str) -> list[str]:
    """Returns a list to which each error of the page will be added."""
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.extend(raised_errors(error)))
    page.on("console", lambda message: faults.extend(told_errors(message, address)))
    return faults


def raised_errors(error: Error) -> list[str]:
    """Returns an exception of this page, unless it is a known one of Gradio's."""
    return [] if is_known(str(error)) else [str(error)]


def told_errors(message: ConsoleMessage, address: str) -> list[str]:
    """Returns the errors of this page; what it cannot load from elsewhere is Gradio's matter."""
    url = str(message.location.get("url", ""))
    is_foreign = message.text.startswith("Failed to load resource") and not url.startswith(address)
    is_missing = any(url.endswith(name) for name in KNOWN_MISSING)
    is_fault = message.type == "error" and not (is_foreign or is_missing)
    return [message.text] if is_fault and not is_known(message.text) else []


def is_known(text: str) -> bool:
    return any(known in text for known in KNOWN_ERRORS)
