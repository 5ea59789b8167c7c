-- What programs share beside the logs, so that they need no folder in common.

-- Small files that are read and replaced as a whole: pauses, held messages and manifests of a
-- namespace, and under the namespace '' the names and the API keys. `version` is never used twice.
CREATE SEQUENCE document_versions;
GRANT USAGE ON SEQUENCE document_versions TO ltm_application;
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

ALTER TABLE log_heads ADD COLUMN written_at timestamptz NOT NULL DEFAULT clock_timestamp();

DO $$
DECLARE
  name text;
BEGIN
  FOR part IN 0..15 LOOP
    EXECUTE format('CREATE TABLE documents_%s PARTITION OF documents '
      'FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['documents', 'jobs', 'job_scans', 'job_positions', 'jobs_done',
      'job_usage'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_namespace ON %I USING '
      '(namespace = current_setting(''ltm.namespace'', true))', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO ltm_application', name);
  END LOOP;
  -- The owner alone may list all namespaces, by the function below.
  EXECUTE format('CREATE POLICY listing ON log_heads FOR SELECT TO %I USING (true)', current_user);
END $$;

-- The names of all namespaces with memories, and when each was written to; nothing else of them.
CREATE FUNCTION list_namespaces() RETURNS TABLE (name text, written_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ltm, public AS
  'SELECT head.namespace, head.written_at FROM log_heads AS head';
REVOKE ALL ON FUNCTION list_namespaces FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_namespaces TO ltm_application;
