-- filter_judged: as corpus/filter_judged.sql. Citus cannot join documents with judgments row by row, but it can read
-- all judged documents first.
CREATE OR REPLACE FUNCTION filter_judged(condition text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN format('d.id IN (SELECT j.doc FROM qrels_judgments j WHERE %s)', condition);
COMMENT ON FUNCTION filter_judged(text) IS
'Part of filter_condition: the condition that a document has a judgment';
