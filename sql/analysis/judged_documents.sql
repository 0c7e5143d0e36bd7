-- judged_documents: of each run and query of an edition the judged documents the ranking holds, best rank first. All by
-- keys; a query the run has nothing judged for is left out, and so is a judgment below 0: it counts as none.
CREATE OR REPLACE FUNCTION judged_documents(edition integer, runs integer[])
RETURNS TABLE (run integer, query integer, docs bigint[], ranks integer[], rels integer[])
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp SET jit = off AS $$
    WITH judged AS MATERIALIZED (SELECT j.query, j.doc, j.rel FROM qrels j
                                  WHERE j.edition = judged_documents.edition AND j.rel >= 0)
    SELECT k.run, k.query, array_agg(k.doc ORDER BY k.rank), array_agg(k.rank ORDER BY k.rank),
           array_agg(j.rel::integer ORDER BY k.rank)
      FROM judged j JOIN st1_rankings k ON k.query = j.query AND k.doc = j.doc
     WHERE k.run = ANY (judged_documents.runs)
     GROUP BY k.run, k.query
$$;
COMMENT ON FUNCTION judged_documents(integer, integer[]) IS
'The judged documents of each run and query, best rank first, all by keys';
