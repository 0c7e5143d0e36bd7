-- label_sources: what people say of the documents that a sparse edition holds for relevant (of the level or better):
-- how many have which human grade, over all queries (origin 'all') and by origin of the query. Only queries that the
-- human edition judges.
--
-- human_rel: NULL for documents that the people were not shown. share: of the documents of the row's origin.
-- Raises IR102 no such edition.
CREATE OR REPLACE FUNCTION label_sources(human text, sparse text, level integer DEFAULT 1)
RETURNS TABLE (origin text, human_rel integer, documents bigint, share double precision)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
    WITH pairs AS MATERIALIZED (SELECT * FROM label_pairs(label_sources.human, label_sources.sparse))
    SELECT u.origin, p.human_rel, count(*), count(*) / sum(count(*)) OVER (PARTITION BY u.origin)::double precision
      FROM pairs p CROSS JOIN LATERAL (VALUES ('all'), (p.origin)) AS u (origin)
     WHERE p.other_rel >= label_sources.level AND p.query IN (SELECT j.query FROM pairs j WHERE j.human_rel IS NOT NULL)
     GROUP BY u.origin, p.human_rel
     ORDER BY u.origin <> 'all', u.origin <> 'human', u.origin COLLATE "C", p.human_rel DESC NULLS LAST
$$;
COMMENT ON FUNCTION label_sources(text, text, integer) IS
'What people say of the documents that a sparse edition holds for relevant';
