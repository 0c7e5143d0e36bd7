-- label_sources: human grades of the documents that a sparse edition labels relevant: number of documents per grade,
-- over all queries (origin 'all') and per origin of queries.
--
-- Only queries that the human edition judges are counted. human_rel is NULL for documents without a human judgment.
-- share: fraction of the documents of the row's origin. level: minimum relevant grade.
-- query_set: only the queries of a set (function query_set).
-- Raises IR102 no such edition, IR103 no such query or set.
CREATE OR REPLACE FUNCTION label_sources(
    human text, sparse text, level integer DEFAULT 1, query_set text DEFAULT 'all')
RETURNS TABLE (origin text, human_rel integer, documents bigint, share double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH pairs AS MATERIALIZED (
        SELECT * FROM label_pairs(label_sources.human, label_sources.sparse, label_sources.query_set))
    SELECT u.origin, p.human_rel, count(*), count(*) / sum(count(*)) OVER (PARTITION BY u.origin)::double precision
      FROM pairs p CROSS JOIN LATERAL (VALUES ('all'), (p.origin)) AS u (origin)
     WHERE p.other_rel >= label_sources.level AND p.query IN (SELECT j.query FROM pairs j WHERE j.human_rel IS NOT NULL)
     GROUP BY u.origin, p.human_rel
     ORDER BY u.origin <> 'all', u.origin <> 'human', u.origin COLLATE "C", p.human_rel DESC NULLS LAST
$$;
COMMENT ON FUNCTION label_sources(text, text, integer, text) IS
    'Human grades of the documents that a sparse edition labels relevant: count and share per grade and origin of '
    'queries';
