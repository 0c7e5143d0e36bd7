-- label_confusion: number of documents per pair of grades in two editions, over all queries (origin 'all') and per
-- origin of queries.
--
-- Pairs of grades that do not occur have no row. query_set: only the queries of a set (function query_set).
-- Raises IR102 no such edition, IR103 no such query or set.
CREATE OR REPLACE FUNCTION label_confusion(human text, other text, query_set text DEFAULT 'all')
RETURNS TABLE (origin text, human_rel integer, other_rel integer, pairs bigint)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT u.origin, p.human_rel, p.other_rel, count(*)
      FROM label_pairs(label_confusion.human, label_confusion.other, label_confusion.query_set) p
     CROSS JOIN LATERAL (VALUES ('all'), (p.origin)) AS u (origin)
     WHERE p.human_rel IS NOT NULL AND p.other_rel IS NOT NULL
     GROUP BY u.origin, p.human_rel, p.other_rel
     ORDER BY u.origin <> 'all', u.origin <> 'human', u.origin COLLATE "C", p.human_rel, p.other_rel
$$;
COMMENT ON FUNCTION label_confusion(text, text, text) IS
    'Confusion matrix of the grades in two editions: number of documents per pair of grades, over all queries and '
    'per origin';
