"""The command `completion`: scripts that shells accept and that know the commands."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memory_core.ui.cli.main import main
from tests.ui.cli.conftest import RunCommand

COMPLETE = """
source "$0"
COMP_WORDS=(long-term-memory $1)
COMP_CWORD=$2
_shtab_long_term_memory
echo "${COMPREPLY[@]}"
"""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_names_the_program_and_its_commands(
    shell: str, run_command: RunCommand
) -> None:
    pytest.importorskip("shtab")
    done = run_command("completion", shell)
    assert done.returncode == 0
    for word in ("long-term-memory", "consolidate", "purge-backups", "channel"):
        assert word in done.stdout
    assert "python -m" not in done.stdout


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash to ask")
def test_bash_completes_commands_and_options_by_the_script(
    tmp_path: Path, run_command: RunCommand
) -> None:
    pytest.importorskip("shtab")
    script = tmp_path / "completion"
    script.write_text(run_command("completion", "bash").stdout, encoding="utf-8")

    def completed(words: str, position: int) -> list[str]:
        command = ["bash", "-c", COMPLETE, str(script), words, str(position)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    assert completed("forg", 1) == ["forget"]
    assert completed("names ren", 2) == ["rename"]
    assert completed("forget --chan", 2) == ["--channel"]


def test_completion_without_its_package_names_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    assert 'pip install "shtab' in capsys.readouterr().err
