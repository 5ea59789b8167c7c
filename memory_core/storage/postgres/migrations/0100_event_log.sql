-- The event logs of all namespaces: each line as it stands in a JSONL file, at its byte offset.
-- log_heads has the seq of a namespace's last event, log_ends the size of each log in bytes.
CREATE TABLE log_heads (
    namespace text COLLATE "C" PRIMARY KEY,
    seq bigint NOT NULL
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

DO $$
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format(
            'CREATE TABLE log_lines_%s PARTITION OF log_lines FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
            part, part
        );
    END LOOP;
END
$$;

CREATE INDEX log_lines_init ON log_lines (namespace) WHERE is_init;

-- A query without the session's namespace finds nothing, and cannot write for another one.
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['log_heads', 'log_ends', 'log_lines'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_namespace ON %I USING (namespace = current_setting(''ltm.namespace'', true))',
            name
        );
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO ltm_application', name);
    END LOOP;
END
$$;
