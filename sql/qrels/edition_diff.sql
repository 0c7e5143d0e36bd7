-- edition_diff: differences between two editions, one row per query and document that either judges; unordered.
--
-- change: same, changed (another grade), added (only b judges it) or removed (only a judges it). Grades and origins are
-- those of the view qrels.
-- Raises IR102 no such edition.
CREATE OR REPLACE FUNCTION public.edition_diff(a text, b text)
RETURNS TABLE (query text, doc bigint, docno text, change text, rel_a smallint, rel_b smallint, origin_a text,
               origin_b text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    a_id integer := edition_key(edition_diff.a);
    b_id integer := edition_key(edition_diff.b);
BEGIN
    RETURN QUERY
    SELECT q.query, d.id, d.docno,
           CASE WHEN x.rel IS NULL THEN 'added' WHEN y.rel IS NULL THEN 'removed' WHEN x.rel <> y.rel THEN 'changed'
                ELSE 'same' END,
           x.rel, y.rel, x.origin, y.origin
      FROM (SELECT * FROM qrels j WHERE j.edition = a_id) x
      FULL JOIN (SELECT * FROM qrels j WHERE j.edition = b_id) y ON y.query = x.query AND y.doc = x.doc
      JOIN st1_queries q ON q.id = coalesce(x.query, y.query)
      JOIN dblp d ON d.id = coalesce(x.doc, y.doc);
END
$$;
COMMENT ON FUNCTION public.edition_diff(text, text) IS
    'Two editions compared, one row per query and document: same, changed, added (only in b) or removed (only in a)';
