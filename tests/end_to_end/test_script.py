"""The host loads script.py by both routes, from a folder of any name, twice in a process."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STAND_IN = Path(__file__).parent / "script_host"

_LOAD = """
import importlib, importlib.util, json, sys, threading
from pathlib import Path

route, folder = sys.argv[1], Path(sys.argv[2])
from modules import extensions, shared

def load():
    if route == "user_data":
        name, path = f"user_ext_{folder.name}", folder / "script.py"
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(f"extensions.{folder.name}.script")
    extensions.loaded[:] = [(module, folder.name)]
    module.setup()
    return module

shared.settings[f"{folder.name}-embedder.kind"] = "none"
shared.settings[f"{folder.name}-lines"] = 3
first, second = load(), load()
state = {"mode": "chat", "name1": "Ana", "name2": "Mira", "character_menu": "Mira",
         "unique_id": "x", "truncation_length": 2048, "max_new_tokens": 64, "context": "",
         "history": {}}
history = {"internal": [["hi", "hello"]], "visible": [["hi", "hello"]], "metadata": {}}
prompt = second.custom_generate_chat_prompt("How are you?", state, history=history, _continue=False)
print(json.dumps({
    "prompt": prompt,
    "strange": [second.custom_generate_chat_prompt("How are you?", state, history, "more"),
                second.custom_generate_chat_prompt(["How are you?"])],
    "same_hooks": first._hooks is second._hooks,
    "fault": second._hooks is None and second._fault,
    "lines": second._hooks.runtime.settings.recall.lines,
    "threads": sorted(it.name for it in threading.enumerate() if it.name.startswith("ltm-")),
    "owner": second._hooks.host.owner_before_us(),
    "home": str(second._hooks.runtime.installation.folder),
}))
"""


def loaded(route: str, folder: Path) -> dict:
    return json.loads(ran(route, folder).stdout.splitlines()[-1])


def ran(route: str, folder: Path) -> subprocess.CompletedProcess[str]:
    paths = [str(STAND_IN), str(folder.parent.parent)]
    result = subprocess.run(
        [sys.executable, "-c", _LOAD, route, str(folder)],
        capture_output=True, text=True, timeout=60, cwd=folder.parent.parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result


@pytest.fixture(scope="module")
def usual_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(tmp_path_factory.mktemp("usual") / "user_data_extensions" / "long_term_memory")


@pytest.fixture(scope="module")
def usual(usual_folder: Path) -> subprocess.CompletedProcess[str]:
    """Returns the output of a program that loaded the extension from the usual folder."""
    return ran("user_data", usual_folder)


def installed(folder: Path) -> Path:
    shutil.copytree(ROOT / "memory_core", folder / "memory_core")
    for name in ("script.py", "ltm_config.json", "requirements.txt"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def test_script_loads_twice_from_the_users_extensions_with_one_runtime(usual_folder, usual):
    assert_loaded_twice(json.loads(usual.stdout.splitlines()[-1]), usual_folder)


@pytest.mark.parametrize("name", [pytest.param("my memory (2)", marks=pytest.mark.slow), "记忆"])
def test_script_loads_twice_from_a_folder_of_any_name(tmp_path, name):
    folder = installed(tmp_path / "user_data_extensions" / name)
    assert_loaded_twice(loaded("user_data", folder), folder)


def assert_loaded_twice(found, folder):
    assert found["prompt"] == "hi\nhello\nHow are you?"
    assert found["strange"] == [None, None]
    assert found["same_hooks"]
    assert found["threads"] == ["ltm-deriver", "ltm-listener", "ltm-writer"]
    assert found["owner"] == ""
    assert found["home"] == str(folder)


def test_script_loads_from_the_hosts_own_extensions(tmp_path):
    found = loaded("extensions", installed(tmp_path / "extensions" / "ltm2"))
    assert found["prompt"] == "hi\nhello\nHow are you?"
    assert found["threads"] == ["ltm-deriver", "ltm-listener", "ltm-writer"]


def test_the_hosts_settings_yaml_wins(usual):
    assert json.loads(usual.stdout.splitlines()[-1])["lines"] == 3


_WITHOUT = """
import importlib.util, sys
sys.modules["filelock"] = None
spec = importlib.util.spec_from_file_location("user_ext_ltm", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
module.setup()
print(module.custom_generate_chat_prompt("hi", {}, history={}))
print(module.output_modifier("text", {}, is_chat=True))
print(module._fault)
"""


def test_a_missing_package_stops_neither_host_nor_chat_and_is_named(tmp_path):
    folder = installed(tmp_path / "e" / "ltm")
    result = subprocess.run(
        [sys.executable, "-c", _WITHOUT, str(folder / "script.py")],
        capture_output=True, text=True, timeout=60, cwd=folder,
        env={**os.environ, "PYTHONPATH": str(STAND_IN)},
    )  # fmt: skip
    prompt, text, fault = result.stdout.splitlines()
    assert (prompt, text) == ("None", "text")
    assert fault.startswith("Long-term memory is off: ")
    assert "filelock" in fault
    assert "Run cmd_windows.bat" in fault
    assert f'pip install -r "{folder / "requirements.txt"}" --upgrade' in fault
    assert "Traceback" not in result.stderr


def test_the_hosts_console_shows_each_note_once_however_often_it_loads(usual):
    notes = [line for line in usual.stderr.splitlines() if line.startswith("Long-term memory: ")]
    beginnings = (
        "Long-term memory: version ",
        "Long-term memory: settings that differ: recall.lines = 3, ",
        "Long-term memory: recalled 0 of 0 candidates for Mira in ",
    )
    assert len(notes) == len(set(notes))
    for beginning in beginnings:
        assert len([note for note in notes if note.startswith(beginning)]) == 1
