-- bm25_distributed: bm25_weighted in a distributed collection; terms and weights are those of its words, documents and
-- tokens the counts of the whole collection.
--
-- Each shard scores its documents, sorts them and returns k and those that equal the last one.
CREATE OR REPLACE FUNCTION bm25_distributed(
    terms tsquery[], weights double precision[], k integer, live boolean, docs bigint[], state text_index
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc, public, pg_temp
SET jit = off
AS $$
DECLARE
    any_term CONSTANT tsquery := array_to_string(bm25_distributed.terms, ' | ')::tsquery;
    fixed CONSTANT double precision := (state).k1 * (1 - (state).b);
    per_token CONSTANT double precision := (state).k1 * (state).b * (state).documents / (state).tokens;
    ids bigint[];
    scores double precision[];
BEGIN
    EXECUTE format(
        $sql$SELECT array_agg(b.id), array_agg(b.value)
               FROM (SELECT t.id, bm25_score(t.tsv, $2, $3, $4 + $5 * smallfloat_byte4(%s)) AS value
                       FROM dblp_text t %s WHERE t.tsv @@ $1 %s
                      ORDER BY value DESC FETCH FIRST $6 ROWS WITH TIES) b$sql$,
        CASE WHEN bm25_distributed.live THEN 'text_length(t.tsv)' ELSE 'l.tokens' END,
        CASE WHEN NOT bm25_distributed.live THEN 'JOIN text_lengths l ON l.id = t.id' END,
        CASE WHEN bm25_distributed.docs IS NOT NULL THEN 'AND t.id = ANY ($7)' END)
       INTO ids, scores
      USING any_term, bm25_distributed.terms, bm25_distributed.weights, fixed, per_token, bm25_distributed.k,
            bm25_distributed.docs;
    RETURN QUERY
    WITH named AS (SELECT d.id, d.docno FROM dblp d WHERE d.id = ANY (ids))
    SELECT u.id, u.value, (row_number() OVER (ORDER BY u.value DESC, n.docno DESC))::integer
      FROM unnest(ids, scores) u (id, value) JOIN named n ON n.id = u.id
     ORDER BY u.value DESC, n.docno DESC
     LIMIT bm25_distributed.k;
END
$$;
COMMENT ON FUNCTION bm25_distributed(tsquery[], double precision[], integer, boolean, bigint[], text_index) IS
'Part of bm25_weighted: each shard of a distributed collection scores and sorts its documents';
