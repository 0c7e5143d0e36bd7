-- agreement_labels: grades given by each side, one row per side (its position in the list), query and document;
-- unordered.
--
-- If a side has several judgments of a document, the one that the view qrels would select counts: final before human
-- before llm before knn, then the earliest. A side of a pool has the grades of pool_grades. A negative grade means
-- "pooled, not judged" and is omitted. query_set: only the queries of a set (query_set).
-- Raises IR102, IR202 as agreement_side, IR103 the set names no query.
CREATE OR REPLACE FUNCTION agreement_labels(sides text[], query_set text DEFAULT 'all')
RETURNS TABLE (place integer, query integer, doc bigint, rel smallint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 50000 SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH side AS MATERIALIZED (
        SELECT u.place::integer AS place, k.edition_id, k.origin, k.annotator, k.pool
          FROM unnest(agreement_labels.sides) WITH ORDINALITY AS u (side, place), agreement_side(u.side) k)
    SELECT l.place, l.query, l.doc, l.rel
      FROM (SELECT DISTINCT ON (s.place, j.query, j.doc) s.place, j.query, j.doc, j.rel
              FROM side s
              JOIN qrels_judgments j
                ON j.edition = s.edition_id AND (s.origin IS NULL OR j.origin = s.origin)
               AND (s.annotator IS NULL OR j.annotator = s.annotator COLLATE "C")
             WHERE agreement_labels.query_set = 'all'
                OR j.query IN (SELECT unnest(query_set_ids(agreement_labels.query_set)))
             ORDER BY s.place, j.query, j.doc, NOT j.final, origin_precedence(j.origin),
                   CASE WHEN j.final THEN -j.id ELSE j.id END) l
     WHERE l.rel >= 0
     UNION ALL
    SELECT s.place, g.query, g.doc, g.rel
      FROM side s CROSS JOIN LATERAL pool_grades(s.pool, s.annotator) g
     WHERE s.pool IS NOT NULL
       AND (agreement_labels.query_set = 'all'
            OR g.query IN (SELECT unnest(query_set_ids(agreement_labels.query_set))))
$$;
COMMENT ON FUNCTION agreement_labels(text[], text) IS
    'Grades given by each side, per query and document; negative grades (not judged) are omitted';
