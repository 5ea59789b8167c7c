"""The documents agree with the program: commands, settings, defaults, names in the tab."""

import argparse
import re
import shlex
from dataclasses import fields
from pathlib import Path

from memory_core.admin.importers.formats import ALL_READERS
from memory_core.config.loader import describe
from memory_core.consolidation.registry import PROMPTS
from memory_core.domain.derivations import Derivation
from memory_core.recall.llm_judge import GATE, RERANK
from memory_core.storage.log.events import EventType
from memory_core.text.commands.command import CommandKind
from memory_core.text.commands.parser import parse_command, parse_slash_command, pause_target
from memory_core.text.locales import tab_words
from memory_core.ui.cli.main import _parser
from tests.cases import for_each

PROJECT = Path(__file__).resolve().parent.parent
DOCS = PROJECT / "docs"
PAGES = sorted([PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *DOCS.glob("*.md")])
SETTINGS = {field.key: field for field in describe()}
SECTIONS = {key.partition(".")[0] for key in SETTINGS if "." in key}
_TAB_NAMES = ("answer_tab", "memories_tab", "transfer_tab", "settings_tab")
_CALL = re.compile(r"(?m)^ *(?:python -m memory_core|long-term-memory) (?!COMMAND)([^#>\n]+)")
_MENTION = re.compile(r"`python -m memory_core ([a-z-]+)")
_KEY = re.compile(r"`([a-z_]+\.[a-z_]+)`")
_KEY_AND_DEFAULT = re.compile(r"`([a-z_]+\.[a-z_]+)`(?: \(| \| )(\d*\.?\d+)[); ]")
_DEFAULT_AND_KEY = re.compile(r"(\d*\.?\d+)[^\d`.,|()]{1,40}\(`([a-z_]+\.[a-z_]+)`\)")
_ITALIC = re.compile(r"(?<![*\w])\*([^*\s][^*]*→[^*]*)\*(?![*\w])")
_SPELT = re.compile(r"`(/[^`]+)`")


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def fault(arguments: list[str]) -> str:
    try:
        _parser("python -m memory_core").parse_args(arguments)
    except SystemExit as end:
        return " ".join(arguments) if end.code else ""
    return ""


def commands() -> set[str]:
    """Returns the commands of the command line."""
    actions = _parser("python -m memory_core")._actions
    (found,) = (one for one in actions if isinstance(one, argparse._SubParsersAction))
    return set(found.choices)


def shown_names(language: str) -> set[str]:
    """Returns the texts of the tab, without the signs at their end, and their short forms."""
    words = tab_words(language)
    texts = {words.template(key).rstrip(" :：…") for key in words.keys()}  # noqa: SIM118
    return texts | {re.split("[:,：，（]", text)[0] for text in texts}


@for_each("page", PAGES)
def test_every_call_of_the_command_line_on_a_page_is_accepted(page: Path) -> None:
    calls = _CALL.findall(read(page))
    assert [call for call in calls if fault(shlex.split(call))] == []
    assert set(_MENTION.findall(read(page))) - commands() == set()


def test_command_line_page_lists_every_command() -> None:
    page = read(DOCS / "command-line.md").split("\n| command |", 1)[1].split("\n\n", 1)[0]
    assert sorted(re.findall(r"(?m)^\| `([a-z-]+)`", page)) == sorted(commands())


def test_page_of_imports_lists_every_format() -> None:
    table = read(DOCS / "imports.md").split("| format | what to import |", 1)[1].split("\n\n", 1)[0]
    assert sorted(re.findall(r"(?m)^\| `(\w+)` \|", table)) == sorted(ALL_READERS)


@for_each("page", PAGES)
def test_every_setting_that_a_page_names_exists(page: Path) -> None:
    named = {key for key in _KEY.findall(read(page)) if key.partition(".")[0] in SECTIONS}
    assert named - set(SETTINGS) == set()


@for_each("page", PAGES)
def test_default_behind_the_name_of_a_setting_is_that_of_the_code(page: Path) -> None:
    shown = [*_KEY_AND_DEFAULT.findall(read(page))]
    shown += [(key, value) for value, key in _DEFAULT_AND_KEY.findall(read(page))]
    ours = [(key, float(value)) for key, value in shown if key in SETTINGS]
    assert [key for key, value in ours if SETTINGS[key].default != value] == []


