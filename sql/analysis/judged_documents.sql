-- judged_documents: judged documents in the ranking of each run and query of an edition, best rank first.
--
-- All values are keys. Queries without a judged document in the ranking are omitted. A negative grade counts as not
-- judged.
--
-- The lists of a query are joined with its judgments by hashing, as in judged_lists.
CREATE OR REPLACE FUNCTION judged_documents(edition integer, runs integer[])
RETURNS TABLE (run integer, query integer, docs bigint[], ranks integer[], rels integer[])
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off
SET enable_nestloop = off SET enable_mergejoin = off AS $$
    SELECT d.run, judged.query, d.docs, d.ranks, d.rels
      FROM (SELECT j.query, array_agg(j.doc) AS docs, array_agg(j.rel::integer) AS rels FROM qrels j
             WHERE j.edition = judged_documents.edition AND j.rel >= 0 GROUP BY j.query OFFSET 0) judged
     CROSS JOIN LATERAL (
           SELECT p.run, array_agg(p.doc ORDER BY p.rank) AS docs, array_agg(p.rank ORDER BY p.rank) AS ranks,
                  array_agg(p.rel ORDER BY p.rank) AS rels
             FROM (SELECT k.run, k.doc, k.first - 1 + array_position(k.docs, k.doc) AS rank, j.rel
                     FROM (SELECT l.run, l.first, l.docs, unnest(l.docs) AS doc FROM ranked_lists l
                            WHERE l.query = judged.query AND l.run = ANY (judged_documents.runs) OFFSET 0) k
                     JOIN unnest(judged.docs, judged.rels) AS j (doc, rel) ON j.doc = k.doc OFFSET 0) p
            GROUP BY p.run) d
$$;
COMMENT ON FUNCTION judged_documents(integer, integer[]) IS
    'The judged documents in each ranking, best rank first, one row per run and query; all values are keys';
