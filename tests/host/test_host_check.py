"""Hosts without an expected feature: memory reports it, and no chat breaks."""

import logging
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from memory_core.bootstrap import build_runtime
from memory_core.domain.errors import HostError
from memory_core.host.hooks import Hooks
from memory_core.host.textgen_adapter import TextgenHost, log_through_host, settings_of
from memory_core.memory.installation import Installation
from tests.host.plain_host import api_state, history_of, opened, page_state

STAND_IN = Path(__file__).parents[1] / "end_to_end" / "script_host"
LACKING = [
    ("chat", "generate_chat_prompt"),
    ("chat", "get_history_file_path"),
    ("extensions", "iterator"),
    ("text_generation", "get_encoded_length"),
    ("shared", "tokenizer"),
    ("shared", "generation_lock"),
    ("shared", "args"),
    ("shared", "settings"),
]


@pytest.fixture
def modules(monkeypatch):
    """Imports the modules of the fake host afresh."""
    monkeypatch.syspath_prepend(str(STAND_IN))
    before = {
        name: module for name, module in sys.modules.items() if name.split(".")[0] == "modules"
    }
    for name in before:
        del sys.modules[name]
    from modules import chat, extensions, shared, text_generation

    yield SimpleNamespace(
        chat=chat, extensions=extensions, shared=shared, text_generation=text_generation
    )
    for name in [name for name in sys.modules if name.split(".")[0] == "modules"]:
        del sys.modules[name]
    sys.modules.update(before)


@pytest.fixture
def told():
    return {}


@pytest.fixture
def host(modules, told):
    return TextgenHost(builder=None, report=told.__setitem__)


def hooked(tmp_path, host):
    runtime = build_runtime(Installation(folder=tmp_path, environ={"LTM_EMBEDDER__KIND": "none"}))
    opened.append(runtime)
    host._report = lambda feature, sentence: runtime.report(f"host.{feature}", sentence)
    return Hooks(runtime, host)


def send(hooks):
    history = history_of(("hi", "hello"))
    return hooks.custom_generate_chat_prompt("and now?", page_state(), history=history)


def test_known_host_has_all_features_and_reports_nothing(host, told, tmp_path):
    features = host.features()
    assert features.pop("gradio.LocalContext") in (True, False)
    assert all(features.values())
    assert send(hooked(tmp_path, host)).endswith("and now?")
    assert told == {}


@pytest.mark.parametrize(("module", "name"), LACKING)
def test_missing_host_feature_is_reported_and_the_message_goes_out(
    modules, host, tmp_path, monkeypatch, module, name
):
    monkeypatch.delattr(getattr(modules, module), name)
    modules.extensions.loaded[:] = []
    assert not host.features()[f"{module}.{name}"]
    hooks = hooked(tmp_path, host)
    prompt = send(hooks)
    hooks.synchronizer.poll()
    hooks.input_modifier("x", {})
    hooks.output_modifier("x", {}, is_chat=True)
    is_builder = name == "generate_chat_prompt"
    assert (prompt is None) is is_builder
    host.chat_file(page_state())
    for ask in (host.owner_before_us, host.user_profile, host.user_data_folder, host.is_generating):
        ask()
    host.count_tokens("four")
    modules.shared.tokenizer = object()  # a model is loaded
    host.count_tokens("four")
    assert any(f"{module}.{name}" in problem for problem in hooks.runtime.problems())
    assert not any("please report it" in problem for problem in hooks.runtime.problems())


def test_missing_builder_of_the_host_raises_host_error(modules, host, monkeypatch):
    monkeypatch.delattr(modules.chat, "generate_chat_prompt")
    with pytest.raises(HostError, match="generate_chat_prompt"):
        host.build_prompt("x", {}, history={"internal": []}, continuing=False)


@pytest.mark.parametrize(
    "builder", [lambda messages, options: "", lambda text, state, history: "", "no function"]
)
def test_builder_with_other_arguments_is_not_called(modules, host, tmp_path, builder):
    modules.chat.generate_chat_prompt = builder
    hooks = hooked(tmp_path, host)
    assert send(hooks) is None
    assert not host.features()["chat.generate_chat_prompt"]
    assert any("takes other arguments" in problem for problem in hooks.runtime.problems())


def test_older_hosts_chats_are_found_by_its_own_path_function(modules, host, monkeypatch):
    def path_of(unique_id, character, mode):
        folder = "logs/instruct" if mode == "instruct" else f"logs/chat/{character}"
        return Path(folder, f"{unique_id}.json")

    monkeypatch.delattr(modules.shared, "user_data_dir")
    modules.chat.get_history_file_path = path_of
    assert host.unknown() == ""
    assert host.user_data_folder() == Path.cwd()
    assert host.backup_folder() == Path.cwd() / "long_term_memory_backups"
    saved = Path.cwd() / "logs" / "chat" / "Mira" / "20261121-10-00-00.json"
    assert host.chat_file(page_state()) == saved


