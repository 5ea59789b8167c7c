"""Every view in both themes, both widths and both languages, held against axe-core's rules.

`build/axe.json` lists all that is serious, by version of Gradio. What Gradio itself writes is
known by rule and selector (GRADIO); anything else is a failure.
"""

import json
from importlib import metadata, resources
from typing import Any

from playwright.sync_api import Page, ViewportSize

from .visit import DESK, PHONE, PROJECT, Step, Visit, require

REPORT = PROJECT / "build" / "axe.json"
TABS = ("now", "memories", "transfer", "settings")
# Pairwise: each theme, width and language meets each other once.
VIEWS = (
    ("light", DESK, "en"),
    ("dark", PHONE, "en"),
    ("dark", DESK, "zh"),
    ("light", PHONE, "zh"),
)
SERIOUS = ("serious", "critical")
Fault = dict[str, str]


def holds_the_rules(visit: Visit) -> None:
    found = [fault for view in VIEWS for fault in _faults_of(visit, *view)]
    _open(visit, "light", DESK, "en")
    _report(found)
    ours = [fault for fault in found if not fault["gradio"]]
    told = "\n".join(f"{fault['view']}: {fault['rule']} {fault['selector']}" for fault in ours)
    require(not ours, f"axe-core finds:\n{told}")


def _faults_of(visit: Visit, theme: str, size: ViewportSize, language: str) -> list[Fault]:
    _open(visit, theme, size, language)
    faults: list[Fault] = []
    for tab in TABS:
        _select(visit.page, f"ltm-{tab}-tab")
        name = f"{tab}-{theme}-{size['width']}-{language}"
        visit.shot(name)
        faults += [{"view": name, **fault} for fault in _run(visit.page)]
    return faults


def _open(visit: Visit, theme: str, size: ViewportSize, language: str) -> None:
    page = visit.page
    page.set_viewport_size(size)
    page.evaluate("language => localStorage.setItem('ltm-language', language)", language)
    page.goto(f"{visit.address}?__theme={theme}", wait_until="domcontentloaded")
    page.wait_for_function("() => document.querySelector('#ltm-search')")
    visit.tab("Long-term memory")
    pause = "暂停" if language == "zh" else "Pause"
    visit.says("ltm-pause", pause)
    page.wait_for_timeout(800)  # panels are drawn one after the other


def _select(page: Page, tab: str) -> None:
    """Chooses the tab, also where it is folded into a menu on a narrow page."""
    button = page.locator(f"#{tab}-button")
    if button.first.is_visible():
        button.first.click()
    else:
        page.locator(".overflow-menu > button").last.click()
        page.locator(f".overflow-dropdown button#{tab}-button, .overflow-dropdown button").nth(
            0
        ).click()
    page.wait_for_timeout(500)


def _run(page: Page) -> list[Fault]:
    script = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    page.evaluate(script)
    found: dict[str, Any] = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        {
            "rule": violation["id"],
            "impact": violation["impact"],
            "selector": " ".join(map(str, node["target"])),
            "html": node["html"][:200],
            "gradio": _gradio_reason(violation["id"], node),
        }
        for violation in found["violations"]
        if violation["impact"] in SERIOUS
        for node in violation["nodes"]
    ]


GRADIO: tuple[tuple[str, str, str], ...] = ()


def _gradio_reason(rule: str, node: dict[str, Any]) -> str:
    text = f"{' '.join(map(str, node['target']))} {node['html']}"
    return next((why for name, sign, why in GRADIO if name == rule and sign in text), "")


def _report(found: list[Fault]) -> None:
    known = json.loads(REPORT.read_text("utf-8")) if REPORT.exists() else {}
    known[f"gradio {metadata.version('gradio')}"] = found
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(json.dumps(known, ensure_ascii=False, indent=1), encoding="utf-8")


STEPS: tuple[Step, ...] = (holds_the_rules,)
