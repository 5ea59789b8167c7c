"""The documents: their links lead somewhere, and the picture of the packages is the tree."""

import re
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from tests.cases import for_each
from tests.test_layers import LAYERS

PROJECT = Path(__file__).resolve().parent.parent
PACKAGE = PROJECT / "memory_core"
PAGES = sorted([*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")])
MOST_README_WORDS = 900
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_ENTRY = re.compile(r"((?:  )+)([\w.]+)(/?) ")
_SOURCE = re.compile(r"`((?:[a-z_]+/)*[a-z_]+\.py)`")


def links(page: Path) -> Iterator[str]:
    text = re.sub(r"(?ms)^```.*?^```|`[^`\n]*`", "", page.read_text(encoding="utf-8"))
    yield from (target for target in _LINK.findall(text) if ":" not in target)


def anchors(page: Path) -> set[str]:
    """Returns the anchors that GitHub makes of a page's headings."""
    heads = re.findall(r"(?m)^#+ (.+)$", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def fault(page: Path, target: str) -> str:
    path, _, anchor = target.partition("#")
    found = (page.parent / path) if path else page
    if not found.exists():
        return f"{target}: no such file"
    return f"{target}: no such heading" if anchor and anchor not in anchors(found) else ""


def pictured(page: str) -> set[str]:
    """Returns the folders and files that the page's tree shows below memory_core."""
    tree = page.split("\nmemory_core/\n", 1)[1].split("```", 1)[0]
    found, above = set[str](), list[str]()
    for match in filter(None, map(_ENTRY.match, tree.splitlines())):
        indent, name, slash = match.groups()
        above[len(indent) // 2 - 1 :] = [name]
        found.add("/".join(above) + slash)
    return found


def packages() -> set[str]:
    modules = (path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))
    folders = {folder for path in modules for folder in path.parents if folder.name}
    return {f"{folder.as_posix()}/" for folder in folders}


def is_program(name: str) -> bool:
    found = find_spec(name)
    is_package = found is not None and bool(found.submodule_search_locations)
    return find_spec(f"{name}.__main__") is not None if is_package else found is not None


@for_each("page", PAGES)
def test_every_relative_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert [found for target in links(page) if (found := fault(page, target))] == []


def test_a_link_to_a_missing_file_or_heading_is_a_fault(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A `head`, here\n[a](page.md#a-head-here) [b](none.md) [c](#none) `[d](e.md)`"
    )
    assert [fault(page, target) for target in links(page)] == [
        "",
        "none.md: no such file",
        "#none: no such heading",
    ]


def test_every_page_is_reached_from_the_contents() -> None:
    start = PROJECT / "docs" / "README.md"
    reached, waiting = {start}, [start]
    while waiting:
        page = waiting.pop()
        targets = {(page.parent / link.partition("#")[0]).resolve() for link in links(page)}
        new = {target for target in targets if target.suffix == ".md"} - reached
        reached |= new
        waiting += new
    assert {page for page in PAGES if page.is_relative_to(start.parent)} - reached == set()


def test_the_readme_is_short_and_shows_its_pictures() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert len(readme.split()) <= MOST_README_WORDS
    for picture in (PROJECT / "docs" / "images").glob("*.png"):
        assert f"docs/images/{picture.name}" in readme
        assert picture.stat().st_size < 200_000


@for_each("page", PAGES)
def test_every_program_that_a_page_starts_exists(page: Path) -> None:
    started = re.findall(r"-m ((?:memory_core|benchmarks|tests)[.\w]*)", page.read_text("utf-8"))
    assert [name for name in started if not is_program(name)] == []


def test_the_architecture_pictures_every_package() -> None:
    page = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")
    shown = pictured(page)
    assert {name for name in shown if name.endswith("/")} == packages()
    assert all((PACKAGE / name).is_file() for name in shown if not name.endswith("/"))


def test_the_architecture_names_the_layers_in_their_order() -> None:
    page = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")
    shown = next(line for line in page.splitlines() if line.startswith("domain < "))
    named = [set(layer.replace(",", "").split()) for layer in shown.split("<")]
    layers = [set(line.split()) for line in LAYERS.split("\n") if line]
    assert [{"version"}, *named, {"__main__"}] == layers


@for_each("page", PAGES)
def test_every_source_file_that_a_page_names_exists(page: Path) -> None:
    named = _SOURCE.findall(page.read_text(encoding="utf-8"))
    missing = (path for path in named if not (PROJECT / path).is_file())
    folders = (PACKAGE, PROJECT / "benchmarks")
    assert [path for path in missing if not any(any(one.rglob(path)) for one in folders)] == []


@for_each("page", PAGES)
def test_every_target_of_make_that_a_page_names_exists(page: Path) -> None:
    targets = set(re.findall(r"(?m)^([a-z][\w-]*):", (PROJECT / "Makefile").read_text("utf-8")))
    named = re.findall(r"(?m)(?:^ {4}|^\| `|`)make ([a-z][\w-]+)", page.read_text("utf-8"))
    assert set(named) - targets == set()


def test_a_tree_is_read_with_its_nested_folders() -> None:
    page = "x\nmemory_core/\n  a.py   one\n  b/     two\n    c/   three\n  d/     four\n```\n"
    assert pictured(page) == {"a.py", "b/", "b/c/", "d/"}


def test_nobody_is_told_to_install_this_package_from_an_index() -> None:
    """Another project has its name there."""
    sources = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.json"), *PAGES]
    wrong = re.compile(r"pip install[^\n`]*long-term-memory")
    assert [str(path) for path in sources if wrong.search(path.read_text("utf-8"))] == []


def test_driver_to_install_is_that_of_the_extra() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    (driver,) = project["optional-dependencies"]["scale"]
    for path in (PACKAGE / "storage" / "engine.py", PROJECT / "docs" / "scale.md"):
        assert driver in path.read_text("utf-8")
