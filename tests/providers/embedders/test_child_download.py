"""A download in a child process ends when it is stopped or its parent ends."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from memory_core.domain.errors import EmbedderUnavailable
from memory_core.infra.deadlines import start_in_thread
from memory_core.providers.embedders import child_download
from memory_core.providers.embedders.child_download import ChildDownload, DownloadStopped
from memory_core.providers.embedders.fastembed import FastEmbedEmbedder

PATIENCE_S = 120
_TELL_AND_HANG = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(600)"


def python(code: str) -> ChildDownload:
    return ChildDownload((sys.executable, "-c", code))


def wait_for(path: Path, running: Future[None]) -> None:
    pause = threading.Event()
    for _ in range(PATIENCE_S * 20):
        if path.exists() or running.done():
            return
        pause.wait(0.05)


def test_download_that_ends_well_returns() -> None:
    python("pass").run([])


def test_failed_download_reports_the_last_line_of_its_error() -> None:
    with pytest.raises(OSError, match="no route to hub"):
        python("raise OSError('no route to hub')").run([])


def test_failed_download_without_output_reports_its_exit_code() -> None:
    with pytest.raises(OSError, match="code 7"):
        python("import os; os._exit(7)").run([])


def test_stopped_download_ends_its_process_at_once(tmp_path: Path) -> None:
    download = python(_TELL_AND_HANG)
    running = start_in_thread(lambda: download.run([str(tmp_path / "begun")]))
    wait_for(tmp_path / "begun", running)
    download.cancel()
    with pytest.raises(DownloadStopped):
        running.result(timeout=PATIENCE_S)


@pytest.mark.skipif(sys.platform == "win32", reason="process groups")
def test_ctrl_c_in_the_terminal_does_not_reach_the_download(tmp_path: Path) -> None:
    told = tmp_path / "group"
    python(f"import os, pathlib; pathlib.Path({str(told)!r}).write_text(str(os.getpgrp()))").run([])
    assert int(told.read_text()) != os.getpgrp()


def test_stopped_download_does_not_start_again() -> None:
    download = python("pass")
    download.cancel()
    with pytest.raises(DownloadStopped):
        download.run([])


def test_fetching_program_ends_with_the_one_that_started_it() -> None:
    command = [*child_download._COMMAND, "nothing", "x", "y"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=PATIENCE_S) != 0


@pytest.fixture
def hanging_hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A hub that takes requests and never answers; the event is set by the first one."""
    asked, ends = threading.Event(), threading.Event()

    class Hangs(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.set()
            ends.wait(PATIENCE_S)

        do_HEAD = do_GET  # noqa: N815  (of http.server)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hangs)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    yield asked
    ends.set()
    server.shutdown()
    server.server_close()
    thread.join()


def test_download_of_a_model_can_be_stopped(tmp_path: Path, hanging_hub: threading.Event) -> None:
    embedder = FastEmbedEmbedder(cache_dir=tmp_path)
    preparing = start_in_thread(embedder.prepare)
    assert hanging_hub.wait(PATIENCE_S)
    embedder.cancel()
    with pytest.raises(EmbedderUnavailable, match="the download was stopped"):
        preparing.result(timeout=PATIENCE_S)
    process = embedder._download._process
    assert process is not None
    assert process.poll() is not None
