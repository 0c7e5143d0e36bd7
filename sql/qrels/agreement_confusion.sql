-- agreement_confusion: number of documents per comparison, query, grade of the reference and grade of the other side.
-- agreement and its confidence intervals are computed from these rows.
--
-- side (the reference), others, every: as in agreement_pairs. topic is the query's name if the query has no topic.
-- Pairs of grades that do not occur have no row, nor has a comparison without a document graded by both.
-- query_set: only the queries of a set (query_set).
-- Raises IR102, IR202, IR405 as agreement_pairs, IR103 the set names no query.
CREATE OR REPLACE FUNCTION public.agreement_confusion(side text, others text[] DEFAULT '{}',
                                                      every boolean DEFAULT false,
                                                      query_set text DEFAULT 'all')
RETURNS TABLE (place bigint, reference text, other text, topic text, query text, reference_rel integer,
               other_rel integer, pairs bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    sides text[];
BEGIN
    PERFORM query_set_ids(agreement_confusion.query_set);
    sides := ARRAY(SELECT DISTINCT s.side COLLATE "C"
                     FROM agreement_pairs(agreement_confusion.side, agreement_confusion.others,
                                          agreement_confusion.every) p
                    CROSS JOIN LATERAL (VALUES (p.reference), (p.other)) AS s (side));
    RETURN QUERY
    WITH labels AS MATERIALIZED (SELECT * FROM agreement_labels(sides, agreement_confusion.query_set)),
    compared AS (
        SELECT p.*, array_position(sides, p.reference) AS a, array_position(sides, p.other) AS b
          FROM agreement_pairs(agreement_confusion.side, agreement_confusion.others, agreement_confusion.every) p),
    cells AS (
        SELECT c.place, c.reference, c.other, x.query, x.rel::integer AS x, y.rel::integer AS y, count(*) AS n
          FROM compared c
          JOIN labels x ON x.place = c.a
          JOIN labels y ON y.place = c.b AND y.query = x.query AND y.doc = x.doc
         GROUP BY c.place, c.reference, c.other, x.query, x.rel, y.rel)
    SELECT c.place, c.reference, c.other, coalesce(t.topic, q.query), q.query, c.x, c.y, c.n
      FROM cells c JOIN st1_queries q ON q.id = c.query LEFT JOIN st1_topics t ON t.id = q.topic
     ORDER BY c.place, q.query COLLATE "C", c.x, c.y;
END
$$;
COMMENT ON FUNCTION public.agreement_confusion(text, text[], boolean, text) IS
    'Confusion matrix of the grades of two sides: number of documents per comparison, query and pair of grades';
