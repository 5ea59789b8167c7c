"""pg_dump, as docs/scale.md says it, is a backup that can be restored into another database."""

from pathlib import Path

from memory_core.domain.namespaces import Namespace
from memory_core.storage.engine import postgres_engine
from memory_core.storage.pauses import ChatPauses, PauseState
from tests.builders import Clock, open_memory, said
from tests.scale.servers import Server
from tests.scale.test_shared_memory import shown

SPACE = Namespace("dumped", "mira")


def test_a_dump_holds_memories_and_pauses(primary: Server, own_dsn: str, tmp_path: Path) -> None:
    root = tmp_path / "memories"
    engine = postgres_engine(own_dsn, root, time_limit_s=30)
    memory = open_memory(tmp_path, open_store=engine, clock=Clock())
    memory.remember(SPACE, "talk", said("My cat is called Biscuit."))
    ChatPauses(root, engine.shared.files).set_pause(
        SPACE, "talk", PauseState(is_writing_paused=True)
    )
    memory.close()
    dump = primary.data.parent / "ltm.dump"
    primary.run("pg_dump", "--format=custom", "--schema=ltm", f"--file={dump}", own_dsn)
    primary.execute("CREATE DATABASE restored")
    primary.execute("CREATE EXTENSION vector", database="restored")
    restored = primary.dsn("restored")
    primary.run("pg_restore", "--clean", "--if-exists", f"--dbname={restored}", str(dump))
    back = postgres_engine(restored, root, time_limit_s=30)
    again = open_memory(tmp_path, open_store=back, clock=Clock())
    assert shown(again, SPACE) == ["My cat is called Biscuit."]
    assert ChatPauses(root, back.shared.files).is_writing_paused(SPACE, "talk")
    again.close()
