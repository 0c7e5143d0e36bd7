-- bm25_on_shards: the k documents with the highest BM25 scores in a distributed collection whose shards have an index
-- of pg_textsearch each. Part of bm25_search and rm3_search. Scores and order are those of bm25_weighted, which
-- computes them if the indexes cannot be used.
--
-- A shard's index ranks by the statistics of this shard. The search therefore reads more documents than it
-- returns, computes their scores from the statistics of all documents, and stops when no other document can be among
-- the first k. Let L(d) be the score of a document in the index of its shard s, and G(d) its score in the collection:
--
--   L(d) = sum over words w of  qtf(w) · idf_s(w) · (k1 + 1) · f_s(w, d)
--   G(d) = sum over words w of  weight(w) · idf(w) · (k1 + 1) · f(w, d)
--
--   f_s = tf / (tf + k1 (1 − b + b · length / a_s)),   f = tf / (tf + k1 (1 − b + b · length / a))
--
-- where a_s and a are the average lengths in the shard and in the collection. Let r_s = max(1, a / a_s). Then
-- f <= r_s · f_s: if a <= a_s, the denominator of f is the larger one; otherwise it is at least that of f_s divided by
-- r_s, because each of its parts is. With least_idf(w), the smallest idf_s(w) / r_s of the shards that have the word
-- (text_lexemes), it follows that
--
--   L(d) >= sum over words w of  cost(w) · f(w, d)   with   cost(w) = qtf(w) · least_idf(w) · (k1 + 1)
--
-- bm25_bound computes the largest G that this and 0 <= f <= 1 allow for a given L. It grows with L, and a document that
-- the index did not return has at most the L of the last one that it returned. Two rounds:
--
--   1. Each shard returns the scores G of its first documents and the bound of the others. The k-th score of all shards
--      is a lower bound of the final k-th score.
--   2. A shard whose bound reaches this score doubles the number of documents that it reads until its bound is below
--      it (bm25_shard).
--
-- A document that was not scored is then below the k-th score, so the first k are exact, and so are those that equal
-- the last one; ties are ordered by docno as everywhere. Cf. the thresholds of Fagin, Lotem & Naor, PODS 2001, and the
-- two rounds of Cao & Wang, PODC 2004.
--
-- typed: the query for the indexes. lexemes, weights, filter: as in bm25_weighted. condition: the filter's condition
-- (filter_condition), which reads no other table. matched: about how many documents match it. engine: the requested
-- engine.
--
-- An index that is missing or has another size than after the build is not used: shards were moved, or documents were
-- added by a transaction that did not commit (text_index_touched).
-- Raises IR401 an index is damaged, or is not that of the build and pg_textsearch is requested.
CREATE OR REPLACE FUNCTION bm25_on_shards(
    typed text, lexemes text[], weights double precision[], k integer, state text_index, engine text,
    filter jsonb DEFAULT NULL, condition text DEFAULT NULL, matched bigint DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET enable_seqscan = on
SET client_min_messages = notice
AS $$
DECLARE
    spread CONSTANT integer := cardinality(array_remove((state).anchors, NULL));
    first bigint;
    known text[];
    dfs integer[];
    idfs double precision[];
    terms tsquery[];
    factors double precision[];
    costs double precision[];
    complete boolean;
    search jsonb;
    asked bigint[] := array_remove((state).anchors, NULL);
    one record;
    docs bigint[] := '{}';
    scores double precision[] := '{}';
    bounds double precision[] := '{}';
    anchors bigint[] := '{}';
    touched boolean := false;
    kth double precision;
BEGIN
    -- A separate statement: Citus plans one with the words' table as a whole, and slowly.
    SELECT array_agg(x.lexeme), array_agg(x.documents), array_agg(x.least_idf) INTO known, dfs, idfs
      FROM text_lexemes x WHERE x.lexeme = ANY (bm25_on_shards.lexemes);
    WITH typed_words AS MATERIALIZED (
        SELECT q.lexeme, CASE count(*) OVER () WHEN 1 THEN 1 ELSE q.qtf END AS qtf
          FROM query_words((state).config, bm25_on_shards.typed) q)
    SELECT array_agg(lexeme_term(w.lexeme) ORDER BY w.weight / w.cost DESC),
           array_agg(w.weight ORDER BY w.weight / w.cost DESC), array_agg(w.cost ORDER BY w.weight / w.cost DESC),
           bool_and(w.cost IS NOT NULL)
      INTO terms, factors, costs, complete
      FROM (SELECT u.lexeme, q.qtf * x.idf * ((state).k1 + 1) AS cost,
                   u.weight * ln(1 + ((state).documents - x.documents + 0.5::float8) / (x.documents + 0.5::float8))
                       * ((state).k1 + 1) AS weight
              FROM unnest(bm25_on_shards.lexemes, bm25_on_shards.weights) u (lexeme, weight)
              JOIN unnest(known, dfs, idfs) x (lexeme, documents, idf) ON x.lexeme = u.lexeme COLLATE "C"
              LEFT JOIN typed_words q ON q.lexeme = u.lexeme COLLATE "C") w;
    IF terms IS NULL THEN
        RETURN;
    END IF;
    -- The first k documents are spread more or less evenly. The bound needs more, above all for many words, and a
    -- filter leaves a part of them.
    first := (10 + 1.25 * bm25_on_shards.k / spread) * (1 + least(cardinality(terms), 60) / 30.0)
             * CASE WHEN bm25_on_shards.filter IS NULL THEN 1
                    ELSE greatest(1, 1.25 * (state).documents / bm25_on_shards.matched) END;
    search := jsonb_build_object(
        'k', bm25_on_shards.k, 'depth', first, 'rows', (state).documents / spread,
        'fixed', (state).k1 * (1 - (state).b),
        'token', (state).k1 * (state).b * (state).documents / (state).tokens,
        'filter', bm25_on_shards.filter, 'where', bm25_on_shards.condition);
    WHILE complete LOOP
        FOR one IN EXECUTE
            CASE WHEN bm25_on_shards.condition IS NULL THEN
                'SELECT t.id, f.docs, f.scores, f.bound, f.sealed
                   FROM dblp_text t CROSS JOIN LATERAL bm25_shard(
                        t.tableoid, ($8)[array_position($7, t.id)], NULL, $2, $3, $4, $5, $6) f WHERE t.id = ANY ($1)'
            ELSE
                'SELECT t.id, f.docs, f.scores, f.bound, f.sealed
                   FROM dblp_text t JOIN dblp_facts d ON d.id = t.id CROSS JOIN LATERAL bm25_shard(
                        t.tableoid, ($8)[array_position($7, t.id)], d.tableoid, $2, $3, $4, $5, $6) f
                  WHERE t.id = ANY ($1)'
            END
            USING asked, bm25_on_shards.typed, terms, factors, costs, search, (state).anchors, (state).lengths LOOP
            docs := docs || one.docs;
            scores := scores || one.scores;
            bounds := bounds || one.bound;
            anchors := anchors || one.id;
            touched := touched OR one.sealed IS DISTINCT FROM (state).sealed[array_position((state).anchors, one.id)];
        END LOOP;
        complete := NOT touched AND (search ? 'above' OR cardinality(anchors) = spread);
        EXIT WHEN search ? 'above';
        kth := coalesce((SELECT s.value FROM unnest(scores) s (value)
                          ORDER BY s.value DESC OFFSET bm25_on_shards.k - 1 LIMIT 1), 0);
        asked := ARRAY(SELECT b.anchor FROM unnest(anchors, bounds) b (anchor, bound)
                        WHERE b.bound >= kth AND b.bound > 0);
        EXIT WHEN asked = '{}' OR NOT complete;
        search := search || jsonb_build_object('above', kth, 'depth', 2 * first);
    END LOOP;
    IF touched AND bm25_on_shards.engine = 'pg_textsearch' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR401',
            MESSAGE = 'the BM25 indexes of the shards are not those of the last build',
            HINT = 'Rebuild them: stc index. Or omit the engine.';
    ELSIF touched THEN
        RAISE NOTICE 'the BM25 indexes of the shards are not those of the last build: the portable BM25 answers'
            USING HINT = 'Rebuild them: stc index.';
    END IF;
    IF NOT complete THEN
        RETURN QUERY SELECT * FROM bm25_weighted(bm25_on_shards.lexemes, bm25_on_shards.weights, bm25_on_shards.k,
                                                 filter => bm25_on_shards.filter);
        RETURN;
    ELSIF docs = '{}' AND bm25_on_shards.filter IS NULL THEN
        PERFORM bm25_check_silence((state).config, bm25_on_shards.typed);
    END IF;
    -- The first k and those that equal the last one; a shard of the second round returns documents a second time.
    SELECT array_agg(s.doc), array_agg(s.value) INTO docs, scores
      FROM (SELECT DISTINCT u.doc, u.value FROM unnest(docs, scores) u (doc, value)
             ORDER BY u.value DESC FETCH FIRST bm25_on_shards.k ROWS WITH TIES) s;
    RETURN QUERY SELECT * FROM rank_documents(docs, scores, bm25_on_shards.k);
END
$$;
COMMENT ON FUNCTION bm25_on_shards(text, text[], double precision[], integer, text_index, text, jsonb, text,
                                   bigint) IS
'Top k documents by BM25 in a distributed collection, by pg_textsearch''s index on each shard';
