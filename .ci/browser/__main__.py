"""The page as a person uses it, in Debian's chromium; keeps screenshots in the folder named.

usage: python .ci/browser [--tab-only] [--full] [--only ROOM[,ROOM]] FOLDER
  --tab-only   the memory tab alone, in whatever Gradio this Python has (the host's is 4.37)
  --full       every theme with every width and language, not only each pair of two
  --only       the steps of these rooms alone: chat, now, views (axe), clicks,
               memories, transfer, settings, danger, many, languages
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import ConsoleMessage, Error, expect, sync_playwright

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent)]

from browser import chat, clicks, languages, many, memories, now, settings, transfer, views  # noqa: E402
from browser.demo import demo, tab_alone  # noqa: E402
from browser.visit import DESK, FLAGS, PATIENCE_MS, Step, Visit  # noqa: E402

# Gradio 4.37 raises it at each upload, which succeeds: its progress bar is handed a loose method.
KNOWN_FAULTS = {"Cannot set properties of undefined (setting 'abort_controller')"}
# Gradio 6 tells of the stream that a step cut by opening the page anew.
KNOWN_CUTS = ("BodyStreamBuffer was aborted", "Connection errored out.")
# Gradio 4.37 asks for it and has none.
KNOWN_MISSING = ("/manifest.json", "/favicon.ico")


def rooms(*, alone: bool, shown_views: Sequence[Step]) -> dict[str, Sequence[Step]]:
    """Returns each room's steps, in the order in which they can follow each other."""
    return {
        "chat": () if alone else chat.STEPS,
        "now": now.ALONE if alone else now.IN_THE_DEMO,
        "views": shown_views,
        "transfer": transfer.STEPS,
        "settings": settings.STEPS,
        "clicks": () if alone else clicks.STEPS,
        "memories": memories.STEPS,
        "danger": settings.LAST,
        "many": many.STEPS,
        "languages": languages.STEPS,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tab-only", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("shots", type=Path)
    asked = parser.parse_args()
    asked.shots.mkdir(parents=True, exist_ok=True)
    shown = views.EVERY if asked.full else views.STEPS
    known = rooms(alone=asked.tab_only, shown_views=shown)
    wanted = asked.only.split(",") if asked.only else list(known)
    steps = [step for name in wanted for step in known[name]]
    serve = tab_alone if asked.tab_only else demo
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder)) as address:
        walk(address, steps, asked.shots, Path(folder))


def raised_errors(error: Error) -> list[str]:
    """Returns an exception of this page, unless it is a known one of Gradio's."""
    text = str(error)
    is_known = text in KNOWN_FAULTS or any(cut in text for cut in KNOWN_CUTS)
    return [] if is_known else [text]


def told_errors(message: ConsoleMessage, address: str) -> list[str]:
    """Returns the errors of this page; what it cannot load from elsewhere is Gradio's matter."""
    url = str(message.location.get("url", ""))
    is_foreign = message.text.startswith("Failed to load resource") and not url.startswith(address)
    is_known = any(url.endswith(name) for name in KNOWN_MISSING)
    is_known |= any(cut in message.text for cut in KNOWN_CUTS)
    return [] if message.type != "error" or is_foreign or is_known else [message.text]


def walk(address: str, steps: Sequence[Step], shots: Path, folder: Path) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        page = browser.new_page(viewport=DESK, locale="en-GB")
        page.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.extend(raised_errors(error)))
        page.on("console", lambda message: faults.extend(told_errors(message, address)))
        page.goto(address, wait_until="domcontentloaded")
        visit = Visit(page, shots, folder, address)
        try:
            for step in steps:
                step(visit)
                sys.stdout.write(f"ok {step.__name__}\n")
        except Exception:  # a failed expectation or whatever else: the page as it is then
            visit.shot("failed")
            raise
        finally:
            browser.close()
        if faults:
            sys.exit(f"errors on the page: {faults}")


if __name__ == "__main__":
    main()
