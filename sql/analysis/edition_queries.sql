-- edition_queries: ids of the judged queries of an edition that belong to a set (query_set), ordered by query name.
--
-- Raises IR102 no such edition, IR103 no such query or set, IR202 no query of the set is judged.
CREATE OR REPLACE FUNCTION edition_queries(edition text, query_set text DEFAULT 'all') RETURNS integer[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT ARRAY(
        SELECT q.id
          FROM unnest((evaluation_keys('{}', edition_queries.edition, '{1}', edition_queries.query_set)).query_ids)
               AS j (id)
          JOIN st1_queries q ON q.id = j.id
         ORDER BY q.query COLLATE "C")
$$;
COMMENT ON FUNCTION edition_queries(text, text) IS 'Ids of the judged queries of an edition that belong to a set';
