"""The page as a person uses it, in Debian's chromium; keeps screenshots in the folder named.

usage: browser.py [--tab-only] FOLDER
  --tab-only   the memory tab alone, in whatever Gradio this Python has (the host's is 4.37)
"""

import argparse
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Locator, Page, ViewportSize, expect, sync_playwright

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))
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
PATIENCE_MS = 20_000
DESK, PHONE = ViewportSize(width=1400, height=1000), ViewportSize(width=420, height=900)
ENVIRON = {"GRADIO_ANALYTICS_ENABLED": "False", "HF_HUB_OFFLINE": "1"}

CAT = "What is my cat called, and where did I find him?"
MANGO = "我对什么水果过敏？"  # noqa: RUF001
EDITED = "He is called Biscuit the Brave <b>now</b>."


class Visit:
    """One page, and the things that are done on it more than once."""

    def __init__(self, page: Page, shots: Path, folder: Path) -> None:
        self.page = page
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


def talks(visit: Visit) -> None:
    """Asks in English and in Chinese; the answer and the tab show the right memory."""
    expect(visit.at("chat")).to_contain_text("Crumb")
    visit.shot("chat-opens-on-a-sample")
    for character, question, answer in (("Mira", CAT, "Rua da Rosa"), ("小岚", MANGO, "芒果过敏")):
        visit.choose("character", character)
        visit.says("questions", question)
        visit.at("new-chat").click()
        expect(visit.at("chat")).not_to_contain_text("Crumb")
        visit.at("message").locator("textarea").fill(question)
        visit.at("send").click()
        expect(visit.at("chat")).to_contain_text(answer)
        visit.shot(f"chat-{character}")
        visit.tab("Long-term memory")
        used_shows(visit, question, answer)
        visit.shot(f"used-{character}")
        visit.tab("Chat")
    visit.choose("character", "Mira")
    visit.says("questions", CAT)
    expect(visit.page.locator(".toast-body.error")).to_have_count(0)


def used_shows(visit: Visit, question: str, answer: str) -> None:
    visit.says("ltm-turn", question[:10])
    expect(visit.at("ltm-injected")).to_contain_text(answer)
    expect(visit.at("ltm-injected")).to_contain_text("replayed turns")
    expect(visit.at("ltm-injected")).to_contain_text("words ")


def turns_a_knob(visit: Visit) -> None:
    """A good value lands in the file; a bad one is told and lands nowhere."""
    visit.tab("Settings")
    visit.page.locator("button", has_text=re.compile("^Recall")).click()
    lines = visit.at("ltm-knob-recall-lines").locator("input")
    expect(lines).to_have_value("6")
    lines.fill("4")
    visit.at("ltm-save").click()
    visit.says("ltm-saved", "recall.lines")
    require(saved(visit.folder)["recall"] == {"lines": 4}, "lines = 4 is not in the file")
    lines.fill("-1")
    visit.at("ltm-save").click()
    visit.says("ltm-saved", "recall.lines = -1")
    require(saved(visit.folder)["recall"] == {"lines": 4}, "lines = 4 is not in the file")
    visit.shot("settings")
    visit.press("Discard changes")
    expect(lines).to_have_value("4")


def require(condition: bool, told: str) -> None:
    if not condition:
        sys.exit(told)


def saved(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "ltm_config.json").read_bytes())
    return found


def finds_and_edits(visit: Visit) -> None:
    visit.tab("All memories")
    expect(visit.at("ltm-memories")).to_contain_text("Crumb")
    visit.shot("browser")
    search(visit, "ginger cat")
    expect(visit.at("ltm-memories")).not_to_contain_text("Pepper")
    select(visit, "one-eyed ginger cat")
    visit.at("ltm-user-side").locator("textarea").fill(EDITED)
    visit.press("Save changes")
    visit.says("ltm-told", "Changed.")
    search(visit, "Biscuit the Brave")
    expect(visit.at("ltm-memories")).to_contain_text(EDITED)
    visit.shot("edited")
    visit.press("Pin")
    visit.says("ltm-told", "Pinned")


def forgets_and_erases(visit: Visit) -> None:
    visit.press("Forget")
    visit.says("ltm-told", "Forgotten.")
    expect(visit.at("ltm-memories")).not_to_contain_text(EDITED)
    visit.says("ltm-forgotten", "Biscuit the Brave")
    visit.shot("forgotten")
    visit.press("Bring back")
    expect(visit.at("ltm-memories")).to_contain_text(EDITED)
    select(visit, EDITED)
    visit.press("Forget")
    visit.says("ltm-told", "Forgotten.")
    visit.press("Erase now")
    visit.says("ltm-told", "1 memory erased")
    files = [path.read_text("utf-8") for path in visit.folder.rglob("conversations/*.jsonl")]
    require(
        not any("Biscuit the Brave" in file for file in files), "erased words are still on disk"
    )


