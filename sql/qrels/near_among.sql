-- near_among: near_documents, for a caller that knows for each source some documents among which its neighbours are.
--
-- near: an array of pairs of a source and a document, among which are the nearest neighbours + 1 documents of each
-- source by an exact search (stcollection/vectors/exact.py): only these are compared. If it is NULL, or lacks a source
-- that has a vector, near_documents compares all documents, or uses the index. The other parameters are those of
-- near_documents.
CREATE OR REPLACE FUNCTION near_among(
    sources bigint[], neighbours integer, threshold double precision, field text, model text, effort integer,
    near bigint[])
RETURNS TABLE (source bigint, doc bigint, similarity double precision, place bigint)
LANGUAGE plpgsql STABLE
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(near_among.model);
    complete boolean;
BEGIN
    IF near_among.near IS NOT NULL THEN
        EXECUTE format(
            'SELECT NOT EXISTS (SELECT FROM %I v WHERE v.id = ANY ($1) AND v.id <> ALL ($2) AND v.%I IS NOT NULL)',
            space.relation, vector_column(near_among.field))
           INTO complete
          USING near_among.sources, ARRAY(SELECT DISTINCT near[i][1] FROM generate_subscripts(near_among.near, 1) i);
    END IF;
    IF complete THEN
        RETURN QUERY EXECUTE format(
            $sql$WITH s AS MATERIALIZED (SELECT v.id, l2_normalize(v.%1$I) AS v FROM %2$I v WHERE v.id = ANY ($1))
                 SELECT n.source, n.doc, least(1, -n.distance), n.place
                   FROM (SELECT p.source, p.doc, p.distance,
                                row_number() OVER (PARTITION BY p.source ORDER BY p.distance, d.docno DESC) AS place
                           FROM (SELECT s.id AS source, o.id AS doc, s.v <#> l2_normalize(o.%1$I) AS distance
                                   FROM (SELECT ($2)[i][1] AS source, ($2)[i][2] AS doc
                                           FROM generate_subscripts($2, 1) i) c
                                   JOIN s ON s.id = c.source
                                   JOIN %2$I o ON o.id = c.doc AND o.id <> s.id) p
                           JOIN dblp d ON d.id = p.doc
                          WHERE p.distance <= -$3) n
                  WHERE n.place <= $4$sql$, vector_column(near_among.field), space.relation)
        USING near_among.sources, near_among.near, near_among.threshold, near_among.neighbours;
        RETURN;
    END IF;
    RETURN QUERY SELECT n.source, n.doc, n.similarity, n.place
                   FROM near_documents(near_among.sources, near_among.neighbours, near_among.threshold,
                                       near_among.field, near_among.model, near_among.effort) n;
END
$$;
COMMENT ON FUNCTION near_among(bigint[], integer, double precision, text, text, integer, bigint[]) IS
    'Nearest neighbours of each source document, given documents among which they are';
