-- bm25_scored: score documents for bm25_weighted, which describes the arguments and the rows. state: the row of
-- text_index with the parameters, and the numbers of documents and tokens to compute with. filter: not used on one
-- server; cluster/bm25_scored.sql is for several.
CREATE OR REPLACE FUNCTION bm25_scored(
    lexemes text[], weights double precision[], k integer, live boolean, docs bigint[], state text_index, filter jsonb
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    RETURN QUERY
    WITH words AS MATERIALIZED (
        SELECT f.term,
               f.weight * ln(1 + (state.documents - f.df + 0.5) / (f.df + 0.5))::double precision
                   * (state.k1 + 1) AS weight
          FROM (SELECT lexeme_term(w.lexeme) AS term, w.weight,
                       CASE WHEN bm25_scored.live
                            THEN (SELECT count(*) FROM dblp_text t WHERE t.tsv @@ lexeme_term(w.lexeme))
                            ELSE (SELECT x.documents FROM text_lexemes x
                                   WHERE x.lexeme = w.lexeme COLLATE "C") END AS df
                  FROM unnest(bm25_scored.lexemes, bm25_scored.weights) w (lexeme, weight)) f
         WHERE f.df > 0),
    best AS (
        SELECT p.id, sum(p.weight * p.tf / (p.tf + p.norm))::real::double precision AS value
          FROM (SELECT m.id, m.weight, term_frequency(m.tsv, m.term)::double precision AS tf,
                       state.k1 * (1 - state.b + state.b * state.documents / state.tokens * smallfloat_byte4(
                           CASE WHEN bm25_scored.live THEN text_length(m.tsv) ELSE l.tokens END)) AS norm
                  FROM (SELECT t.id, t.tsv, w.term, w.weight FROM words w JOIN dblp_text t ON t.tsv @@ w.term
                         WHERE bm25_scored.docs IS NULL
                        UNION ALL
                        SELECT t.id, t.tsv, w.term, w.weight
                          FROM dblp_text t,
                               -- OFFSET: otherwise the planner may write all documents to disk, to read them per word.
                               LATERAL (SELECT w.term, w.weight FROM words w WHERE t.tsv @@ w.term OFFSET 0) w
                               -- (SELECT …): the index is read once in the order of the ids.
                         WHERE bm25_scored.docs IS NOT NULL
                           AND t.id = ANY ((SELECT bm25_scored.docs)::bigint[])) m
                  LEFT JOIN text_lengths l ON l.id = m.id AND NOT bm25_scored.live
                OFFSET 0) p  -- computes each frequency once
         GROUP BY p.id
         ORDER BY value DESC
         FETCH FIRST bm25_scored.k ROWS WITH TIES)
    SELECT s.id, s.value, (row_number() OVER (ORDER BY s.value DESC, d.docno DESC))::integer
      FROM best s JOIN dblp d ON d.id = s.id
     ORDER BY s.value DESC, d.docno DESC
     LIMIT bm25_scored.k;
END
$$;
COMMENT ON FUNCTION bm25_scored(text[], double precision[], integer, boolean, bigint[], text_index, jsonb) IS
'Part of bm25_weighted: score documents by the statistics of the collection, and return the best';
