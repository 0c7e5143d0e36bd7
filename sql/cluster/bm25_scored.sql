-- bm25_scored: as retrieval/bm25_scored.sql, for several servers: each shard scores its documents, sorts them and
-- returns k and those that equal the last one. filter: the shards check it while they score; NULL is all documents.
CREATE OR REPLACE FUNCTION bm25_scored(
    lexemes text[], weights double precision[], k integer, live boolean, docs bigint[], state text_index, filter jsonb
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
DECLARE
    terms tsquery[];
    factors double precision[];
    fixed CONSTANT double precision := (state).k1 * (1 - (state).b);
    per_token CONSTANT double precision := (state).k1 * (state).b * (state).documents / (state).tokens;
    condition CONSTANT text := filter_condition(bm25_scored.filter);
    found record;
    ids bigint[] := '{}';
    scores double precision[] := '{}';
BEGIN
    SELECT array_agg(lexeme_term(f.lexeme)),
           array_agg(f.weight * ln(1 + ((state).documents - f.df + 0.5) / (f.df + 0.5))::double precision
                         * ((state).k1 + 1))
      INTO terms, factors
      FROM unnest(bm25_scored.lexemes, bm25_scored.weights,
                  lexeme_documents(bm25_scored.lexemes, bm25_scored.live)) f (lexeme, weight, df)
     WHERE f.df > 0;
    IF terms IS NULL THEN
        RETURN;
    END IF;
    -- A loop, because Citus writes the rows of a subquery with a limit to a file.
    FOR found IN EXECUTE format(
        $sql$SELECT t.id, bm25_score(t.tsv, $2, $3, $4 + $5 * smallfloat_byte4(%1$s)) AS value
               FROM dblp_text t %2$s WHERE t.tsv @@ $8 %3$s
              ORDER BY value DESC FETCH FIRST $6 ROWS WITH TIES$sql$,
        CASE WHEN bm25_scored.live THEN 'text_length(t.tsv)' ELSE 'l.tokens' END,
        concat(CASE WHEN NOT bm25_scored.live THEN 'JOIN text_lengths l ON l.id = t.id' END,
               CASE WHEN condition IS NOT NULL THEN ' JOIN dblp_facts d ON d.id = t.id' END),
        concat(CASE WHEN bm25_scored.docs IS NOT NULL THEN 'AND t.id = ANY ($7)' END, ' AND ' || condition))
    USING bm25_scored.filter, terms, factors, fixed, per_token, bm25_scored.k, bm25_scored.docs,
          array_to_string(terms, ' | ')::tsquery LOOP
        ids := ids || found.id;
        scores := scores || found.value;
    END LOOP;
    RETURN QUERY SELECT * FROM rank_documents(ids, scores, bm25_scored.k);
END
$$;
COMMENT ON FUNCTION bm25_scored(text[], double precision[], integer, boolean, bigint[], text_index, jsonb) IS
'Part of bm25_weighted: score documents by the statistics of the collection, and return the best';
