-- origin_statistics: statistics of the judged queries of an edition by origin and by type; one row per group, ordered
-- by origin and type.
--
--   by                  any of origin (human, t5, …) and type (query_type). A column not in by is NULL; an empty array
--                       gives one row for all queries. type is also NULL for queries without text
--   level               minimum relevant grade
--   queries             number of judged queries; without_text: those without text, which the lengths ignore
--   mean_words, …       number of words per query, separated by white space
--   pool                pairs of query and document in the edition, including negative grades (pooled, not judged)
--   judged, relevant    pairs with a grade of at least 0, and of at least level; …_a_query: mean per query of the group
--   grades              mean number of documents per query for each grade: {"0": 85.2, "1": …}
--   query_set           only the queries of a set (function query_set)
--
-- Raises IR102 no such edition, IR103 no such query or set, IR202 unknown grouping.
CREATE OR REPLACE FUNCTION origin_statistics(edition text, by text[] DEFAULT '{origin}', level integer DEFAULT 1,
                                             query_set text DEFAULT 'all')
RETURNS TABLE (origin text, type text, queries bigint, without_text bigint, mean_words double precision,
               min_words integer,
               max_words integer, pool bigint, judged bigint, relevant bigint, pool_a_query double precision,
               judged_a_query double precision, relevant_a_query double precision, grades jsonb)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    edition_id CONSTANT integer := edition_key(origin_statistics.edition);
    wrong text;
BEGIN
    SELECT n.name INTO wrong FROM unnest(coalesce(origin_statistics.by, '{NULL}')) n (name)
     WHERE n.name IS NULL OR n.name NOT IN ('origin', 'type') LIMIT 1;
    IF FOUND OR origin_statistics.level IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = CASE WHEN origin_statistics.level IS NULL THEN 'the level is NULL'
                           ELSE format('cannot group queries by %s', coalesce(quote_literal(wrong), 'NULL')) END,
            HINT = 'Group by origin, type or both. level is the minimum relevant grade, usually 1.';
    END IF;
    RETURN QUERY
    WITH told AS MATERIALIZED (
        SELECT q.id, q.text IS NULL OR q.text !~ '\S' AS bare,
               CASE WHEN q.text ~ '\S' THEN cardinality(
                                                        regexp_split_to_array(btrim(q.text, E' \t\r\n\f\v'),
                                                                              '\s+')) END AS words,
               CASE WHEN 'origin' = ANY (origin_statistics.by) THEN q.origin END AS origin,
               CASE WHEN 'type' = ANY (origin_statistics.by) THEN query_type(q.text) END AS type
          FROM unnest(edition_queries(origin_statistics.edition, origin_statistics.query_set)) s (id)
          JOIN st1_queries q ON q.id = s.id),
    graded AS MATERIALIZED (
        SELECT t.origin, t.type, j.rel, count(*) AS documents
          FROM qrels j JOIN told t ON t.id = j.query WHERE j.edition = edition_id GROUP BY t.origin, t.type, j.rel),
    grouped AS (
        SELECT t.origin, t.type, count(*) AS queries, count(*) FILTER (WHERE t.bare) AS bare,
               avg(t.words)::double precision AS mean,
               min(t.words) AS least, max(t.words) AS most
          FROM told t GROUP BY t.origin, t.type)
    SELECT g.origin, g.type, g.queries, g.bare, g.mean, g.least, g.most, d.pool, d.judged, d.relevant,
           d.pool / g.queries::double precision, d.judged / g.queries::double precision,
           d.relevant / g.queries::double precision,
           d.grades
      FROM grouped g
     CROSS JOIN LATERAL (
        SELECT coalesce(sum(r.documents), 0)::bigint AS pool,
               coalesce(sum(r.documents) FILTER (WHERE r.rel >= 0), 0)::bigint AS judged,
               coalesce(sum(r.documents) FILTER (WHERE r.rel >= 0 AND r.rel >= origin_statistics.level),
                        0)::bigint AS relevant,
               jsonb_object_agg(r.rel, r.documents / g.queries::double precision) FILTER (WHERE r.rel >= 0) AS grades
          FROM graded r WHERE r.origin IS NOT DISTINCT FROM g.origin AND r.type IS NOT DISTINCT FROM g.type) d
     ORDER BY g.origin = 'human' DESC, g.origin COLLATE "C", g.type COLLATE "C";
END
$$;
COMMENT ON FUNCTION origin_statistics(text, text[], integer, text) IS
    'Judged queries of an edition by origin and type: number, lengths in words, and pooled, judged and relevant '
    'documents';
