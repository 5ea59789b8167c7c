"""The direction of imports, and a few more rules about the code that ruff does not know."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
PACKAGE = PROJECT / "memory_core"

# Lowest first: a module or package imports from itself and from lines above its own, only.
LAYERS = """
stopwords speakers cells normal_form library_logs visible redacting
version errors recent terms wellformed plain_json limits deadlines cooling fence memo jobs recital
one_by_one text
tokens as_written attempts
text
records sentences bm25 dates durable plugins endpoints
settings ordinary openai_client chat_scope cleaning macros quoted
utterances repeats
knobs config_file commands
config_copy
config_layers
config
namespaces identity
manifest
hurry
aliases usage turns in_exchange
transcript switches
embedders rerankers llm
stores
recall retention
injection
consolidate
pending drafts forgotten backup embedded language_trust
meeting erasure
archive
embedding chat_notes learning
move_conversation spaces
long_term_memory
apart moving
naming
importing exporting selftest doctor
standing_lines sittings traces
keeping console
home model_loading writer factories
runtime
bootstrap
entrypoints
__main__
"""
RANKS = {name: rank for rank, line in enumerate(LAYERS.split("\n")) for name in line.split()}

# deadlines waits for a call in a thread of its own, which ends with the call.
MAY_START_THREADS = {"runtime", "deadlines"}
STARTERS = {
    "threading": {"Thread", "Timer"},
    "_thread": {"start_new_thread"},
    "futures": {"ThreadPoolExecutor", "ProcessPoolExecutor"},
    "asyncio": {"create_task", "ensure_future", "to_thread", "run"},
    "multiprocessing": {"Process", "Pool"},
}
CHOSEN_BY_BOOTSTRAP = {"embedders", "rerankers", "llm", "stores"}
HEAVY = {"faiss", "zarr", "gradio", "openai", "onnxruntime", "torch", "fastembed"}
LIGHT = [PACKAGE / "__init__.py", PACKAGE / "config.py", PACKAGE / "long_term_memory.py"]
LONGEST_FILE = 400
LONGEST_SCRIPT = 80


def modules() -> Iterator[tuple[tuple[str, ...], ast.Module]]:
    """Every module below memory_core by its dotted parts, an __init__ by its package's."""
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        yield parts, ast.parse(path.read_text(encoding="utf-8"), str(path))


