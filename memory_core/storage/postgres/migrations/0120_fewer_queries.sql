-- What lets a program ask less for each message.

-- Changes with the block's data, and is never used twice: a program keeps the blocks that it knows.
ALTER TABLE lengths ADD COLUMN version bigint NOT NULL DEFAULT nextval('document_versions');

-- Which of these namespaces have memories, and when each was written to. Unlike a look at log_heads,
-- it finds several at once, whichever namespace the connection is bound to.
CREATE FUNCTION find_namespaces(names text[])
RETURNS TABLE (name text, written_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ltm, public AS
  'SELECT head.namespace, head.written_at FROM log_heads AS head WHERE head.namespace = ANY(names)';
REVOKE ALL ON FUNCTION find_namespaces FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_namespaces TO ltm_application;

-- How many groups of full blocks of postings were merged (posting_groups.py).
ALTER TABLE namespaces ADD COLUMN merged_groups integer NOT NULL DEFAULT 0;

-- Compressing postings and lengths saves little, and each search would undo it.
DO $$ BEGIN
  FOR part IN 0..15 LOOP
    EXECUTE format('ALTER TABLE postings_%s ALTER COLUMN data SET STORAGE EXTERNAL', part);
    EXECUTE format('ALTER TABLE lengths_%s ALTER COLUMN data SET STORAGE EXTERNAL', part);
  END LOOP;
END $$;

-- All that recall scores of a memory and of its neighbours stands in the index that finds them: a
-- look at the table takes several times as long.
CREATE INDEX memories_neighbours ON memories (namespace, session, position, row)
  INCLUDE (id, length, ts, user_vector, assistant_vector) WHERE state = 'live';
DROP INDEX memories_namespace_session_position_row_idx;
ALTER TABLE memories DROP CONSTRAINT memories_pkey, ADD PRIMARY KEY (namespace, row)
  INCLUDE (state, id, length, ts, session, position, user_vector, assistant_vector);
ALTER TABLE wanted_vectors DROP CONSTRAINT wanted_vectors_pkey,
  ADD PRIMARY KEY (namespace, vector_id) INCLUDE (row, state);
