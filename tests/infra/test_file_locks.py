"""File locks keep others out, and report a file that cannot be opened."""

import os
import shutil
import stat
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from memory_core.domain.errors import StorageFailed
from memory_core.infra.file_locks import acquire, make_file_lock, try_file_lock


def test_file_lock_refuses_a_second_holder_until_the_first_has_ended(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    with try_file_lock(path) as first:
        with try_file_lock(path) as second:
            assert (first, second) == (True, False)
        with try_file_lock(path) as third:  # the refused one has released nothing
            assert not third
    with try_file_lock(path) as fourth:
        assert fourth


def test_file_lock_is_released_by_an_error_inside_the_block(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    with pytest.raises(LookupError), try_file_lock(path):
        raise LookupError
    with try_file_lock(path) as is_ours:
        assert is_ours


def test_lock_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "folder.d"
    path.parent.touch()  # a file where the folder should be
    with pytest.raises(StorageFailed, match="missing: File exists"), try_file_lock(path):
        pass


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_folder_that_was_removed_is_made_again_for_its_owner_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with try_file_lock(tmp_path / "ana" / "mira" / ".lock") as is_ours:
        assert is_ours
        made = (tmp_path / "ana", tmp_path / "ana" / "mira")
        assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o700}
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.parametrize("are_removed", [False, True])
def test_folders_are_private_also_when_the_lock_is_refused(
    tmp_path: Path, are_removed: bool
) -> None:
    made = (tmp_path / "ana", tmp_path / "ana" / "mira")

    class Refusing(FileLock):
        def acquire(self, timeout: float | None = None) -> None:  # type: ignore[override]
            assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o700}
            if are_removed:  # by another program, at this moment
                shutil.rmtree(made[0])
            made[1].mkdir(parents=True, exist_ok=True)  # as the library does
            raise Timeout(self.lock_file)

    with pytest.raises(Timeout):
        acquire(Refusing(made[1] / ".lock"))
    assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o700}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_file_lock_is_held_on_a_disk_without_modes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "chmod", refuse)
    lock = make_file_lock(tmp_path / "ana" / ".lock")
    acquire(lock)
    assert lock.is_locked
    lock.release()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_mode_of_a_folder_that_another_program_made_is_never_widened(tmp_path: Path) -> None:
    class MadeMeanwhile(FileLock):
        def acquire(self, timeout: float | None = None) -> None:  # type: ignore[override]
            Path(self.lock_file).parent.rmdir()
            Path(self.lock_file).parent.mkdir(mode=0o500)

    acquire(MadeMeanwhile(tmp_path / "ana" / ".lock"))
    assert stat.S_IMODE((tmp_path / "ana").stat().st_mode) == 0o500
