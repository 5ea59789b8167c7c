"""The tables of one namespace's catalog, and the triggers that keep them in step."""

import sqlite3

VERSION = 22
_LIVE = "SELECT row FROM entries WHERE session = {0}.session AND state = 'live'"
_MARK_NEIGHBOURS = (
    f"REPLACE INTO stale_neighbours(row) SELECT row FROM ({_LIVE} "  # noqa: S608
    "AND (position, row) < (new.position, new.row) ORDER BY position DESC, row DESC LIMIT 1){1}; "
    f"REPLACE INTO stale_neighbours(row) SELECT row FROM ({_LIVE} "
    "AND (position, row) > (new.position, new.row) ORDER BY position, row LIMIT 1){1}; "
)
# An entry that enters or leaves a session changes the neighbours there, as does one that starts or
# ceases to be live. A session that its first entry leaves is empty: it has no neighbours to mark.
_NEIGHBOUR_TRIGGERS = (
    "CREATE TRIGGER mark_session_change AFTER UPDATE OF session ON entries "  # noqa: S608
    "WHEN new.session != old.session BEGIN "
    f"REPLACE INTO stale_neighbours(row) VALUES (new.row); {_MARK_NEIGHBOURS.format('new', '')}"
    f"{_MARK_NEIGHBOURS.format('old', ' WHERE old.session != new.row')} END",
    "CREATE TRIGGER mark_state_change AFTER UPDATE OF state ON entries "  # noqa: S608
    "WHEN (new.state = 'live') != (old.state = 'live') BEGIN "
    "REPLACE INTO stale_neighbours(row) VALUES (new.row); "
    f"{_MARK_NEIGHBOURS.format('new', '')} END",
)
_SCHEMA = (
    "CREATE TABLE logs(log TEXT PRIMARY KEY, position INTEGER NOT NULL)",
    """CREATE TABLE entries(
    row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, conversation TEXT NOT NULL,
    position REAL NOT NULL, kind TEXT NOT NULL, ts REAL, state TEXT NOT NULL, key TEXT NOT NULL,
    chat_key TEXT NOT NULL, user_key TEXT NOT NULL, assistant_key TEXT NOT NULL,
    user_name TEXT NOT NULL, assistant_name TEXT NOT NULL, always_in_prompt INTEGER NOT NULL,
    first_seq INTEGER NOT NULL, seq INTEGER NOT NULL, length INTEGER NOT NULL,
    session INTEGER NOT NULL, data TEXT NOT NULL
    )""",
    "CREATE INDEX by_conversation ON entries(conversation, position, row)",
    "CREATE INDEX by_chat_key ON entries(chat_key)",
    # Current positions of each exchange; a branch shares those before it. An entry's own columns
    # `conversation` and `position` are those in which it was seen first, and never change.
    """CREATE TABLE positions(
    conversation TEXT NOT NULL, position REAL NOT NULL, row INTEGER NOT NULL,
    PRIMARY KEY (conversation, position, row)
    ) WITHOUT ROWID""",
    "CREATE INDEX by_positioned_row ON positions(row)",
    "CREATE INDEX by_state ON entries(state, ts)",
    # Most memories say what their chat says: then `key` equals `chat_key`. Keys are hashes in no
    # order: an index of all of them would take a fifth of an import's writes.
    "CREATE INDEX by_other_key ON entries(key) WHERE key != chat_key",
    "CREATE INDEX by_first_seq ON entries(first_seq)",
    "CREATE INDEX by_kind ON entries(kind) WHERE kind != 'exchange'",
    "CREATE INDEX by_always_in_prompt ON entries(state) WHERE always_in_prompt = 1",
    # The forgotten entries that still have words, a few of all that was ever forgotten.
    "CREATE INDEX by_erasable ON entries(row) WHERE state = 'forgotten' AND key != ''",
    "CREATE INDEX by_session ON entries(session, state, position, row)",
    # References of notes that are not forgotten; `relation` and `target`: rows.py.
    """CREATE TABLE derivation_refs(
    relation TEXT NOT NULL, target TEXT NOT NULL, row INTEGER NOT NULL,
    PRIMARY KEY (relation, target, row)
    ) WITHOUT ROWID""",
    "CREATE INDEX by_deriving_row ON derivation_refs(row)",
    # The rest belongs to live entries: their words (word_index.py), vectors and mentioned times.
    """CREATE TABLE segments(
    first INTEGER PRIMARY KEY, last INTEGER NOT NULL, name TEXT NOT NULL
    )""",
    """CREATE TABLE uncompacted_words(
    stamp INTEGER PRIMARY KEY, row INTEGER NOT NULL UNIQUE, user TEXT, assistant TEXT
    )""",
    "CREATE TABLE stale_neighbours(stamp INTEGER PRIMARY KEY, row INTEGER NOT NULL UNIQUE)",
    # `vector_state`: catalog.VectorState.
    """CREATE TABLE vectors(
    vector_id INTEGER PRIMARY KEY, row INTEGER NOT NULL, side INTEGER NOT NULL,
    vector_state INTEGER NOT NULL DEFAULT 0
    )""",
    "CREATE INDEX by_vector_row ON vectors(row, side)",
    # Unwanted vectors that may still be on the disk: vector_rows.py. One wanted again leaves it.
    "CREATE TABLE orphaned_vectors(vector_id INTEGER PRIMARY KEY)",
    """CREATE TRIGGER orphan_vector AFTER DELETE ON vectors BEGIN
    INSERT OR IGNORE INTO orphaned_vectors VALUES (old.vector_id); END""",
    "CREATE TABLE checked_model(model TEXT NOT NULL)",
    "INSERT INTO checked_model VALUES ('')",
    "CREATE INDEX by_missing_vector ON vectors(row DESC, side) WHERE vector_state = 0",
    """CREATE TABLE mentioned_times(
    row INTEGER NOT NULL, start REAL NOT NULL, end REAL NOT NULL, said_at REAL NOT NULL
    )""",
    "CREATE INDEX by_mentioned_row ON mentioned_times(row)",
    "CREATE INDEX by_mentioned_start ON mentioned_times(start, end, said_at, row)",
    # Counting all live entries for every message would cost 50 ms at a million. writes.py counts
    # the entries that it adds: a trigger for each would take a tenth of an import.
    # `index_generation` rises when the segments are replaced; its random start distinguishes
    # files. `seq` is the highest of all lines that were applied.
    """CREATE TABLE totals(
    live INTEGER NOT NULL, length INTEGER NOT NULL, index_generation INTEGER NOT NULL,
    seq INTEGER NOT NULL
    )""",
    """CREATE TRIGGER count_change AFTER UPDATE OF state, length ON entries BEGIN
    UPDATE totals SET
    live = live + (new.state = 'live') - (old.state = 'live'),
    length = length + (new.state = 'live') * new.length - (old.state = 'live') * old.length; END""",
    *_NEIGHBOUR_TRIGGERS,
)


def fill(db: sqlite3.Connection) -> None:
    """Makes all tables of an empty catalog, in one transaction."""
    db.execute("BEGIN")
    for statement in (*_SCHEMA, f"PRAGMA user_version = {VERSION}"):
        db.execute(statement)
    db.execute("INSERT INTO totals VALUES (0, 0, abs(random() % 1000000000), 0)")
    db.execute("COMMIT")
