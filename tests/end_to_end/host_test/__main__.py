"""Runs the tests in each host in turn: python -m tests.end_to_end.host_test --textgen FOLDER…"""

import argparse
import itertools
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser

from . import apart, distance, lasting, settling, tab, talk
from .actions import Actions
from .background import Background
from .everyday import Everyday
from .page import ChatPage, browser
from .panels import Panels
from .report import Report, say
from .running import Running, find_python, running
from .sandbox import MODEL, PROJECT, Route, Sandbox, make_sandbox
from .speakers import ApiSpeaker, PageSpeaker
from .untouched import Kept, check_same, what_is_kept

PARTS = (
    "distance",
    "settling",
    "actions",
    "panels",
    "everyday",
    "background",
    "apart",
    "lasting",
)
BY_ONE_ROUTE = {"actions", "panels", "everyday", "background"}


@dataclass(frozen=True, kw_only=True)
class Run:
    """State that all parts share. Note numbers are never used twice, see scripted_model."""

    host: Path
    python: Path
    models: Path
    folder: Path
    browser: Browser
    parts: Sequence[str]
    report: Report
    notes: Iterator[int] = field(default_factory=lambda: itertools.count(1000))

    def sandbox(self, route: Route, name: str) -> Sandbox:
        folder = self.folder / name
        return make_sandbox(folder, host=self.host, route=route, models=self.models)


def main(arguments: Sequence[str] | None = None) -> int:
    given = _options(arguments)
    folder = Path(tempfile.mkdtemp(prefix="host-test-"))
    with browser(given.browser) as launched:
        reports = [
            one_host(given, host.absolute(), folder / f"{number}-{host.name}", launched)
            for number, host in enumerate(given.textgen, start=1)
        ]
    return _conclude(reports)


def one_host(given: argparse.Namespace, host: Path, folder: Path, launched: Browser) -> Report:
    """Tests one host. A failure, even of its installation, does not stop the next host."""
    folder.mkdir()
    report = Report(folder, host=host.name if len(given.textgen) > 1 else "")
    with report.case("all parts were tried"):
        python = (given.python or find_python(host)).absolute()
        run = Run(
            host=host,
            python=python,
            models=_models(folder, python, given.model_dir),
            folder=folder,
            browser=launched,
            parts=given.only or PARTS,
            report=report,
        )
        whole_run(run)
    return report


def whole_run(run: Run) -> None:
    without_us = without_the_extension(run) if "distance" in run.parts else None
    routes = [Route.USER_DATA] + [Route.EXTENSIONS] * (not BY_ONE_ROUTE.issuperset(run.parts))
    for number, route in enumerate(routes, start=1):
        sandbox = run.sandbox(route, f"run-{number}")
        with run.report.case("the host runs with it and ends", route):
            with running(sandbox, run.python) as host:
                with_the_extension(run, host, without_us)
            if "lasting" in run.parts:
                after_restart(run, sandbox)
    if "apart" in run.parts:
        several_people(run)


@dataclass(frozen=True, slots=True)
class Reference:
    """The conversation on the page of a host without the extension."""

    kept: Kept
    prompts: dict[str, str]


def without_the_extension(run: Run) -> Reference | None:
    sandbox = run.sandbox(Route.ABSENT, "run-0")
    with (
        run.report.case("the host runs alone and ends", Route.ABSENT),
        running(sandbox, run.python) as host,
    ):
        return _talk_by_page(run, host)
    return None


def _talk_by_page(run: Run, host: Running) -> Reference:
    page = ChatPage(run.browser, host.page_url)
    prompts = distance.by_page(PageSpeaker(page, itertools.count()), host, run.report)
    page.close()
    fresh = ChatPage(run.browser, host.page_url)
    kept = what_is_kept(host.sandbox, fresh)
    fresh.close()
    return Reference(kept, prompts)


def with_the_extension(run: Run, host: Running, without_us: Reference | None) -> None:
    route = host.sandbox.route
    if "distance" in run.parts:
        ours = _talk_by_page(run, host)
        with run.report.case("chats, settings.yaml and Context box as without it", route, "page"):
            assert without_us, "the host alone did not run"
            check_same(ours.kept, without_us.kept)
        with run.report.case("without it, the facts had left the window", route, "page"):
            assert without_us, "the host alone did not run"
            for mode, prompt in without_us.prompts.items():
                assert talk.SAME_CHAT[mode].answer not in prompt, mode
        for mode in talk.MODES:
            speaker = ApiSpeaker(host, run.notes, mode=mode, user="far")
            distance.by_api(speaker, mode, host, run.report)
    if "settling" in run.parts:
        _settling(run, host)
    if route is Route.USER_DATA:
        _by_one_route(run, host)
    if "apart" in run.parts:
        _apart(run, host)
    if "lasting" in run.parts:
        _lasting(run, host)
    with run.report.case("no exception in the host's log", route):
        lasting.log_is_clean(host)


