-- label_queries: the queries that an edition judges, with their origin and their numbers of judged and of relevant
-- documents; by name.
--
-- level is the minimum relevant grade. The grades are those of the view qrels; a negative grade means "pooled, not
-- judged".
-- query_set: only the queries of a set (function query_set).
-- Raises IR102 no such edition, IR103 no such query or set, IR202 level is NULL.
CREATE OR REPLACE FUNCTION label_queries(edition text, level integer DEFAULT 1, query_set text DEFAULT 'all')
RETURNS TABLE (query text, origin text, judged bigint, relevant bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    members CONSTANT integer[] := query_set_ids(label_queries.query_set);
BEGIN
    PERFORM edition_key(label_queries.edition);
    IF label_queries.level IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the minimum relevant grade is missing',
            HINT = 'level is the lowest grade that counts as relevant, usually 1.';
    END IF;
    RETURN QUERY
    SELECT q.query::text, q.origin, l.judged, l.relevant
      FROM (SELECT a.query, count(*) AS judged, count(*) FILTER (WHERE a.rel >= label_queries.level) AS relevant
              FROM agreement_labels(ARRAY[label_queries.edition]) a
             WHERE label_queries.query_set = 'all' OR a.query = ANY (members) GROUP BY a.query) l
      JOIN st1_queries q ON q.id = l.query
     ORDER BY q.query COLLATE "C";
END
$$;
COMMENT ON FUNCTION label_queries(text, integer, text) IS
    'The queries that an edition judges: origin, number of judged documents, and number of relevant documents; by '
    'name';
