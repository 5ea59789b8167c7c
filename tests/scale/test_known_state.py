"""What a program keeps of a namespace never outlives what others write there."""

from itertools import count

import pytest

from memory_core.storage.listing import ListQuery
from memory_core.storage.log.events import EventType
from memory_core.storage.postgres.database import Database
from memory_core.storage.postgres.replacing import delete_namespace
from memory_core.storage.postgres.store import PostgresStore
from tests.builders import added, said
from tests.storage.index.scene import change

SHORT, LONG = "tea", "tea and a long talk about the garden of the neighbours in the spring"
MORE = " which nobody has looked after since their uncle moved abroad last winter"
_NUMBERS = count()


@pytest.fixture
def namespace() -> str:
    return f"known/{next(_NUMBERS)}"


def ranking(store: PostgresStore) -> tuple[list[str], float]:
    return store.fulltext.search(["tea"], limit=9), store.fulltext.corpus(["tea"]).mean_length


def test_lengths_that_another_program_changed_count_at_the_next_search(
    namespace: str, database: Database
) -> None:
    reader, writer = (PostgresStore(database, namespace) for _ in range(2))
    writer.apply([added(1, "id1", said(SHORT, "")), added(2, "id2", said(LONG, ""))], {"talk": 1})
    assert ranking(reader)[0] == ["id1", "id2"]
    edit = [change(EventType.REVISE, "id1", seq=3, user=LONG + MORE, assistant="")]
    writer.apply(edit, {"talk": 2})
    fresh = ranking(PostgresStore(database, namespace))
    assert fresh[0] == ["id2", "id1"]
    assert ranking(reader) == fresh
    writer.apply([change(EventType.REMOVE, "id2", seq=4)], {"talk": 3})
    assert ranking(reader) == ranking(PostgresStore(database, namespace))


def test_list_of_a_deleted_namespace_is_not_that_of_its_successor(
    namespace: str, database: Database
) -> None:
    reader, writer = (PostgresStore(database, namespace) for _ in range(2))
    writer.apply([added(1, "id1", said("the old secret"))], {"talk": 1})
    assert reader.list_memories(ListQuery(limit=9)).total == 1
    with database.transaction(namespace) as connection:
        delete_namespace(connection, namespace)
    lines = [added(1, "id8", said("something new")), added(2, "id9", said("and more"))]
    writer.apply(lines, {"talk": 1})
    assert reader.list_memories(ListQuery(limit=9)).total == len(lines)
