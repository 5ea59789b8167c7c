"""Problems of the banner are shown in the reader's language."""

import ast
import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.bootstrap import build_models, build_runtime, unused_features
from memory_core.config.json_file import parse
from memory_core.config.layers import ConfigLayers
from memory_core.config.schema import ContextSettings, Settings
from memory_core.consolidation.grounding import NOT_SUPPORTED
from memory_core.consolidation.job_model import _UNFINISHED
from memory_core.domain.errors import (
    ConfigError,
    LLMUnavailable,
    LooksPrivate,
    SourcesChanged,
    StorageFailed,
    missing_package,
)
from memory_core.host.hooks import Hooks
from memory_core.infra.durable_files import naming_errors
from memory_core.memory.installation import Installation
from memory_core.memory.runtime import Runtime
from memory_core.prompt.templates import template_problems
from memory_core.providers.llm.openai import OpenAILanguageModel
from memory_core.providers.openai_client import NOT_OPENAI, TOO_LONG
from memory_core.providers.refusals import REPEATS
from memory_core.text.locales import tab_words
from memory_core.text.problem_text import problem_text, split_template
from memory_core.ui.demo.demo_host import DemoHost
from memory_core.ui.tab.common import status
from tests.cases import for_each
from tests.loopback import says_json, serve, streams
from tests.providers.llm.test_background import HELLO
from tests.syntax_trees import parse_all

ENGLISH, CHINESE = tab_words("en"), tab_words("zh")
PACKAGE = Path(__file__).resolve().parents[2] / "memory_core"
TEXTS = {
    key.removeprefix("problem_"): ENGLISH.template(key)
    for key in ENGLISH.keys()  # noqa: SIM118
    if key.startswith("problem_")
}
ADDRESS = "http://127.0.0.1:9/v1"
FEW = "consolidation.max_tokens may be too small"
PROSE = re.compile(r"\b(?:is|are|the|of|not|and|it|here|by|your|their)\b")


def disk_problems() -> Iterator[str]:
    for number in (errno.ENOSPC, errno.EACCES, errno.EROFS, errno.ENOENT):
        try:
            with naming_errors("/data/notes.jsonl"):
                raise OSError(number, os.strerror(number).upper())
        except StorageFailed as exc:
            yield f"not remembered yet: {exc}"


def setting_problems() -> Iterator[str]:
    layers = ConfigLayers()
    layers.add_environment({"LTM_RECALL__REPLAY": "-1", "LTM_RECALL__REPLAI": "2"})
    layers.add_environment({"LTM_INJECTION_LOCATION": "IN_CHAD", "LTM_RECALL__MIN_NEED": "2"})
    yield from (problem.message for problem in layers.problems)


def json_problems() -> Iterator[str]:
    for text in (
        '{"a": {},}',
        '{"a": 1 "b": 2}',
        "{'a': 1}",
        '{"a": "C:\\d"}',
        '{"a": 1} // b',
        "",
    ):
        with pytest.raises(ConfigError) as caught:
            parse(text.encode())
        yield (
            f"/data/ltm_config.json cannot be read: {caught.value}. Until it is repaired, its "
            "previous settings apply."
        )


def model_problems() -> Iterator[str]:
    wrong = Settings.model_validate(
        {
            "embedder": {"kind": "openai", "base_url": "http://example.org/v1", "model": "m"},
            "llm": {"kind": "host"},
            "recall": {"use_gate": True},
        }
    )
    yield from build_models(wrong, Path("models")).problems
    yield from unused_features(wrong, None)
    yield missing_package(ImportError(name="zarr"))


