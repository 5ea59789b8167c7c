-- The searchable view of all namespaces. Every key begins with the namespace, and row-level
-- security lets a connection see the rows of one namespace alone: the one in `ltm.namespace`.

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;

DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'ltm_application') THEN
    CREATE ROLE ltm_application NOLOGIN;
  END IF;
  IF NOT pg_has_role(current_user, 'ltm_application', 'SET') THEN
    EXECUTE format('GRANT ltm_application TO %I', current_user);
  END IF;
END $$;

-- One row for each namespace. Whoever writes to a namespace holds the lock of its row.
-- `next_row`: the number of the next memory. `live`, `length`: of all live memories together, in
-- terms. `last_applied_seq`, `last_seq`: contract.CatalogSummary. `model`: of the vectors in use.
-- `version`: rises with each change. `has_orphans`: vectors that no memory wants may be stored.
CREATE TABLE namespaces (
  namespace text COLLATE "C" PRIMARY KEY,
  next_row integer NOT NULL DEFAULT 1,
  live bigint NOT NULL DEFAULT 0,
  length bigint NOT NULL DEFAULT 0,
  last_applied_seq bigint NOT NULL DEFAULT 0,
  last_seq bigint NOT NULL DEFAULT 0,
  version bigint NOT NULL DEFAULT 0,
  model text NOT NULL DEFAULT '',
  has_orphans boolean NOT NULL DEFAULT false
);

CREATE TABLE log_positions (
  namespace text COLLATE "C" NOT NULL,
  log text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (namespace, log)
) PARTITION BY HASH (namespace);

-- `data`: the record as JSON in text, since jsonb knows no NUL. `user_vector`, `assistant_vector`:
-- ids of the vectors that a live memory wants, 0 for none.
CREATE TABLE memories (
  namespace text COLLATE "C" NOT NULL,
  row integer NOT NULL,
  id text COLLATE "C" NOT NULL,
  conversation text COLLATE "C" NOT NULL,
  position double precision NOT NULL,
  kind text COLLATE "C" NOT NULL,
  ts double precision,
  state text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  chat_key text COLLATE "C" NOT NULL,
  user_key text COLLATE "C" NOT NULL,
  assistant_key text COLLATE "C" NOT NULL,
  always_in_prompt boolean NOT NULL,
  pinned boolean NOT NULL,
  channel text COLLATE "C" NOT NULL,
  first_seq bigint NOT NULL,
  seq bigint NOT NULL,
  length integer NOT NULL,
  session integer NOT NULL,
  user_vector bigint NOT NULL,
  assistant_vector bigint NOT NULL,
  data text NOT NULL,
  PRIMARY KEY (namespace, row),
  UNIQUE (namespace, id)
) PARTITION BY HASH (namespace);
CREATE INDEX ON memories (namespace, conversation, position, row);
CREATE INDEX ON memories (namespace, session, position, row) WHERE state = 'live';
CREATE INDEX ON memories (namespace, state, ts, row);
CREATE INDEX ON memories (namespace, chat_key);
CREATE INDEX ON memories (namespace, key) WHERE key <> chat_key;
CREATE INDEX ON memories (namespace, kind) WHERE kind <> 'exchange';
CREATE INDEX ON memories (namespace, row) WHERE always_in_prompt;
CREATE INDEX ON memories (namespace, row) WHERE state = 'forgotten' AND key <> '';

-- Where the conversations show each exchange now.
CREATE TABLE places (
  namespace text COLLATE "C" NOT NULL,
  conversation text COLLATE "C" NOT NULL,
  position double precision NOT NULL,
  row integer NOT NULL,
  PRIMARY KEY (namespace, conversation, position, row)
) PARTITION BY HASH (namespace);
CREATE INDEX ON places (namespace, row);

-- What notes that are not forgotten refer to: sources, subject, key, the one that replaced them.
CREATE TABLE derivation_refs (
  namespace text COLLATE "C" NOT NULL,
  relation text COLLATE "C" NOT NULL,
  target text COLLATE "C" NOT NULL,
  row integer NOT NULL,
  PRIMARY KEY (namespace, relation, target, row)
) PARTITION BY HASH (namespace);
CREATE INDEX ON derivation_refs (namespace, row);

-- Times that the texts of live memories mention; `number`: their order in a text.
CREATE TABLE mentioned_times (
  namespace text COLLATE "C" NOT NULL,
  row integer NOT NULL,
  number integer NOT NULL,
  begins double precision NOT NULL,
  ends double precision NOT NULL,
  said_at double precision NOT NULL,
  PRIMARY KEY (namespace, row, number)
) PARTITION BY HASH (namespace);
CREATE INDEX ON mentioned_times (namespace, begins);

-- Postings of live memories: one row for each term and each block of memory numbers (postings.py).
CREATE TABLE postings (
  namespace text COLLATE "C" NOT NULL,
  term text COLLATE "C" NOT NULL,
  block integer NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (namespace, term, block)
) PARTITION BY HASH (namespace);

-- Lengths in terms of the memories of each block.
CREATE TABLE lengths (
  namespace text COLLATE "C" NOT NULL,
  block integer NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (namespace, block)
) PARTITION BY HASH (namespace);

-- Vectors that live memories want. `state`: catalog.VectorState, of the namespace's model.
CREATE TABLE wanted_vectors (
  namespace text COLLATE "C" NOT NULL,
  vector_id bigint NOT NULL,
  row integer NOT NULL,
  side smallint NOT NULL,
  state smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (namespace, vector_id)
) PARTITION BY HASH (namespace);
CREATE INDEX ON wanted_vectors (namespace, row, side);
CREATE INDEX ON wanted_vectors (namespace, row, side) WHERE state = 0;

-- Vectors by content, of any model. One that no memory wants is wiped by maintain() or erase().
CREATE TABLE vectors (
  namespace text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  vector_id bigint NOT NULL,
  vector halfvec NOT NULL,
  PRIMARY KEY (namespace, model, vector_id)
) PARTITION BY HASH (namespace);

DO $$
DECLARE
  name text;
  number integer;
BEGIN
  FOREACH name IN ARRAY ARRAY['log_positions', 'memories', 'places', 'derivation_refs',
      'mentioned_times', 'postings', 'lengths', 'wanted_vectors', 'vectors'] LOOP
    FOR number IN 0..15 LOOP
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
        name || '_' || number, name, number);
    END LOOP;
  END LOOP;
  FOREACH name IN ARRAY ARRAY['namespaces', 'log_positions', 'memories', 'places',
      'derivation_refs', 'mentioned_times', 'postings', 'lengths', 'wanted_vectors', 'vectors'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_namespace ON %I USING '
      '(namespace = current_setting(''ltm.namespace'', true))', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO ltm_application', name);
  END LOOP;
END $$;