def test_chat_of_a_host_with_a_relative_folder_is_saved_once(modules, host, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hooks, state = hooked(tmp_path, host), page_state(mode="chat")
    chats = tmp_path / "user_data" / "logs" / "chat" / "Mira"
    chats.mkdir(parents=True)
    hooks.custom_generate_chat_prompt("and now?", state, history=history_of(("hi", "hello")))
    (chats / f"{state['unique_id']}.json").write_text('{"internal": [], "visible": []}')
    hooks.synchronizer.scan_now()
    assert len(hooks.synchronizer._watched.items()) == 1


@pytest.mark.parametrize(("unique_id", "name"), [(None, "None"), ("None", "None"), ("", "")])
def test_chat_without_an_id_is_looked_for_where_the_host_saves_it(host, unique_id, name):
    found = host.chat_file(page_state(unique_id=unique_id))
    assert (found.stem if found else "") == name
    assert host.chat_file(api_state()) is None


@pytest.mark.parametrize(
    "path_of",
    [
        lambda unique_id, character, mode: Path("elsewhere") / f"{unique_id}.json",
        lambda unique_id, character, mode: None,
        lambda chat: Path("user_data"),
    ],
)
def test_host_with_unknown_chat_folders_is_not_stored(modules, host, tmp_path, path_of):
    assert host.unknown() == ""
    assert host.chat_file(page_state()) is not None
    modules.chat.get_history_file_path = path_of
    assert host.unknown()
    assert host.chat_file(page_state()) is None
    assert host.user_data_folder() is None
    assert host.backup_folder() is None
    hooks, state = hooked(tmp_path, host), page_state()
    hooks.custom_generate_chat_prompt("and now?", state, history=history_of(("hi", "hello")))
    hooks.output_modifier("fine", state, is_chat=True)
    hooks.runtime.run_pending()
    (namespace,) = hooks.runtime.memory.namespaces()
    assert hooks.runtime.memory.counts(namespace)["live"] == 0
    assert any("saved" in problem for problem in hooks.runtime.problems())


def test_host_that_passes_no_history_builds_the_prompt_itself(host, tmp_path):
    hooks = hooked(tmp_path, host)
    state = page_state()
    del state["history"]
    assert hooks.custom_generate_chat_prompt("x", state) is None
    assert any("no history" in problem for problem in hooks.runtime.problems())


def test_host_without_user_information_counts_as_shared(modules, host, monkeypatch):
    assert not host.is_multi_user()
    monkeypatch.delattr(modules.shared, "args")
    assert host.is_multi_user()


def test_settings_are_empty_without_the_hosts_modules(modules, monkeypatch):
    monkeypatch.setitem(sys.modules, "modules.shared", None)
    assert settings_of("long_term_memory") == {}


def test_builders_after_ours_are_named_in_order(modules):
    def extension(build):
        return SimpleNamespace(custom_generate_chat_prompt=build)

    def ours(*_, **__): ...

    modules.extensions.loaded[:] = [
        (SimpleNamespace(), "none"), (extension(ours), "ltm"), (extension(print), "tail"),
    ]  # fmt: skip
    host = TextgenHost(builder=ours)
    assert host.owner_before_us() == ""
    assert host.builders_behind_us() == ["tail"]
    modules.extensions.loaded.reverse()
    assert host.owner_before_us() == "tail"
    assert host.builders_behind_us() == []


def test_each_line_in_the_hosts_log_begins_with_our_name(modules, monkeypatch, caplog):
    ours = logging.getLogger("long_term_memory")
    for name in ("handlers", "filters", "propagate", "level"):
        monkeypatch.setattr(ours, name, getattr(ours, name))
    host_log = SimpleNamespace(logger=SimpleNamespace(handlers=[caplog.handler]))
    monkeypatch.setitem(sys.modules, "modules.logging_colors", host_log)
    log_through_host()
    ours.warning("recall goes on by words alone: %s", "100% offline")
    ours.info("Long-term memory: %s", "1 remembered")
    assert [record.getMessage() for record in caplog.records] == [
        "Long-term memory: recall goes on by words alone: 100% offline",
        "Long-term memory: 1 remembered",
    ]


def test_characters_are_those_of_the_host_and_none_if_it_does_not_list_them(
    host: TextgenHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert host.characters() == []
    utils = SimpleNamespace(get_available_characters=lambda: ["Assistant", "Mira"])
    monkeypatch.setitem(sys.modules, "modules.utils", utils)
    assert host.characters() == ["Assistant", "Mira"]
