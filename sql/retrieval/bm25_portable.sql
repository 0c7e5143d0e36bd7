-- bm25_portable: BM25 by what every PostgreSQL has; the oracle of the fast engine and its stand-in. Scores agree with those of
-- pg_textsearch 1.0 to 1e-6 relative.
--
--   score(d)  = sum over words w of the query of  qtf · idf(w) · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / average))
--   idf(w)    = ln(1 + (N − df + 0.5) / (df + 0.5))
--
-- qtf, tf: occurrences in query and document; length rounded as Lucene does (smallfloat_byte4), against the average of the exact
-- lengths; N counts documents with at least one word (Robertson & Zaragoza, FnTIR 3(4), 2009; idf and rounding as Lucene 8 and
-- later, the factor k1 + 1 as before). Title and abstract are one text; the weights of tsv are not seen. A query of one word, however
-- often it stands there, has qtf 1: its repetition would change no order, and pg_textsearch leaves it out.
--
-- The GIN index is the inverted file, one lookup a word; k1 and b are those of the text index. live computes N, lengths and df
-- from the rows as they are now, for a stale or missing text index: exact, and slow.
--
-- docs: only these are scored, by the statistics of all. NULL is all documents.
--
-- Scores are rounded to float4, as pg_textsearch and trec_eval hold them: what differs only by the order of a sum is a tie.
-- The top k are exact, ties by docno descending ("C"), also at the cut. Raises IR201 k below 1.
CREATE OR REPLACE FUNCTION bm25_portable(
    query text, k integer DEFAULT 100, live boolean DEFAULT false, docs bigint[] DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = public, pg_temp
SET client_min_messages = warning  -- a word too long to be indexed is nothing to tell
SET enable_seqscan = on  -- whatever bm25_search or the session set
SET jit = off  -- compiling takes longer than most queries
AS $$
DECLARE
    state text_index;
BEGIN
    IF bm25_portable.k IS NULL OR bm25_portable.k < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = format('k is %s', coalesce(bm25_portable.k::text, 'NULL')),
            HINT = 'k is how many documents to return, 1 or more.';
    END IF;
    SELECT * INTO state FROM text_index;
    state.config := coalesce(state.config, 'english');
    state.k1 := coalesce(state.k1, 1.2);
    state.b := coalesce(state.b, 0.75);
    IF bm25_portable.live THEN
        SELECT count(*) FILTER (WHERE n > 0), sum(n) INTO state.documents, state.tokens
          FROM (SELECT text_length(t.tsv) AS n FROM dblp_text t);
    END IF;
    RETURN QUERY
    WITH words AS MATERIALIZED (
        SELECT f.term, f.qtf * ln(1 + (state.documents - f.df + 0.5) / (f.df + 0.5))::double precision * (state.k1 + 1) AS weight
          FROM (SELECT w.term, CASE count(*) OVER () WHEN 1 THEN 1 ELSE w.qtf END AS qtf,
                       CASE WHEN bm25_portable.live THEN (SELECT count(*) FROM dblp_text t WHERE t.tsv @@ w.term)
                            ELSE (SELECT x.documents FROM text_lexemes x WHERE x.lexeme = w.lexeme COLLATE "C") END AS df
                  FROM query_words(state.config, scored_words(bm25_portable.query)) w) f
         WHERE f.df > 0),
    lengths AS NOT MATERIALIZED (
        SELECT x.id, x.tokens FROM text_lengths x WHERE NOT bm25_portable.live
        UNION ALL
        SELECT t.id, text_length(t.tsv) FROM dblp_text t WHERE bm25_portable.live),
    best AS (
        SELECT p.id, sum(p.weight * p.tf / (p.tf + p.norm))::real::double precision AS value
          FROM (SELECT m.id, m.weight, term_frequency(m.tsv, m.term)::double precision AS tf,
                       state.k1 * (1 - state.b + state.b * smallfloat_byte4(l.tokens) * state.documents / state.tokens) AS norm
                  FROM (SELECT t.id, t.tsv, w.term, w.weight FROM words w JOIN dblp_text t ON t.tsv @@ w.term
                         WHERE bm25_portable.docs IS NULL
                        UNION ALL
                        SELECT t.id, t.tsv, w.term, w.weight
                          FROM unnest(bm25_portable.docs) f (id) JOIN dblp_text t ON t.id = f.id JOIN words w ON t.tsv @@ w.term) m
                  JOIN lengths l ON l.id = m.id
                OFFSET 0) p  -- each frequency once
         GROUP BY p.id
         ORDER BY value DESC
         FETCH FIRST bm25_portable.k ROWS WITH TIES)
    SELECT s.id, s.value, (row_number() OVER (ORDER BY s.value DESC, d.docno DESC))::integer
      FROM best s JOIN dblp d ON d.id = s.id
     ORDER BY s.value DESC, d.docno DESC
     LIMIT bm25_portable.k;
END
$$;
COMMENT ON FUNCTION bm25_portable(text, integer, boolean, bigint[]) IS 'BM25 without an extension: exact top k, for any state of the text index';
