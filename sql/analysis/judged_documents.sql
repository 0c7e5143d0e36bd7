-- judged_documents: judged documents in the ranking of each run and query of an edition, best rank first.
--
-- All values are keys. Queries without a judged document in the ranking are omitted. A negative grade counts as not
-- judged.
--
-- OFFSET 0 makes PostgreSQL unnest each list once, not for each judged document of its query.
CREATE OR REPLACE FUNCTION judged_documents(edition integer, runs integer[])
RETURNS TABLE (run integer, query integer, docs bigint[], ranks integer[], rels integer[])
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
    WITH judged AS MATERIALIZED (SELECT j.query, j.doc, j.rel FROM qrels j
                                  WHERE j.edition = judged_documents.edition AND j.rel >= 0)
    SELECT k.run, k.query, array_agg(k.doc ORDER BY k.rank), array_agg(k.rank ORDER BY k.rank),
           array_agg(j.rel::integer ORDER BY k.rank)
      FROM (SELECT r.run, r.query, r.doc, r.rank FROM st1_rankings r
             WHERE r.run = ANY (judged_documents.runs) OFFSET 0) k
      JOIN judged j ON j.query = k.query AND j.doc = k.doc
     GROUP BY k.run, k.query
$$;
COMMENT ON FUNCTION judged_documents(integer, integer[]) IS
    'The judged documents in each ranking, best rank first, one row per run and query; all values are keys';