def search(visit: Visit, text: str) -> None:
    field = visit.at("ltm-search").locator("textarea, input")
    field.fill(text)
    field.press("Enter")


def select(visit: Visit, text: str) -> None:
    """The last one found: Gradio 4 keeps a hidden copy of the table before it."""
    visit.at("ltm-memories").get_by_text(text).locator("visible=true").last.click()
    visit.says("ltm-user-side", text)


def destroys(visit: Visit) -> None:
    """Only what is named exactly, and with a backup."""
    visit.tab("Reload and delete")
    visit.at("ltm-reload").click()
    name = visit.at("ltm-destroy-name").locator("textarea, input")
    name.fill("mira")
    visit.at("ltm-destroy").click()
    visit.says("ltm-destroyed", "Nothing was deleted")
    visit.shot("destroy")
    expect(name).to_have_value("")  # emptied with the answer
    name.fill("Mira")
    visit.at("ltm-destroy").click()
    visit.says("ltm-destroyed", ".zip")
    backups = list((visit.folder / "backups").glob("*.zip"))
    require(len(backups) == 1, f"not one backup: {backups}")
    visit.says("ltm-destroy-help", "小岚")
    visit.shot("destroyed")


def speaks_chinese(visit: Visit) -> None:
    visit.page.get_by_label("中文").check()
    visit.tab("已用记忆")
    expect(visit.at("ltm-injected")).to_contain_text("内容")
    visit.tab("设置")
    visit.shot("settings-zh")
    visit.tab("已用记忆")
    visit.shot("used-zh")


HEADS_FIT = """() => {
    const heads = [...document.querySelectorAll("#ltm-memories th")].map(it => it.offsetHeight);
    return heads.length > 0 && heads.every(it => it < 90);
}"""


def fits_a_phone(visit: Visit) -> None:
    """Tables scroll there; no word of their heads stands in letters below each other."""
    visit.page.set_viewport_size(PHONE)
    visit.page.wait_for_function(HEADS_FIT)
    visit.shot("phone")
    visit.page.set_viewport_size(DESK)


TAB: tuple[Callable[[Visit], None], ...] = (
    turns_a_knob,
    finds_and_edits,
    fits_a_phone,
    forgets_and_erases,
    destroys,
    speaks_chinese,
)


@contextmanager
def demo(folder: Path) -> Iterator[str]:
    """The demo as a program of its own; its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "memory_core.ui.demo"]
    command += ["--port", str(port), "--folder", str(folder)]
    program = subprocess.Popen(  # noqa: S603
        command, cwd=PROJECT, env={**os.environ, **ENVIRON}, stdout=subprocess.PIPE, text=True
    )
    try:
        wait_for_line(program, "Running on")
        yield f"http://127.0.0.1:{port}/"
    finally:
        program.terminate()
        program.wait()


def wait_for_line(program: "subprocess.Popen[str]", text: str) -> None:
    for line in program.stdout or ():
        if text in line:
            return
    sys.exit("the demo did not start")


@contextmanager
def tab_alone(folder: Path) -> Iterator[str]:
    """The tab beside another one, as in the host, over the demo's memories; its address."""
    os.environ.update(ENVIRON)
    import gradio as gr

    from memory_core.ui.demo.program import Program
    from memory_core.ui.tab.page import build

    program = Program(folder, {})
    for _ in program.session("Alex", "Mira").send(CAT, program.responder()):
        pass
    with gr.Blocks() as blocks:
        with gr.Tab("Chat"):
            gr.Markdown(f"Gradio {gr.__version__}")
        with gr.Tab("Long-term memory"):
            build(program.administration)
    _, address, _ = blocks.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
    try:
        yield address
    finally:
        blocks.close()
        program.runtime.close()


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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tab-only", action="store_true")
    parser.add_argument("shots", type=Path)
    asked = parser.parse_args()
    asked.shots.mkdir(parents=True, exist_ok=True)
    serve = tab_alone if asked.tab_only else demo
    steps = (used_alone, *TAB) if asked.tab_only else (talks, used_in_the_demo, *TAB)
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder)) as address:
        walk(address, steps, asked.shots, Path(folder))


def walk(
    address: str, steps: tuple[Callable[[Visit], None], ...], shots: Path, folder: Path
) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        page = browser.new_page(viewport=DESK)
        page.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(address, wait_until="domcontentloaded")
        visit = Visit(page, shots, folder)
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
