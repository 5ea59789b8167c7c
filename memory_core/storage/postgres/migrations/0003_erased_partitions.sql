-- Partitions in which words were erased: dead rows may still hold them until scrub() has run.
-- It names no namespace, so everybody may see it.
CREATE TABLE erased_partitions (
  remainder integer PRIMARY KEY
);
GRANT SELECT, INSERT ON erased_partitions TO ltm_application;