def job_problems() -> Iterator[str]:
    """Yields each complaint about an answer, as the code of the jobs states it."""
    for tree in parse_all(sorted((PACKAGE / "consolidation").glob("*.py"))):
        for node in ast.walk(tree):
            is_raised = isinstance(node, ast.Call) and ast.unparse(node.func) == "BadAnswer"
            if is_raised and isinstance(node.args[0], ast.Constant):
                yield node.args[0].value
    yield from (*_UNFINISHED.values(), NOT_SUPPORTED, REPEATS)
    yield "the answer repeats the prompt"
    yield str(SourcesChanged({"m1", "m2"}))
    yield "qwen3 thought the same words over and over"
    yield 'the JSON object lacks "facts"'
    yield 'no JSON object with "facts"'
    yield f"{ADDRESS} sent only reasoning (finish_reason length): {FEW}"
    yield f"{ADDRESS} sent an empty answer (finish_reason None): {FEW}"
    yield f"{ADDRESS} {NOT_OPENAI}"
    yield f"{ADDRESS} failed with HTTP 422: see the server's log ({REPEATS})"
    yield f"{ADDRESS} sent an answer of more than 16 MB: is llm.base_url right?"
    yield (
        "m answers short questions, but not this one in 180 s: it is too slow for this work; a "
        "smaller model is faster"
    )
    yield "the worker observations failed with KeyError"


def answer_problems() -> Iterator[str]:
    """Yields what is said about servers that cannot read a prompt or break off."""
    for answer in (
        says_json({"error": {"message": "exceeds context size"}}, status=400),
        streams(['data: {"error": {"message": "CUDA fault"}}']),
        streams(['data: {"error": {"code": 5}}']),
    ):
        with serve(answer) as server:
            llm = OpenAILanguageModel(base_url=server.url, model="m")
            with pytest.raises(LLMUnavailable) as caught:
                list(llm.stream(HELLO.turns, max_tokens=9, temperature=0.0, timeout_s=5.0))
        named = str(caught.value).replace(server.url, ADDRESS)  # each process has another port
        yield f"background work on the memories waits: {named}"


NESTED = f"http://127.0.0.1:9/v1 {TOO_LONG} (code: 400 - 5012 (n) exceeds context size (4096 n))"
PROBLEMS = (
    NESTED,
    f"background work on the memories waits: {NESTED} (tried again in 30 s)",
    *disk_problems(),
    *setting_problems(),
    *model_problems(),
    *job_problems(),
    *answer_problems(),
    *template_problems(ContextSettings(memory_template="{nam}")),
    f"recall goes on by words alone: {ADDRESS} cannot be reached; is the server running? (refused)",
    *json_problems(),
    "default / Mira: the catalog is damaged: 3 pages; it was made anew",
    "recall goes on by words alone: http://127.0.0.1:9/v1 did not answer in time",
    "a background job failed, please report it: ValueError",
    "the language model did not answer: http://127.0.0.1:9/v1 did not answer in time",
    "the language model's page could not be used",
    *(str(LooksPrivate({part})) for part in ("key", "card", "email", "phone")),
    "3 writes failed and wait; not kept so far: 3 in chats",
    "default / Lunara has memories already: merge the two",
)


@for_each("problem", PROBLEMS)
def test_problem_is_translated_to_chinese(problem: str) -> None:
    told = problem_text(problem, CHINESE)
    assert re.search("[\u4e00-\u9fff]", told)
    assert PROSE.findall(told) == []


def with_keys(told: str) -> str:
    """Returns the text with the keys of settings in place of their names."""
    for key, name in ENGLISH.settings.items():
        told = told.replace(f"“{name}” ({key})", key).replace(f"“{name}”", key)
    return told


@for_each("problem", PROBLEMS)
def test_problem_stays_as_it_is_in_english_but_for_the_names_of_settings(problem: str) -> None:
    assert with_keys(problem_text(problem, ENGLISH)) == problem


