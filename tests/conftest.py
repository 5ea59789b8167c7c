"""Fixtures that more than one folder of tests uses."""

import contextlib
import gc
import importlib
import inspect
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from memory_core.bootstrap import build_runtime
from memory_core.memory.installation import Installation
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.runtime import Runtime
from tests import builders, fuzzing
from tests.builders import open_memory

if TYPE_CHECKING:
    from memory_core.ui.demo.program import Program

hypothesis.settings.load_profile(fuzzing.PATIENT)

TESTS = Path(__file__).parent
MEMORY_DISK = Path("/dev/shm")  # noqa: S108
RARE_COLLECTIONS = (20_000, 20, 100)  # a tenth of the time of tests went into looking for cycles
MEMORY_DISK_BYTES = 1 << 29  # containers often have 64 MB; a run takes up to 40 at a time

# Their outcome depends on data that come with Python: tables of Unicode, calendars, parsers.
EVERY_CASE_OF = (TESTS / "text", TESTS / "config", TESTS / "infra")

OpenMemory = Callable[..., LongTermMemory]
MakeRuntime = Callable[..., Runtime]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--one-case",
        action="store_true",
        help="run only the first case of a test with parameters, except in tests of text, config "
        "and infra: for a second Python, where the code may behave differently, not the data",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keeps one case of each test if --one-case asks for it."""
    if not config.getoption("--one-case"):
        return
    others = further_cases(items, every_case_of=EVERY_CASE_OF)
    config.hook.pytest_deselected(items=others)
    dropped = set(others)
    items[:] = [item for item in items if item not in dropped]


def further_cases(
    items: Sequence[pytest.Item], *, every_case_of: Sequence[Path]
) -> list[pytest.Item]:
    """Returns all cases but the first of each test that lies in none of these folders."""
    seen: set[str] = set()
    others = []
    for item in items:
        function = item.nodeid.partition("[")[0]
        if function in seen and not any(map(item.path.is_relative_to, every_case_of)):
            others.append(item)
        seen.add(function)
    return others


def pytest_configure() -> None:
    """Spares the garbage collector the search for cycles while thousands of tests are collected."""
    gc.disable()
    _keep_compiled_code()
    _put_temporary_folders_into_main_memory()


def _keep_compiled_code() -> None:
    """Many containers forbid it; then each worker, and each program of a test, compiles all."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def pytest_collection(session: pytest.Session) -> None:
    """Lets each worker compile a share of the tests: in a fresh clone each would compile all."""
    if session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    _import_gradio_without_stubs()
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    for path in sorted(TESTS.rglob("test_*.py"))[worker::workers]:
        with contextlib.suppress(ImportError):  # collecting it says so
            importlib.import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))


def _import_gradio_without_stubs() -> None:
    """Gradio parses its sources to write stubs for editors: 40 % of the time of importing it."""
    find_file = inspect.getfile

    def find_other_file(obj: Any) -> str:
        if getattr(obj, "__module__", "").startswith("gradio."):
            raise OSError("no stubs")  # as for a class without a file
        return find_file(obj)

    with contextlib.suppress(ImportError), pytest.MonkeyPatch.context() as patch:
        patch.setattr(inspect, "getfile", find_other_file)
        importlib.import_module("gradio")


def _put_temporary_folders_into_main_memory() -> None:
    """A busy disk takes minutes for a run's fsyncs."""
    if "TMPDIR" in os.environ or not os.access(MEMORY_DISK, os.W_OK):
        return
    if shutil.disk_usage(MEMORY_DISK).free > MEMORY_DISK_BYTES:
        os.environ["TMPDIR"] = str(MEMORY_DISK)  # for the programs that tests start, too
        tempfile.tempdir = None


def pytest_collection_finish() -> None:
    """Spares the garbage collector thousands of tests, which stay until the end."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(*RARE_COLLECTIONS)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenMemory]:
    """Opens memories over one folder; what is still open at the end is closed."""
    memories: list[LongTermMemory] = []

    def open_one(**options: Any) -> LongTermMemory:
        memories.append(open_memory(tmp_path, **options))
        return memories[-1]

    yield open_one
    for memory in memories:
        memory.close()


@pytest.fixture
def memory(opened: OpenMemory) -> LongTermMemory:
    return opened()


@pytest.fixture
def make_runtime(tmp_path: Path) -> Iterator[MakeRuntime]:
    """Runtimes without threads over one folder, with these settings in their file."""
    made: list[Runtime] = []

    def make(**settings: Any) -> Runtime:
        config = {"embedder": {"kind": "none"}} | settings
        home = Installation(folder=tmp_path)
        home.config_path.write_text(json.dumps(config), encoding="utf-8")
        made.append(build_runtime(home))
        return made[-1]

    yield make
    for runtime in made:
        runtime.close()


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    """A runtime without threads and models, in a folder of its own."""
    made = build_runtime(
        Installation(folder=tmp_path / "home", environ={"LTM_EMBEDDER__KIND": "none"})
    )
    yield made
    made.close()


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the demo with its samples, to be copied: storing them takes most of a start."""
    from memory_core.ui.demo.program import Program

    folder = tmp_path_factory.mktemp("demo-home")
    Program(folder, {}).runtime.close()
    return folder


@pytest.fixture
def program(tmp_path: Path, demo_home: Path) -> Iterator["Program"]:
    """The demo's program, without its page."""
    from memory_core.ui.demo.program import Program

    shutil.copytree(demo_home, tmp_path, dirs_exist_ok=True)
    made = Program(tmp_path, {"LTM_EMBEDDER__KIND": "none"})
    yield made
    made.runtime.close()


@pytest.fixture(autouse=True)
def closed_memories() -> Iterator[None]:
    """Closes what a test opened and left."""
    yield
    while builders.OPENED:
        builders.OPENED.pop().close()
