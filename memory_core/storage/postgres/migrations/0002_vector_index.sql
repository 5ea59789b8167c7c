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