def imported(module: tuple[str, ...], tree: ast.AST) -> Iterator[tuple[str, ...]]:
    """What a module takes from memory_core: dotted parts, the name taken at the end."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in node.names]
            yield from (name[1:] for name in names if name[0] == "memory_core" and name[1:])
        elif isinstance(node, ast.ImportFrom):
            base = source(module, node)
            yield from ((*base, alias.name) for alias in node.names if base is not None)


def source(module: tuple[str, ...], node: ast.ImportFrom) -> tuple[str, ...] | None:
    """Where `from … import` looks, below memory_core; None for other packages."""
    named = tuple(node.module.split(".")) if node.module else ()
    if node.level:
        return module[: len(module) - node.level] + named
    return named[1:] if named[:1] == ("memory_core",) else None


def upward(module: tuple[str, ...], tree: ast.AST) -> list[str]:
    own = module[0]
    targets = {name[0] for name in imported(module, tree) if name[0] in RANKS} - {own}
    return sorted(
        f"{'.'.join(module)} imports {target}"
        for target in targets
        if own in RANKS and RANKS[target] >= RANKS[own]
    )


def concrete(module: tuple[str, ...], tree: ast.AST) -> list[str]:
    """Imports of implementations that only bootstrap chooses; their packages know themselves."""
    return [
        f"{'.'.join(module)} imports {'.'.join(name)}"
        for name in imported(module, tree)
        if name[0] in CHOSEN_BY_BOOTSTRAP - {module[0]} and name[1:2] != ("base",)
    ]


def called(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Every call as (what stands before the last dot, name), as far as those are plain names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield "", node.func.id
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            yield getattr(owner, "id", getattr(owner, "attr", "?")), node.func.attr


def thread_starts(tree: ast.AST) -> list[str]:
    """Calls of what starts threads, and imports of it by its bare name."""
    calls = [f"{owner}.{name}" for owner, name in called(tree) if name in STARTERS.get(owner, ())]
    froms = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return calls + [ast.unparse(node) for node in froms if names_a_starter(node)]


def names_a_starter(node: ast.ImportFrom) -> bool:
    names = STARTERS.get((node.module or "").rpartition(".")[2], set())
    return any(alias.name in names for alias in node.names)


def test_every_module_has_a_layer() -> None:
    unknown = {parts[0] for parts, _ in modules()} - RANKS.keys() - {"__init__"}
    assert unknown == set(), "give them a line in LAYERS, above what imports them"


def test_the_architecture_tells_of_every_module_of_the_core_and_of_the_store() -> None:
    page = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`(?:\w+/)?(\w+)(?:\.py|/)?`", page))
    named = {parts[-1] if parts[0] == "stores" else parts[0] for parts, _ in modules()}
    assert named - told - {"__init__", "__main__"} == set()


def test_nothing_imports_from_its_own_line_or_from_above_it() -> None:
    assert [fault for parts, tree in modules() for fault in upward(parts, tree)] == []


def test_only_bootstrap_names_concrete_embedders_stores_and_models() -> None:
    others = ((parts, tree) for parts, tree in modules() if parts != ("bootstrap",))
    assert [fault for parts, tree in others for fault in concrete(parts, tree)] == []


def test_only_runtime_starts_threads() -> None:
    others = ((parts, tree) for parts, tree in modules() if parts[0] not in MAY_START_THREADS)
    found = {".".join(parts): thread_starts(tree) for parts, tree in others}
    assert {module: starts for module, starts in found.items() if starts} == {}


def test_only_the_command_line_prints() -> None:
    others = ((parts, tree) for parts, tree in modules() if parts[:2] != ("entrypoints", "cli"))
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


@pytest.mark.parametrize("path", [path for path in LIGHT if path.exists()], ids=lambda p: p.name)
def test_importing_it_loads_nothing_heavy(path: Path) -> None:
    parts = path.relative_to(PROJECT).with_suffix("").parts
    name = ".".join(part for part in parts if part != "__init__")
    code = f"import sys, {name}; sys.exit(' '.join(sys.modules.keys() & {HEAVY}) or 0)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)


# The rules above see what they are for.


@pytest.mark.parametrize(
    ("module", "code", "fault"),
    [
        ("transcript.log", "from ..injection.plan import Plan", True),
        ("transcript.clean", "def f():\n    from .. import runtime", True),
        ("transcript.clean", "from .. import records", False),
        ("records", "import memory_core.stores.base", True),
        ("records", "from memory_core.settings import Settings", True),
        ("records", "from .sentences import excerpt", True),
        ("records", "from settings import Settings", False),
        ("entrypoints.demo.page", "from .. import hooks", False),
    ],
)
def test_an_upward_import_is_seen(module: str, code: str, fault: bool) -> None:
    assert bool(upward(tuple(module.split(".")), ast.parse(code))) is fault


@pytest.mark.parametrize(
    ("module", "code", "fault"),
    [
        ("runtime", "from .stores.local import LocalStore", True),
        ("runtime", "from .stores import local", True),
        ("entrypoints.demo.page", "from ...llm.scripted import Scripted", True),
        ("recall.search", "from ..stores.base import MemoryStore", False),
        ("stores.local", "from .catalogue import Catalogue", False),
    ],
)
def test_a_concrete_implementation_is_seen(module: str, code: str, fault: bool) -> None:
    assert bool(concrete(tuple(module.split(".")), ast.parse(code))) is fault


@pytest.mark.parametrize(
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
