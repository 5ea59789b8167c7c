"""Every room in both themes, both widths and both languages, held against axe-core's rules.

Two views hold all of them; with --full, each theme meets each width and language.

`axe.json`, beside the pictures, lists all that is serious. What Gradio itself writes is
known by rule and selector (GRADIO); anything else is a failure.
"""

from collections.abc import Sequence
from importlib import resources
from itertools import product
from typing import Any

from playwright.sync_api import Page, ViewportSize

from .visit import DESK, PHONE, Step, Visit, require

TABS = ("answer", "memories", "transfer", "settings")
SERIOUS = ("serious", "critical")
Fault = dict[str, str]
View = tuple[str, ViewportSize, str]

# Each room once in each theme, each width and each language.
VIEWS: tuple[View, ...] = (("light", DESK, "en"), ("dark", PHONE, "zh"))
EVERY_VIEW: tuple[View, ...] = tuple(product(("light", "dark"), (DESK, PHONE), ("en", "zh")))


def holds_the_rules(visit: Visit) -> None:
    _hold_rules(visit, VIEWS)


def holds_the_rules_in_every_view(visit: Visit) -> None:
    _hold_rules(visit, EVERY_VIEW)


def _hold_rules(visit: Visit, views: Sequence[View]) -> None:
    found = [fault for view in views for fault in _faults_of(visit, view)]
    _open(visit, "light", DESK, "en")
    require_none(visit, found)


def require_none(visit: Visit, found: Sequence[Fault]) -> None:
    """Reports the faults. Exits if one of them is not Gradio's own."""
    visit.report("axe", found)
    ours = [fault for fault in found if not fault["gradio"]]
    told = "\n".join(f"{fault['view']}: {fault['rule']} {fault['selector']}" for fault in ours)
    require(not ours, f"axe-core finds:\n{told}")


def find_faults(visit: Visit, name: str) -> list[Fault]:
    """Returns the serious faults that axe-core finds on the page as it is."""
    visit.settles()
    return [{"view": name, **fault} for fault in _run(visit.page)]


def _faults_of(visit: Visit, view: View) -> list[Fault]:
    theme, size, language = view
    _open(visit, theme, size, language)
    faults = _faults_of_the_chat(visit, f"chat-{theme}-{size['width']}-{language}")
    for index, tab in enumerate(TABS):
        _select(visit, index)
        _unfold_all(visit)
        name = f"{tab}-{theme}-{size['width']}-{language}"
        visit.shot(name)
        faults += find_faults(visit, name)
    return faults


def _faults_of_the_chat(visit: Visit, name: str) -> list[Fault]:
    """Looks at the demo's own page, with one answer explained; the tab alone has none."""
    if not visit.at("chat").count():
        return []
    visit.outer_tab(0)
    visit.page.evaluate(
        "() => { for (const fold of document.querySelectorAll('#chat details')) fold.open = true }"
    )
    visit.shot(name)
    faults = find_faults(visit, name)
    visit.outer_tab(1)
    return faults


def _open(visit: Visit, theme: str, size: ViewportSize, language: str) -> None:
    visit.page.evaluate("language => localStorage.setItem('ltm-language', language)", language)
    visit.open_anew(theme, size)
    visit.says("ltm-refresh", "刷新" if language == "zh" else "Refresh")


# On a narrow page Gradio 6 folds the last tabs into a menu, where they have no ids.
_CLICK = """index => {
    const first = document.querySelector('[role=tab][id^=ltm-]');
    const menu = first.closest('.tab-wrapper')?.querySelectorAll('.overflow-dropdown button') || [];
    [...first.parentElement.querySelectorAll('[role=tab]'), ...menu][index].click();
}"""


def _select(visit: Visit, index: int) -> None:
    visit.page.evaluate(_CLICK, index)
    visit.settles()


def _unfold_all(visit: Visit) -> None:
    """Opens everything that is folded: what is hidden is held against no rule."""
    visit.page.evaluate(
        "() => {"
        " for (const fold of document.querySelectorAll('#ltm-tab details')) fold.open = true;"
        " for (const fold of document.querySelectorAll('#ltm-tab button.label-wrap:not(.open)'))"
        " if (fold.offsetParent) fold.click(); }"
    )
    visit.settles()


def _run(page: Page) -> list[Fault]:
    script = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    page.evaluate(script)
    # Around the tab lies the host's own page; the demo's page is ours. "preload" would ask other
    # servers for Gradio's fonts, again for each view.
    found: dict[str, Any] = page.evaluate(
        "() => axe.run(document.querySelector('#chat') ? document : '#ltm-tab',"
        " {resultTypes: ['violations'], preload: false})"
    )
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


# Rule, part of the selector or markup, and why neither CSS nor a script can mend it.
GRADIO: tuple[tuple[str, str, str], ...] = ()


def _gradio_reason(rule: str, node: dict[str, Any]) -> str:
    text = f"{' '.join(map(str, node['target']))} {node['html']}"
    return next((why for name, sign, why in GRADIO if name == rule and sign in text), "")


STEPS: tuple[Step, ...] = (holds_the_rules,)
EVERY: tuple[Step, ...] = (holds_the_rules_in_every_view,)
