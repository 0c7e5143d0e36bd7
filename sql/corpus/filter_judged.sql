-- filter_judged: the condition that a document d has a judgment j with a condition. Part of filter_condition.
CREATE OR REPLACE FUNCTION filter_judged(condition text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN format('EXISTS (SELECT FROM qrels_judgments j WHERE j.doc = d.id AND %s)', condition);
COMMENT ON FUNCTION filter_judged(text) IS
'Part of filter_condition: the condition that a document has a judgment';
