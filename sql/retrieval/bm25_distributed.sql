-- bm25_distributed: bm25_weighted in a distributed collection; terms and weights are those of its words, documents and
-- tokens the counts of the whole collection.
--
-- Each shard scores its documents, sorts them and returns k and those that equal the last one. filter: the shards check
-- it while they score (filter_on_shards); NULL is all documents.
CREATE OR REPLACE FUNCTION bm25_distributed(
    terms tsquery[], weights double precision[], k integer, live boolean, docs bigint[], state text_index,
    filter jsonb DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
DECLARE
    any_term CONSTANT tsquery := array_to_string(bm25_distributed.terms, ' | ')::tsquery;
    fixed CONSTANT double precision := (state).k1 * (1 - (state).b);
    per_token CONSTANT double precision := (state).k1 * (state).b * (state).documents / (state).tokens;
    condition CONSTANT text := filter_condition(bm25_distributed.filter);
    found record;
    ids bigint[] := '{}';
    scores double precision[] := '{}';
BEGIN
    -- A loop, because Citus writes the rows of a subquery with a limit to a file.
    FOR found IN EXECUTE format(
        $sql$SELECT t.id, bm25_score(t.tsv, $2, $3, $4 + $5 * smallfloat_byte4(%1$s)) AS value
               FROM dblp_text t %2$s WHERE t.tsv @@ $8 %3$s
              ORDER BY value DESC FETCH FIRST $6 ROWS WITH TIES$sql$,
        CASE WHEN bm25_distributed.live THEN 'text_length(t.tsv)' ELSE 'l.tokens' END,
        concat(CASE WHEN NOT bm25_distributed.live THEN 'JOIN text_lengths l ON l.id = t.id' END,
               CASE WHEN condition IS NOT NULL THEN ' JOIN dblp_facts d ON d.id = t.id' END),
        concat(CASE WHEN bm25_distributed.docs IS NOT NULL THEN 'AND t.id = ANY ($7)' END, ' AND ' || condition))
    USING bm25_distributed.filter, bm25_distributed.terms, bm25_distributed.weights, fixed, per_token,
          bm25_distributed.k, bm25_distributed.docs, any_term LOOP
        ids := ids || found.id;
        scores := scores || found.value;
    END LOOP;
    RETURN QUERY SELECT * FROM rank_documents(ids, scores, bm25_distributed.k);
END
$$;
COMMENT ON FUNCTION bm25_distributed(tsquery[], double precision[], integer, boolean, bigint[], text_index, jsonb) IS
'Part of bm25_weighted: each shard of a distributed collection scores and sorts its documents';
