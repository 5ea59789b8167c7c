-- All tables. Every key begins with the namespace, and row-level security lets a connection see the
-- rows of one namespace alone: the one in `ltm.namespace`. A query without it finds nothing, and
-- cannot write for another one. Before the first release, the parts came under smaller numbers.

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;

DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'ltm_application') THEN
    CREATE ROLE ltm_application NOLOGIN;
  END IF;
  IF NOT pg_has_role(current_user, 'ltm_application', 'SET') THEN
    EXECUTE format('GRANT ltm_application TO %I', current_user);
  END IF;
END $$;

CREATE SEQUENCE document_versions;
GRANT USAGE ON SEQUENCE document_versions TO ltm_application;

-- One row for each namespace. Whoever writes to a namespace holds the lock of its row.
-- `next_row`: the number of the next memory. `live`, `length`: of all live memories together, in
-- terms. `last_applied_seq`, `last_seq`: contract.CatalogSummary. `model`: of the vectors in use.
-- `version`: rises with each change. `has_orphans`: vectors that no memory wants may be stored.
-- `merged_groups`: how many groups of full blocks of postings were merged (posting_groups.py).
-- `derived`: which version of the program computed the rows from the log (derived_version.py); 0 for
-- one that did not say so.
CREATE TABLE namespaces (
  namespace text COLLATE "C" PRIMARY KEY,
  next_row integer NOT NULL DEFAULT 1,
  live bigint NOT NULL DEFAULT 0,
  length bigint NOT NULL DEFAULT 0,
  last_applied_seq bigint NOT NULL DEFAULT 0,
  last_seq bigint NOT NULL DEFAULT 0,
  version bigint NOT NULL DEFAULT 0,
  model text NOT NULL DEFAULT '',
  has_orphans boolean NOT NULL DEFAULT false,
  merged_groups integer NOT NULL DEFAULT 0,
  derived integer NOT NULL DEFAULT 0
);

CREATE TABLE log_positions (
  namespace text COLLATE "C" NOT NULL,
  log text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (namespace, log)
) PARTITION BY HASH (namespace);

-- `data`: the record as JSON in text, since jsonb knows no NUL. `user_vector`, `assistant_vector`:
-- ids of the vectors that a live memory wants, 0 for none. All that recall scores of a memory and of
-- its neighbours stands in the index that finds them: a look at the table takes several times as long.
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
  PRIMARY KEY (namespace, row)
    INCLUDE (state, id, length, ts, session, position, user_vector, assistant_vector),
  UNIQUE (namespace, id)
) PARTITION BY HASH (namespace);
CREATE INDEX ON memories (namespace, conversation, position, row);
CREATE INDEX memories_neighbours ON memories (namespace, session, position, row)
  INCLUDE (id, length, ts, user_vector, assistant_vector) WHERE state = 'live';
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
-- Compressing postings and lengths saves little, and each search would undo it.
CREATE TABLE postings (
  namespace text COLLATE "C" NOT NULL,
  term text COLLATE "C" NOT NULL,
  block integer NOT NULL,
  data bytea STORAGE EXTERNAL NOT NULL,
  PRIMARY KEY (namespace, term, block)
) PARTITION BY HASH (namespace);

-- Lengths in terms of the memories of each block. `version`: changes with the block's data, and is
-- never used twice: a program keeps the blocks that it knows.
CREATE TABLE lengths (
  namespace text COLLATE "C" NOT NULL,
  block integer NOT NULL,
  data bytea STORAGE EXTERNAL NOT NULL,
  version bigint NOT NULL DEFAULT nextval('document_versions'),
  PRIMARY KEY (namespace, block)
) PARTITION BY HASH (namespace);

