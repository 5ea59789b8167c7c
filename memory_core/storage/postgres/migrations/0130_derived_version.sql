-- Which version of the program computed the rows of a namespace from its log (derived_version.py);
-- 0 for one that did not say so.
ALTER TABLE namespaces ADD COLUMN derived integer NOT NULL DEFAULT 0;
