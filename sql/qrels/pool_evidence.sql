-- pool_evidence: grade and label of the documents of a pool, one row per query and document; query and doc are keys.
--
--   sheet  whether assessors judge the document; false for documents that a sampled pool did not draw, and for those
--          that the pool excluded because an edition had judged them
--   rel    its grade (pool_judged), or that of the excluded edition; NULL if not judged
--   label  its grade in the edition labels, such as that of a language model, as a share of the edition's highest grade
--
-- Nested loops are off, because a pool that was just made has no statistics.
-- Raises IR102 no such edition, IR110 no such pool, IR405 labels has no judgment of these documents.
CREATE OR REPLACE FUNCTION pool_evidence(pool text, edition text DEFAULT NULL, labels text DEFAULT NULL)
RETURNS TABLE (query integer, doc bigint, sheet boolean, rel smallint, label double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp SET jit = off SET enable_nestloop = off AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(pool_evidence.pool);
    stored jsonb := (SELECT p.params FROM qrels_pools p WHERE p.id = pool_id);
    excluded integer := (SELECT e.id FROM qrels_editions e WHERE e.edition = stored ->> 'without');
    labels_id integer := CASE WHEN pool_evidence.labels IS NOT NULL THEN edition_key(pool_evidence.labels) END;
    top double precision := (SELECT greatest(max(j.rel), 1) FROM qrels j WHERE j.edition = labels_id);
BEGIN
    IF labels_id IS NOT NULL AND NOT EXISTS (
            SELECT FROM qrels_pool_documents d JOIN qrels j ON j.query = d.query AND j.doc = d.doc
             WHERE d.pool = pool_id AND j.edition = labels_id AND j.rel >= 0) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('%L judges no document of pool %L', pool_evidence.labels, pool_evidence.pool),
            HINT = 'Label the documents of the pool first, for example with a language model, or omit the labels.';
    END IF;
    RETURN QUERY
    SELECT k.query, k.doc, k.sheet, k.rel, j.rel / top
      FROM (SELECT d.query, d.doc, true AS sheet, d.rel
              FROM pool_judged(pool_evidence.pool, pool_evidence.edition) d
             UNION ALL
            SELECT u.query, u.doc, false, NULL FROM qrels_pool_undrawn u WHERE u.pool = pool_id
             UNION ALL
            SELECT e.query, e.doc, false, e.rel
              FROM qrels e
             WHERE e.edition = excluded AND e.rel >= 0
               AND e.query IN (SELECT d.query FROM qrels_pool_documents d WHERE d.pool = pool_id)
               AND NOT EXISTS (SELECT FROM qrels_pool_documents d
                                WHERE d.pool = pool_id AND d.query = e.query AND d.doc = e.doc)
               AND NOT EXISTS (SELECT FROM qrels_pool_undrawn d
                                WHERE d.pool = pool_id AND d.query = e.query AND d.doc = e.doc)) k
      LEFT JOIN qrels j ON j.edition = labels_id AND j.query = k.query AND j.doc = k.doc AND j.rel >= 0
     ORDER BY k.query, k.doc;
END
$$;
COMMENT ON FUNCTION pool_evidence(text, text, text) IS
    'Documents of a pool, ordered by query, with their grade and that of labels, such as those of a language model; '
    'NULL if there is none';