-- Vectors that live memories want. `state`: catalog.VectorState, of the namespace's model.
CREATE TABLE wanted_vectors (
  namespace text COLLATE "C" NOT NULL,
  vector_id bigint NOT NULL,
  row integer NOT NULL,
  side smallint NOT NULL,
  state smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (namespace, vector_id) INCLUDE (row, state)
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

-- The event logs of all namespaces: each line as it stands in a JSONL file, at its byte offset.
-- log_heads has the seq of a namespace's last event, log_ends the size of each log in bytes.
CREATE TABLE log_heads (
  namespace text COLLATE "C" PRIMARY KEY,
  seq bigint NOT NULL,
  written_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE log_ends (
  namespace text COLLATE "C" NOT NULL,
  log text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  PRIMARY KEY (namespace, log)
);

CREATE TABLE log_lines (
  namespace text COLLATE "C" NOT NULL,
  log text COLLATE "C" NOT NULL,
  start bigint NOT NULL,
  seq bigint NOT NULL,  -- 0 for a damaged line
  is_init boolean NOT NULL,  -- may hold a secret for tombstone hashes
  line bytea NOT NULL,
  PRIMARY KEY (namespace, log, start)
) PARTITION BY HASH (namespace);
CREATE INDEX log_lines_init ON log_lines (namespace) WHERE is_init;

-- Small files that are read and replaced as a whole: pauses, held messages and manifests of a
-- namespace, and under the namespace '' the names and the API keys. `version` is never used twice.
CREATE TABLE documents (
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (namespace, name)
) PARTITION BY HASH (namespace);

-- Jobs of the language model, as in job_store.py. A job that a program does is its own until
-- `claimed_until`, by the server's clock.
CREATE TABLE jobs (
  namespace text COLLATE "C" NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY,
  worker text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  not_before double precision NOT NULL DEFAULT 0,
  reason text NOT NULL DEFAULT '',
  claimed_by text NOT NULL DEFAULT '',
  claimed_until timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (namespace, worker, key)
);
CREATE INDEX ON jobs (namespace, worker, not_before, number);

CREATE TABLE job_scans (
  namespace text COLLATE "C" PRIMARY KEY,
  workers text NOT NULL,
  seq bigint NOT NULL
);

CREATE TABLE job_positions (
  namespace text COLLATE "C" NOT NULL,
  log text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (namespace, log)
);

CREATE TABLE jobs_done (
  namespace text COLLATE "C" NOT NULL,
  worker text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  stamp text NOT NULL,
  PRIMARY KEY (namespace, worker, key)
);

CREATE TABLE job_usage (
  namespace text COLLATE "C" NOT NULL,
  worker text COLLATE "C" NOT NULL,
  calls bigint NOT NULL,
  failures bigint NOT NULL,
  prompt_tokens bigint NOT NULL,
  completion_tokens bigint NOT NULL,
  ms bigint NOT NULL,
  PRIMARY KEY (namespace, worker)
);

-- Partitions in which words were erased: dead rows may still hold them until scrub() has run.
-- It names no namespace, so everybody may see it.
CREATE TABLE erased_partitions (
  remainder integer PRIMARY KEY
);
GRANT SELECT, INSERT ON erased_partitions TO ltm_application;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['log_positions', 'memories', 'places', 'derivation_refs',
      'mentioned_times', 'postings', 'lengths', 'wanted_vectors', 'vectors', 'log_lines',
      'documents'] LOOP
    FOR number IN 0..15 LOOP
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
        name || '_' || number, name, number);
    END LOOP;
  END LOOP;
  FOREACH name IN ARRAY ARRAY['namespaces', 'log_positions', 'memories', 'places',
      'derivation_refs', 'mentioned_times', 'postings', 'lengths', 'wanted_vectors', 'vectors',
      'log_heads', 'log_ends', 'log_lines', 'documents', 'jobs', 'job_scans', 'job_positions',
      'jobs_done', 'job_usage'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_namespace ON %I USING '
      '(namespace = current_setting(''ltm.namespace'', true))', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO ltm_application', name);
  END LOOP;
  -- The owner alone may list all namespaces, by the functions below.
  EXECUTE format('CREATE POLICY listing ON log_heads FOR SELECT TO %I USING (true)', current_user);
END $$;

-- The names of all namespaces with memories, and when each was written to; nothing else of them.
CREATE FUNCTION list_namespaces() RETURNS TABLE (name text, written_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ltm, public AS
  'SELECT head.namespace, head.written_at FROM log_heads AS head';
REVOKE ALL ON FUNCTION list_namespaces FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_namespaces TO ltm_application;

-- Which of these namespaces have memories, and when each was written to. Unlike a look at log_heads,
-- it finds several at once, whichever namespace the connection is bound to.
CREATE FUNCTION find_namespaces(names text[])
RETURNS TABLE (name text, written_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ltm, public AS
  'SELECT head.namespace, head.written_at FROM log_heads AS head WHERE head.namespace = ANY(names)';
REVOKE ALL ON FUNCTION find_namespaces FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_namespaces TO ltm_application;

-- Builds the approximate index of one large namespace's vectors: of the connection's own one.
-- The application role owns no table, so the function runs with its owner's rights. Meanwhile
-- nobody can write vectors to this partition; searches and all other writes go on.
CREATE FUNCTION build_vector_index(wanted_model text, dim integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ltm, public
SET maintenance_work_mem = '512MB' AS $$  -- within it, 200,000 vectors are built in memory
DECLARE
  space text := current_setting('ltm.namespace');
  prefix text := 'hnsw_' || left(md5(space), 20) || '_';
  name text := prefix || left(md5(wanted_model), 20);
  partition regclass;
  other text;
BEGIN
  IF to_regclass(name) IS NOT NULL THEN
    RETURN false;
  END IF;
  SELECT v.tableoid::regclass INTO partition FROM vectors AS v WHERE v.namespace = space LIMIT 1;
  IF partition IS NULL THEN
    RETURN false;
  END IF;
  FOR other IN SELECT c.relname FROM pg_class AS c
      WHERE c.relnamespace = 'ltm'::regnamespace AND starts_with(c.relname, prefix) LOOP
    EXECUTE format('DROP INDEX %I', other);
  END LOOP;
  EXECUTE format('CREATE INDEX %I ON %s USING hnsw ((vector::halfvec(%s)) halfvec_ip_ops) '
    'WHERE namespace = %L AND model = %L', name, partition, dim, space, wanted_model);
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION build_vector_index FROM PUBLIC;
GRANT EXECUTE ON FUNCTION build_vector_index TO ltm_application;
