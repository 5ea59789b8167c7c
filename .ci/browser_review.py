"""Questions, review and diary in Debian's chromium, over a made-up history; keeps screenshots.

usage: browser_review.py FOLDER
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))
os.environ.update({"GRADIO_ANALYTICS_ENABLED": "False", "HF_HUB_OFFLINE": "1"})

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
DESK, PHONE = ViewportSize(width=1280, height=900), ViewportSize(width=390, height=844)
DAY = 86_400.0
ROOM = {"en": "Memories", "zh": "记忆"}
FACTS = {
    "en": (
        "Alex rows on the lake every Tuesday.",
        "Alex bought an old kayak.",
        "Alex swims in the river in summer.",
    ),
    "zh": ("小安每周二在湖上划船。", "小安买了一条旧皮划艇。", "小安夏天在河里游泳。"),
}
INSIGHT = {
    "en": "Alex spends much of the free time on and in the water.",
    "zh": "小安的闲暇时间大多在水上和水里度过。",
}
HOMES = {
    "en": ("Alex lives in Porto.", "Alex lives in Lisbon."),
    "zh": ("小安住在波尔图。", "小安住在里斯本。"),
}
ASKED = {
    "en": ("Please remember that I am allergic to walnuts.", "Alex is allergic to walnuts."),
    "zh": ("请记住我对核桃过敏。", "小安对核桃过敏。"),
}
QUESTION = {"en": "What do I do in my free time?", "zh": "我闲暇时喜欢做什么？"}  # noqa: RUF001
ANSWER = {
    "en": "You row every Tuesday, swim in the river, and have an old kayak.",
    "zh": "你每周二划船，在河里游泳，还有一条旧皮划艇。",  # noqa: RUF001
}
PAGE = {"en": "I was on the lake today and saw a heron.", "zh": "我今天在湖上看见了一只苍鹭。"}
LOCALES = (("en", "en-GB"), ("zh", "zh-CN"))
TOLD = {"en": ("Settled.", "Kept as a note", "Saved.", "Undone."),
        "zh": ("已决定。", "已记为笔记", "已保存。", "已撤销。")}  # fmt: skip
PRESSED = {
    "en": ("Ask", "This one, it is newer", "Keep", "Draft from the chat", "Save the page", "Undo"),
    "zh": ("提问", "这个对，它更新", "保留", "根据聊天起草", "保存这一页", "撤销"),  # noqa: RUF001
}


def fill(program: Any, language: str) -> None:  # noqa: ANN401
    """Writes exchanges, facts, an insight and a doubtful pair, as a language model makes them."""
    from memory_core.domain.derivations import Derivation
    from memory_core.domain.namespaces import Namespace
    from memory_core.domain.records import Exchange, MemoryKind
    from memory_core.memory.derived_memories import DerivedMemories, NewDerived

    memory, space = program.runtime.memory, Namespace("Alex", "Nora")
    derived, now = DerivedMemories(memory), datetime.now().timestamp()

    def say(text: str, ts: float) -> str:
        said = Exchange(user=text, assistant="…", user_name="Alex", assistant_name="Nora", ts=ts)
        return str(memory.remember(space, "20260503-14-05-09", said))

    def note(text: str, sources: Sequence[str], kind: MemoryKind, key: str) -> str:
        with memory.open_namespace(space) as archive:
            seqs = {name: entry.seq for name, entry in archive.records(sources).items()}
        own = Derivation(made_by="qwen3-4b", subject="Alex", key=key)
        return str(derived.add(space, NewDerived(kind=kind, text=text, sources=seqs, derived=own)))

    fact = MemoryKind.OBSERVATION
    facts = [
        note(text, [say(text, now - (9 - number) * DAY)], fact, "sport")
        for number, text in enumerate(FACTS[language])
    ]
    note(INSIGHT[language], facts, MemoryKind.INSIGHT, "leisure")
    first, second = (
        note(text, [say(text, now - age * DAY)], fact, "home")
        for text, age in zip(HOMES[language], (40, 3), strict=True)
    )
    derived.doubt(space, second, [first])
    note(ASKED[language][1], [say(ASKED[language][0], now - 2 * DAY)], fact, "allergy")
    say(PAGE[language], now)


def replies(language: str) -> Any:  # noqa: ANN401
    def reply(turns: Sequence[Any]) -> str:
        if "MEMORIES" in turns[-1].text or "记忆" in turns[-1].text:
            answer = {"answer": ANSWER[language], "used": [1, 2], "enough": True}
        else:
            answer = {"page": PAGE[language]}
        return json.dumps(answer, ensure_ascii=False)

    return reply


@contextmanager
def served(folder: Path, language: str, *, with_model: bool) -> Iterator[str]:
    import gradio as gr

    from memory_core.providers.llm.fake import ScriptedLLM
    from memory_core.ui.demo.program import Program
    from memory_core.ui.tab.page import build

    program = Program(folder, {})
    fill(program, language)
    if with_model:
        models = program.runtime.models
        program.runtime._models = replace(
            models, llm=ScriptedLLM(replies(language), name="qwen3-4b")
        )
    with gr.Blocks() as blocks:
        build(program.administration)
    _, address, _ = blocks.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
    try:
        yield address
    finally:
        blocks.close()
        program.runtime.close()


class Visit:
    def __init__(self, page: Page, shots: Path, language: str) -> None:
        self.page, self._shots, self.language = page, shots, language

    def shot(self, name: str) -> None:
        self.page.wait_for_timeout(300)
        self.page.screenshot(path=self._shots / f"{self.language}-{name}.png", full_page=True)

    def press(self, number: int, within: str) -> None:
        name = PRESSED[self.language][number]
        self.page.locator(within).get_by_role("button", name=name).first.click()

    def shows(self, text: str, within: str) -> None:
        expect(self.page.locator(within)).to_contain_text(text)

    def opens(self, address: str, theme: str = "light") -> None:
        self.page.goto(f"{address}?__theme={theme}", wait_until="domcontentloaded")
        expect(self.page.locator("#ltm-facts p").first).to_be_visible()
        self.page.locator("#ltm-who input").click()
        self.page.get_by_role("option", name="Alex / Nora").click()
        self.page.get_by_role("tab", name=ROOM[self.language], exact=True).click()
        self.page.locator("#ltm-review button").first.click()
        self.page.get_by_role("button", name={"en": "Diary", "zh": "日记"}[self.language]).click()
        self.shows(INSIGHT[self.language], "#ltm-review-content")
        expect(self.page.locator("#ltm-diary-content input[name=day]")).to_be_visible()


def asks(visit: Visit) -> None:
    visit.page.locator("#ltm-ask-question").locator("textarea, input").fill(
        QUESTION[visit.language]
    )
    visit.press(0, "#ltm-tab")
    visit.shows(ANSWER[visit.language], "#ltm-ask-answer")
    visit.shot("asked")


def reviews(visit: Visit) -> None:
    settled, kept, _, undone = TOLD[visit.language]
    visit.press(1, "#ltm-review-content")
    visit.shows(settled, "#ltm-review-content")
    visit.press(2, "#ltm-review-content")
    visit.shows(kept, "#ltm-review-content")
    visit.shot("reviewed")
    visit.press(5, "#ltm-review-content")
    visit.shows(undone, "#ltm-review-content")


def keeps_a_diary(visit: Visit) -> None:
    visit.press(3, "#ltm-diary-content")
    expect(visit.page.locator("#ltm-diary-content textarea")).to_have_value(PAGE[visit.language])
    visit.shot("drafted")
    visit.press(4, "#ltm-diary-content")
    visit.shows(TOLD[visit.language][2], "#ltm-diary-content")
    visit.shows("qwen3-4b", "#ltm-diary-content")
    visit.shot("diary")


def walk(page: Page, shots: Path, language: str) -> None:
    visit = Visit(page, shots, language)
    with (
        tempfile.TemporaryDirectory() as name,
        served(Path(name), language, with_model=True) as address,
    ):
        visit.opens(address)
        visit.shot("opened")
        for step in (asks, reviews, keeps_a_diary):
            step(visit)
            sys.stdout.write(f"ok {language} {step.__name__}\n")
        for theme, size in (("dark", DESK), ("light", PHONE)):
            page.set_viewport_size(size)
            visit.opens(address, theme)
            visit.shot(f"look-{theme}-{size['width']}")
        page.set_viewport_size(DESK)


def main() -> None:
    shots = Path(sys.argv[1])
    shots.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=40_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        faults: list[str] = []
        for language, locale in LOCALES:
            page = browser.new_page(viewport=DESK, locale=locale)
            page.set_default_timeout(40_000)
            page.on("pageerror", lambda error: faults.append(str(error)))
            try:
                walk(page, shots, language)
            except Exception:
                page.screenshot(path=shots / "failed.png", full_page=True)
                raise
        browser.close()
    if faults:
        sys.exit(f"errors on the page: {faults}")


if __name__ == "__main__":
    main()
