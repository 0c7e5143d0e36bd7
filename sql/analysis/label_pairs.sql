-- label_pairs: grades of two editions for each query and document that either judges, with the origin of the query;
-- unordered.
--
-- Basis of the functions that compare human labels with labels of language models or with sparse labels. human_rel and
-- other_rel are NULL if that edition does not judge the document. The grades are those of the view qrels; a negative
-- grade means "pooled, not judged" (agreement_labels). The first edition is called human because it is the reference.
-- query_set: only the queries of a set (function query_set).
-- Raises IR102 no such edition, IR103 no such query or set.
CREATE OR REPLACE FUNCTION label_pairs(human text, other text, query_set text DEFAULT 'all')
RETURNS TABLE (query integer, origin text, doc bigint, human_rel integer, other_rel integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20000 SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    members CONSTANT integer[] := query_set_ids(label_pairs.query_set);
BEGIN
    PERFORM edition_key(label_pairs.human), edition_key(label_pairs.other);
    RETURN QUERY
    WITH labels AS MATERIALIZED (SELECT * FROM agreement_labels(ARRAY[label_pairs.human, label_pairs.other]))
    SELECT l.query, q.origin, l.doc, l.x, l.y
      FROM (SELECT query, doc, x.rel::integer AS x, y.rel::integer AS y
              FROM (SELECT a.query, a.doc, a.rel FROM labels a WHERE a.place = 1) x
              FULL JOIN (SELECT b.query, b.doc, b.rel FROM labels b WHERE b.place = 2) y USING (query, doc)) l
      JOIN st1_queries q ON q.id = l.query
     WHERE label_pairs.query_set = 'all' OR q.id = ANY (members);
END
$$;
COMMENT ON FUNCTION label_pairs(text, text, text) IS
    'The grades of two editions per query and document that either judges, with the origin of the query; NULL '
    'where not judged';
