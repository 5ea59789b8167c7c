"""Catalogs of words are complete in every language and agree with the code."""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import pytest

from memory_core.text.locales import (
    DEFAULT,
    LANGUAGES,
    PROMPT_LANGUAGES,
    Words,
    command_words,
    load_texts,
    prompt_words,
    setting_label,
    tab_files,
    tab_words,
)
from memory_core.text.prompt_fence import fence, strip_fences
from tests.cases import for_each
from tests.syntax_trees import parse_all

PACKAGE = Path(__file__).resolve().parents[2] / "memory_core"
LOCALES = PACKAGE / "text" / "locales"
USED_BY = {
    "tab": ["ui", "text"],
    "commands": ["host", "server/chat"],
    "prompt": ["prompt"],
    "questions": ["admin"],
    "marks": ["text"],
}
OTHERS = sorted(set(LANGUAGES.values()) - {DEFAULT})
ASK_FOR_WORDS = {"words", "reply"}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.fixture(scope="module", autouse=True)
def drop_trees() -> Iterator[None]:
    """Frees the trees, which would slow every later collection of garbage."""
    yield
    trees.cache_clear()


@cache
def trees(part: str) -> list[tuple[str, ast.Module]]:
    paths = sorted(path for used in USED_BY[part] for path in (PACKAGE / used).rglob("*.py"))
    return list(zip((path.name for path in paths), parse_all(paths), strict=True))


def literals(node: ast.AST) -> set[str]:
    """Returns the strings in the code, without parts of f-strings."""
    pieces = {id(part) for f in ast.walk(node) if isinstance(f, ast.JoinedStr) for part in f.values}
    return {
        child.value
        for child in ast.walk(node)
        if isinstance(child, ast.Constant)
        and isinstance(child.value, str)
        and id(child) not in pieces
    }


def beginnings(node: ast.AST) -> set[str]:
    """Returns the beginnings of f-strings that may form a key: `part_` of f"part_{name}"."""
    first = [child.values[0] for child in ast.walk(node) if isinstance(child, ast.JoinedStr)]
    texts = {str(piece.value) for piece in first if isinstance(piece, ast.Constant)}
    return {text for text in texts if re.fullmatch(r"[a-z]\w*_", text)}


def endings(node: ast.AST) -> set[str]:
    """Returns the endings of f-strings that may form a key: `_at_once` of f"{key}_at_once"."""
    last = [child.values[-1] for child in ast.walk(node) if isinstance(child, ast.JoinedStr)]
    texts = {str(piece.value) for piece in last if isinstance(piece, ast.Constant)}
    return {text for text in texts if re.fullmatch(r"_[a-z]\w*", text)}