def _settling(run: Run, host: Running) -> None:
    page = ChatPage(run.browser, host.page_url)
    page.choose_mode("chat")
    settling.PageSettling(host, page, run.notes).run(run.report)
    title = "a message whose answer was lost with the page stays"
    with run.report.case(title, host.sandbox.route, "chat", "page"):
        page = ChatPage(run.browser, host.page_url)
        page.choose_mode("chat")
        settling.closed_while_answering(host, page, run.notes)
    settling.by_api(host, run.notes, run.report)


def _by_one_route(run: Run, host: Running) -> None:
    """Runs the cases that hardly depend on the way the extension was loaded."""
    if "actions" in run.parts:
        _actions(run, host)
    if "panels" in run.parts:
        Panels(host, run.browser, run.notes).run(run.report)
    if "everyday" in run.parts:
        Everyday(host, run.browser, run.notes).run(run.report)
    if "background" in run.parts:
        Background(host, run.browser, run.notes).run(run.report)


def _actions(run: Run, host: Running) -> None:
    for mode in talk.MODES:
        page = ChatPage(run.browser, host.page_url)
        actions = Actions(host=host, browser=run.browser, page=page, notes=run.notes, mode=mode)
        actions.run(run.report)
        actions.page.close()


def _apart(run: Run, host: Running) -> None:
    route, report = host.sandbox.route, run.report
    with report.case("an incognito chat leaves nothing", route, "chat", "page"):
        page = ChatPage(run.browser, host.page_url)
        page.choose_mode("chat")
        apart.incognito(host, page, run.notes)
        page.close()
    for mode in talk.MODES:
        with report.case("two users do not see each other's memories", route, mode, "API"):
            apart.two_users(host, run.notes, mode)
    with report.case("a call without user is not remembered", route, "chat", "API"):
        apart.without_user(host, run.notes)


def _lasting(run: Run, host: Running) -> None:
    route, report = host.sandbox.route, run.report
    page = ChatPage(run.browser, host.page_url)
    with report.case("the tab is shown", route, "page"):
        picture = run.folder / f"tab-{host.sandbox.folder.name}.png"
        lasting.tab_is_shown(page, tab.NAME, picture)
    page.close()
    with report.case("Apply flags/extensions and restart", route, "chat", "page"):
        page = ChatPage(run.browser, host.page_url)
        page.choose_mode("chat")
        speaker = PageSpeaker(page, run.notes)
        speaker.new_chat()
        speaker.say(lasting.FACT.told)
        lasting.page_restarted(host, run.browser, page, run.notes)


def after_restart(run: Run, sandbox: Sandbox) -> None:
    with (
        run.report.case("a restarted host still knows", sandbox.route, "chat", "page"),
        running(sandbox, run.python) as host,
    ):
        page = ChatPage(run.browser, host.page_url)
        lasting.still_knows(host, page, run.notes)
        page.close()


def several_people(run: Run) -> None:
    sandbox = run.sandbox(Route.USER_DATA, "run-multi-user")
    title = "people who sign in do not see each other's memories"
    with (
        run.report.case(title, sandbox.route, "chat", "page, --multi-user"),
        running(sandbox, run.python, *apart.SIGN_IN_FLAGS) as host,
    ):
        apart.signed_in(host, run.browser, run.notes)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.end_to_end.host_test", description=__doc__
    )
    hosts = "folders of installed hosts, such as versions.py makes"
    parser.add_argument("--textgen", type=Path, required=True, nargs="+", help=hosts)
    parser.add_argument("--python", type=Path, help="their python, where it is not found there")
    parser.add_argument("--model-dir", type=Path, help=f"a folder with a model named {MODEL!r}")
    parser.add_argument("--browser", help="a Chromium, where neither the system has one")
    parser.add_argument("--only", nargs="+", choices=PARTS, help="leave the other parts out")
    return parser.parse_args(arguments)


def _models(folder: Path, python: Path, given: Path | None) -> Path:
    """Makes the model with the host's own python, which has the libraries for that."""
    if given:
        return given.absolute()
    corpus = folder / "corpus.txt"
    documents = sorted((PROJECT / "docs").glob("*.md"))
    texts = [talk.corpus(), *(path.read_text(encoding="utf-8") for path in documents)]
    corpus.write_text("\n".join(texts), encoding="utf-8")
    maker = Path(__file__).with_name("make_model.py")
    command = [python, maker, folder / "models" / MODEL, corpus]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "models"


def _conclude(reports: Sequence[Report]) -> int:
    failures = [case for report in reports for case in report.cases if case.fault]
    if failures:
        say("\nFailed:")
    for case in failures:
        say(str(case))
    say("")
    for report in reports:
        say(report.summary)
    say(f"Logs, prompts, pictures and files: {reports[0].folder.parent}")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