@for_each(
    ("problem", "in_english", "in_chinese"),
    [
        (
            "no language model is configured (llm.base_url)",
            "no language model is configured (“Address of the language model”)",
            "没有设置语言模型（“语言模型地址”）",
        ),
        (
            "embedder.base_url: b.example is not this machine; switch on allow_remote if your "
            "conversations may be sent there",
            "“Address of the embedding server”: b.example is not this machine; switch on “Allow "
            "servers on other computers” if your conversations may be sent there",
            "“嵌入模型服务器的地址”：b.example 不是这台电脑；如果可以把对话发送到那里，"
            "请打开“允许其他电脑上的服务器”",
        ),
        (
            "no word of this is known: recall.lines",
            "no word of this is known: “Memories given as one line”",
            "no word of this is known: “另带几条单行记忆”",
        ),
    ],
)
def test_problem_names_settings_as_the_tab_does(
    problem: str, in_english: str, in_chinese: str
) -> None:
    assert problem_text(problem, ENGLISH) == in_english
    assert problem_text(problem, CHINESE) == in_chinese


@for_each(
    ("problem", "part"),
    [
        ("a.json: recall.lines = -1 is ignored: allowed is true or false", "(recall.lines) = -1"),
        ("recall.linez = 1 is ignored: there is no such setting", "recall.linez = 1"),
        ("The nearest is recall.lines", "“Memories given as one line” (recall.lines)"),
    ],
)
def test_problem_of_the_settings_file_keeps_the_key_to_look_for(problem: str, part: str) -> None:
    assert part in problem_text(problem, ENGLISH)


@for_each("text", ["no language", "see /data/recall.lines", "recall.lines2 is 3", "x.recall.lines"])
def test_other_words_are_no_keys_of_settings(text: str) -> None:
    assert problem_text(text, ENGLISH) == text


def test_names_in_a_problem_stay_and_its_reason_is_translated() -> None:
    told = problem_text(
        "recall.use_gate is on, but no language model is here: it is left out", CHINESE
    )
    assert told == "“由语言模型去掉不相关的记忆”已启用，但no language model is here：因此不起作用"
    told = problem_text("http://[::1]:9/v1 did not answer in time (tried again in 30 s)", CHINESE)
    assert told == "http://[::1]:9/v1 没有及时回应（30 秒后重试）"


def test_unknown_problem_stays_as_it_is() -> None:
    assert problem_text("the model: says no; twice", CHINESE) == "the model: says no; twice"
    assert problem_text("", CHINESE) == ""


def test_very_long_problem_is_read_in_time() -> None:
    problem = "a: b; c. " * 5_000
    assert problem_text(problem, CHINESE) == problem


def literals() -> str:
    """Returns all texts in the code, one a line, with each field of an f-string as {}."""
    paths = [path for path in sorted(PACKAGE.rglob("*.py")) if "ui/tab" not in path.as_posix()]
    texts = list[str]()
    for node in (node for tree in parse_all(paths) for node in ast.walk(tree)):
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            texts.append("".join(map(str, parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
    return "\n".join(texts)


def phrases(template: str) -> list[str]:
    """Returns the fixed texts of a template, without the punctuation around them."""
    fixed = (part for text, _ in split_template(template) for part in re.split("[():;?]", text))
    return [phrase for part in fixed if (phrase := part.strip(" .,"))]


def test_every_known_problem_is_one_that_the_code_can_report() -> None:
    code = literals()
    known = {
        phrase: name
        for name, text in TEXTS.items()
        if not name.startswith(("whole_", "number_"))  # composed by config/fields.py
        for phrase in phrases(text)
    }
    assert {phrase: name for phrase, name in known.items() if phrase not in code} == {}


def test_banner_is_in_the_language_of_the_page(tmp_path: Path) -> None:
    made: Runtime = build_runtime(
        Installation(folder=tmp_path, environ={"LTM_EMBEDDER__KIND": "none"})
    )
    try:
        made.report("recall", "this message went out without memories: a fault")
        hooks = Hooks(made, DemoHost(tmp_path))
        assert status.problems(hooks, CHINESE) == ["这条消息没有用到记忆：a fault"]
    finally:
        made.close()