def called(call: ast.Call) -> str:
    """Returns the last part of the called function's name."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


@for_each("language", OTHERS)
@for_each("part", USED_BY)
def test_every_language_has_the_same_keys_with_the_same_fields(part: str, language: str) -> None:
    mine = {key: fields(text) for key, text in load_texts(language)[part].items()}
    assert mine == {key: fields(text) for key, text in load_texts(DEFAULT)[part].items()}


@for_each("language", sorted(set(PROMPT_LANGUAGES) - {DEFAULT}))
def test_every_language_of_prompts_has_all_words_of_the_prompt(language: str) -> None:
    mine = {key: fields(text) for key, text in load_texts(language)["prompt"].items()}
    assert mine == {key: fields(text) for key, text in load_texts(DEFAULT)["prompt"].items()}
    words = prompt_words(language)
    assert (len(words["weekdays"].split()), len(words["months"].split())) == (7, 12)
    assert fence("text", language) != fence("text")
    assert strip_fences(fence("text", language)) == ""


@pytest.mark.parametrize("part", USED_BY)
def test_every_key_is_used_in_the_code(part: str) -> None:
    found = [tree for _, tree in trees(part)]
    exact = set().union(*map(literals, found))
    begun = tuple(set().union(*map(beginnings, found)))
    ended = set().union(*map(endings, found))
    exact |= {key + ending for key in exact for ending in ended}
    unused = [
        key for key in load_texts(DEFAULT)[part] if key not in exact and not key.startswith(begun)
    ]
    assert unused == []


@pytest.mark.parametrize("part", USED_BY)
def test_the_code_gives_every_field_that_a_text_names(part: str) -> None:
    texts, checked = load_texts(DEFAULT)[part], 0
    for name, tree in trees(part):
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            given = {keyword.arg for keyword in call.keywords}
            if called(call) not in ASK_FOR_WORDS or None in given:
                continue
            for key in set().union(*map(literals, call.args)) & texts.keys():
                assert fields(texts[key]) <= given, f"{name}:{call.lineno} {key}"
                checked += 1
    assert checked > (20 if part in ("tab", "commands") else -1)


@pytest.mark.parametrize("part", USED_BY)
def test_a_key_in_brackets_exists_and_its_text_has_no_fields(part: str) -> None:
    texts, checked = load_texts(DEFAULT)[part], 0
    for name, tree in trees(part):
        for found in (node for node in ast.walk(tree) if isinstance(node, ast.Subscript)):
            of = getattr(found.value, "attr", getattr(found.value, "id", called_in(found)))
            if of in {"words", "command_words", "tab_words"}:
                for key in literals(found.slice):
                    assert key in texts, f"{name}:{found.lineno} {key}"
                    assert not fields(texts[key]), f"{name}:{found.lineno} {key}"
                    checked += 1
    assert checked > 0 or part in ("questions", "marks")


def test_lists_of_the_tab_are_joined_with_the_comma_of_the_language() -> None:
    paths = sorted((PACKAGE / "ui" / "tab").rglob("*.py"))
    found = [
        f"{path.name}:{call.lineno}"
        for path, tree in zip(paths, parse_all(paths), strict=True)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "join"
        and isinstance(call.func.value, ast.Constant)
        and call.func.value.value in (", ", "; ", ": ")
    ]
    assert found == []


def called_in(found: ast.Subscript) -> str:
    return called(found.value) if isinstance(found.value, ast.Call) else ""


@for_each("language", sorted(LANGUAGES.values()))
@for_each("part", USED_BY)
def test_every_text_can_be_filled_with_numbers(part: str, language: str) -> None:
    words = Words(load_texts(language)[part])
    for key, text in load_texts(language)[part].items():
        for count in (0, 1, 2):
            filled = words(key, **dict.fromkeys(fields(text), count))
            assert not set("{|}") & set(filled), key


@for_each(
    ("count", "text"),
    [
        (0, "0 memories erased from disk."),
        (1, "1 memory erased from disk."),
        (2, "2 memories erased from disk."),
    ],
)
def test_an_english_text_has_the_form_of_its_number(count: int, text: str) -> None:
    assert tab_words("en")("did_erase", count=count) == text


def test_a_number_given_as_text_selects_the_singular() -> None:
    assert "for 1 minute." in tab_words("en")("forgot", count=3, minutes=f"{1.0:g}")


def test_a_field_that_is_not_given_is_an_error() -> None:
    with pytest.raises(KeyError, match="count"):
        tab_words("en")["did_erase"]


def test_a_key_that_no_language_has_is_an_error() -> None:
    with pytest.raises(KeyError, match="no_such_key"):
        command_words("zh")["no_such_key"]


def test_a_language_without_a_file_reads_english() -> None:
    assert tab_words("tlh").template("refresh") == tab_words("en").template("refresh")
    assert tab_words("ja").template("refresh") == tab_words("en").template("refresh")
    assert setting_label("recall.enabled", "../../x") == "Recall memories (recall.enabled)"


def test_every_folder_of_words_can_be_chosen() -> None:
    folders = {path.parent.name for path in LOCALES.glob("*/commands.json")}
    assert folders == set(LANGUAGES.values())


@for_each("language", sorted(LANGUAGES.values()))
def test_no_key_of_the_tab_stands_in_two_files(language: str) -> None:
    files = tab_files(LOCALES / language)
    keys = [key for path in files for key in json.loads(path.read_text(encoding="utf-8"))]
    assert len(files) > 0
    assert sorted(keys) == sorted(set(keys))
