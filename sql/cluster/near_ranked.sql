-- near_ranked: as qrels/near_ranked.sql, for several servers: Citus cannot join the sources with their neighbours on
-- the shards, so each source needs a separate search, unless all documents are compared.
CREATE OR REPLACE FUNCTION near_ranked(
    sources bigint[], neighbours integer, threshold double precision, field text, space vector_models, effort integer)
RETURNS TABLE (source bigint, doc bigint, similarity double precision, place bigint)
LANGUAGE plpgsql STABLE
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    IF near_ranked.effort = 0 THEN
        RETURN QUERY
        SELECT n.source, n.doc, least(1, -n.distance), n.place
          FROM (SELECT p.source, p.doc, p.distance,
                       row_number() OVER (PARTITION BY p.source ORDER BY p.distance, d.docno DESC) AS place
                  FROM near_shares(near_ranked.sources, near_ranked.threshold, near_ranked.field, space, NULL,
                                   near_ranked.neighbours + 1) p
                  JOIN dblp d ON d.id = p.doc) n
         WHERE n.place <= near_ranked.neighbours;
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format(
        $sql$SELECT s.id, n.doc, least(1, -n.distance), n.place
               FROM (SELECT v.id, l2_normalize(v.%1$I::vector) AS v FROM %2$I v
                       WHERE v.id = ANY ($1) AND v.%1$I IS NOT NULL OFFSET 0) s
              CROSS JOIN LATERAL (SELECT k.doc, k.distance, row_number() OVER (ORDER BY k.rank) AS place
                                    FROM knn(s.v, $2 + 1, $3, $4, NULL, $5) k
                                     WHERE k.doc <> s.id AND k.distance <= -$6) n
              WHERE n.place <= $2$sql$, vector_column(near_ranked.field), (space).relation)
    USING near_ranked.sources, near_ranked.neighbours, near_ranked.field, (space).model,
          near_ranked.effort, near_ranked.threshold;
END
$$;
COMMENT ON FUNCTION near_ranked(bigint[], integer, double precision, text, vector_models, integer) IS
    'Part of near_documents: the neighbours of each source document, ranked';