@for_each("page", PAGES)
def test_every_path_through_the_tab_has_the_names_that_the_tab_shows(page: Path) -> None:
    paths = [
        [" ".join(part.split()) for part in path.split("→")] for path in _ITALIC.findall(read(page))
    ]
    tabs = {tab_words("en")[key] for key in _TAB_NAMES}
    ours = (path for path in paths if path[0] in tabs)
    assert [part for path in ours for part in path if part not in shown_names("en")] == []


def test_chinese_page_names_the_tab_as_the_tab_does() -> None:
    quoted = re.findall(r"(?:在|点|选|的|设为)“([^”]+)”", read(DOCS / "zh.md"))
    assert len(quoted) > 20
    parts = [part.strip() for path in quoted for part in path.split("→")]
    assert [part for part in parts if part not in shown_names("zh")] == []


def test_reasons_on_the_troubleshooting_page_are_those_that_the_tab_gives() -> None:
    table = read(DOCS / "troubleshooting.md").split("|---|---|\n", 1)[1].split("\n\n", 1)[0]
    told = re.findall(r"(?m)^\| ([^|]+) \|", table)
    words = tab_words("en")
    texts = [words.template(key) for key in words.keys()]  # noqa: SIM118
    unknown = [reason for reason in told if not any(reason in text for text in texts)]
    assert unknown == ["nothing about your message"]


def test_page_of_prompts_lists_the_fields_and_keys_of_each() -> None:
    page = read(DOCS / "consolidation-reference.md").split("### ", 1)[0]
    rows = re.findall(r"(?m)^\| `(\w+)\.txt` \| (.*) \| (.*) \|$", page)
    shown = {name: (fields.partition(", and optionally "), keys) for name, fields, keys in rows}
    assert {
        name: (re.findall(r"{(\w+)}", needed), re.findall(r"{(\w+)}", further), _keys(keys))
        for name, ((needed, _, further), keys) in shown.items()
    } == {
        prompt.name: ([*prompt.required], [*prompt.optional], [*prompt.json_keys])
        for prompt in (*PROMPTS, GATE, RERANK)
    }


def _keys(cell: str) -> list[str]:
    return re.findall(r"`(\w+)`", cell.partition(", and optionally ")[0])


def test_page_of_derived_memories_lists_their_fields() -> None:
    rows = re.findall(r"(?m)^\| (`\w+`(?:, `\w+`)*) \|", read(DOCS / "derived-memories.md"))
    shown = [name for cell in rows for name in re.findall(r"\w+", cell)]
    assert shown == ["sources", *(field.name for field in fields(Derivation))]


def test_pages_of_the_log_list_every_kind_of_event() -> None:
    pages = read(DOCS / "files.md") + read(DOCS / "derived-memories.md")
    assert [op for op in EventType if not re.search(rf"\b{op}\b", pages)] == []


def test_every_slash_command_of_the_page_is_one() -> None:
    table = read(DOCS / "commands.md").split("\n\n", 3)[2]
    shown = [name.replace("…", "the cat") for name in _SPELT.findall(table)]
    assert len(shown) > 10
    parsed = [(name, parse_slash_command(name)) for name in shown]
    unknown = (name for name, one in parsed if one is None or one.kind is CommandKind.NEAR_MISS)
    assert list(unknown) == []


def test_chinese_commands_mean_what_stands_beside_them() -> None:
    rows = re.findall(r"(?m)^\| (`.*`) \| (`.*`) \|$", read(DOCS / "commands.md"))
    chinese = [row for row in rows if re.search(r"[一-鿿]", row[1])]
    assert len(chinese) > 10
    assert [row for row in chinese if meanings(row[0]) != meanings(row[1])] == []


def meanings(cell: str) -> list[tuple[object, ...]]:
    shown = (name.replace("…", "我的猫", 1) for name in re.findall(r"`([^`]+)`", cell))
    return [meaning(name) for name in shown]


def meaning(name: str) -> tuple[object, ...]:
    command = parse_command(name)
    assert command is not None, name
    target = (
        pause_target(command) if command.kind in (CommandKind.PAUSE, CommandKind.RESUME) else ""
    )
    return command.kind, command.this_chat_only, target
