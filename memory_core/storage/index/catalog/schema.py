"""The tables of one namespace's catalogue, and the triggers that keep them in step."""

VERSION = 13
_LIVE = "SELECT row FROM entries WHERE sitting = {0}.sitting AND state = 'live'"
_MARK_NEIGHBOURS = (
    f"REPLACE INTO moved(row) SELECT row FROM ({_LIVE} "  # noqa: S608
    "AND (place, row) < (new.place, new.row) ORDER BY place DESC, row DESC LIMIT 1){1}; "
    f"REPLACE INTO moved(row) SELECT row FROM ({_LIVE} "
    "AND (place, row) > (new.place, new.row) ORDER BY place, row LIMIT 1){1}; "
)
# Who moves into a sitting or leaves it is a new neighbour there; its first leaves nobody behind.
# So is who lives again or no more.
_NEIGHBOUR_TRIGGERS = (
    "CREATE TRIGGER move AFTER UPDATE OF sitting ON entries WHEN new.sitting != old.sitting BEGIN "  # noqa: S608
    f"REPLACE INTO moved(row) VALUES (new.row); {_MARK_NEIGHBOURS.format('new', '')}"
    f"{_MARK_NEIGHBOURS.format('old', ' WHERE old.sitting != new.row')} END",
    "CREATE TRIGGER live AFTER UPDATE OF state ON entries "  # noqa: S608
    "WHEN (new.state = 'live') != (old.state = 'live') BEGIN "
    f"REPLACE INTO moved(row) VALUES (new.row); {_MARK_NEIGHBOURS.format('new', '')} END",
)
SCHEMA = (
    "CREATE TABLE logs(log TEXT PRIMARY KEY, position INTEGER NOT NULL)",
    """CREATE TABLE entries(
    row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, conversation TEXT NOT NULL,
    place REAL NOT NULL, kind TEXT NOT NULL, ts REAL, state TEXT NOT NULL, key TEXT NOT NULL,
    chat_key TEXT NOT NULL, user_key TEXT NOT NULL, assistant_key TEXT NOT NULL,
    user_name TEXT NOT NULL, assistant_name TEXT NOT NULL, stands INTEGER NOT NULL,
    born INTEGER NOT NULL, seq INTEGER NOT NULL, length INTEGER NOT NULL, sitting INTEGER NOT NULL,
    data TEXT NOT NULL
    )""",
    "CREATE INDEX by_conversation ON entries(conversation, place, row)",
    "CREATE INDEX by_chat_key ON entries(chat_key)",
    # Where each exchange stands now; a branch shares those before it. `conversation` and `place`
    # of an entry itself are those in which it was met first, and stay.
    """CREATE TABLE places(
    conversation TEXT NOT NULL, place REAL NOT NULL, row INTEGER NOT NULL,
    PRIMARY KEY (conversation, place, row)
    ) WITHOUT ROWID""",
    "CREATE INDEX by_placed_row ON places(row)",
    "CREATE INDEX by_state ON entries(state, ts)",
    # A memory mostly says what its chat says: then `chat_key` is its key, too. Keys are drawn by
    # lot, so that a second index of all takes a fifth of an import's writes.
    "CREATE INDEX by_other_key ON entries(key) WHERE key != chat_key",
    "CREATE INDEX by_born ON entries(born)",
    "CREATE INDEX by_kind ON entries(kind) WHERE kind != 'exchange'",
    "CREATE INDEX by_stand ON entries(state) WHERE stands = 1",
    # Of all that was ever forgotten, what still has words.
    "CREATE INDEX by_erasable ON entries(row) WHERE state = 'forgotten' AND key != ''",
    "CREATE INDEX by_sitting ON entries(sitting, state, place, row)",
    # What hangs on a live entry: its terms, its vectors, the times that it speaks of.
    # The words: word_index.py.
    """CREATE TABLE segments(
    first INTEGER PRIMARY KEY, last INTEGER NOT NULL, name TEXT NOT NULL
    )""",
    """CREATE TABLE unsealed(
    stamp INTEGER PRIMARY KEY, row INTEGER NOT NULL UNIQUE, user TEXT, assistant TEXT
    )""",
    "CREATE TABLE moved(stamp INTEGER PRIMARY KEY, row INTEGER NOT NULL UNIQUE)",
    # `kept`: catalogue.Kept.
    """CREATE TABLE vectors(
    vector_id INTEGER PRIMARY KEY, row INTEGER NOT NULL, side INTEGER NOT NULL,
    kept INTEGER NOT NULL DEFAULT 0
    )""",
    "CREATE INDEX by_vector_row ON vectors(row, side)",
    # Vectors that may be on the disk still: vector_marks.py. Who wants one again takes it out.
    "CREATE TABLE gone(vector_id INTEGER PRIMARY KEY)",
    """CREATE TRIGGER go AFTER DELETE ON vectors BEGIN
    INSERT OR IGNORE INTO gone VALUES (old.vector_id); END""",
    "CREATE TABLE checked(model TEXT NOT NULL)",
    "INSERT INTO checked VALUES ('')",
    "CREATE INDEX by_lack ON vectors(row DESC, side) WHERE kept = 0",
    """CREATE TABLE happened(
    row INTEGER NOT NULL, start REAL NOT NULL, end REAL NOT NULL, said REAL NOT NULL
    )""",
    "CREATE INDEX by_happened_row ON happened(row)",
    "CREATE INDEX by_start ON happened(start, end, said, row)",
    # Counting all live entries for every message would cost 50 ms at a million. Who adds entries
    # counts them, saving.py; a trigger for each takes a tenth of an import.
    # `sealings` rises when the segments are exchanged; where it begins tells files apart. `seq` is
    # the highest of all lines that were applied.
    """CREATE TABLE totals(
    live INTEGER NOT NULL, length INTEGER NOT NULL, sealings INTEGER NOT NULL, seq INTEGER NOT NULL
    )""",
    "INSERT INTO totals VALUES (0, 0, abs(random() % 1000000000), 0)",
    """CREATE TRIGGER count_change AFTER UPDATE OF state, length ON entries BEGIN
    UPDATE totals SET
    live = live + (new.state = 'live') - (old.state = 'live'),
    length = length + (new.state = 'live') * new.length - (old.state = 'live') * old.length; END""",
    *_NEIGHBOUR_TRIGGERS,
)
