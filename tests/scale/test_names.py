"""Names reach the server as they are, also inside a query and in a list."""

import pytest

from memory_core.storage.postgres.database import Database
from memory_core.storage.postgres.names import literal, original_name, stored_name, text_array

ODD = [
    "",
    "mira",
    "O'Neil",
    "100 %",
    "%s",
    'say "hi"',
    "back\\slash",
    "a\0b",
    "{a,b}",
    "NULL",
    "雪",
]


@pytest.mark.parametrize("name", ODD)
def test_literal_is_read_by_the_server_as_the_name(name: str, database: Database) -> None:
    stored = stored_name(name)
    assert database.rows("", f"SELECT {literal(stored)}, %s::int", 1) == [(stored, 1)]
    assert original_name(stored) == name


def test_text_array_is_read_by_the_server_as_the_names(database: Database) -> None:
    stored = [stored_name(name) for name in ODD]
    assert database.rows("", "SELECT %s::text[]", text_array(stored)) == [(stored,)]
    assert database.rows("", "SELECT %s::text[]", text_array([])) == [([],)]
