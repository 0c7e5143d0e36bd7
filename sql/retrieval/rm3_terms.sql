-- rm3_terms: the words of a query and those that RM3 adds from the first documents found (pseudo-relevance feedback),
-- each with its weight. The weights sum to 1.
--
--   p(w|R)    ∝ sum over feedback documents d of  bm25(d) · f(w, d),  the fb_terms largest, which sum to 1       (RM1)
--   weight(w) = original_weight · qtf(w) / |query|  +  (1 − original_weight) · p(w|R)
--               (RM3)
--
-- (Lavrenko & Croft, SIGIR 2001; Abdul-Jaleel et al., TREC 2004; BM25 scores replace the query likelihood, as in
-- Anserini, whose parameters are the defaults.) estimate selects f(w, d), the weight of a word in a document:
--
--   tfidf      tf(w, d) · idf(w)
--   anserini   tf(w, d) / sum of tf over d's fb_terms most frequent words, 0 for its others: Anserini's Rm3Reranker
--
-- Anserini's estimate was made for news of hundreds of words. Here a document may be a title of five words, and each of
-- them then gets a fifth; where nearly all words occur once, the ten most frequent are the first in alphabetical order.
-- It was worse than BM25 on CACM and NPL, tfidf was not (docs/howto/improve-rankings.md has the figures). Equal weights
-- are ordered by lexeme as bytes.
--
-- With both estimates some words are never added, as in Anserini (query words keep their original weight): words in
-- more than a tenth of the documents, which occur in the feedback because they occur everywhere; words of one character
-- or more than 20; and words with signs (numbers with points, addresses; the parts of a hyphenated word are separate
-- words). Unlike Anserini, letters of any language are allowed, not only a to z.
--
-- word: a written form of the lexeme, from the query or the feedback documents. original: true if the query contains
-- it. Words of weight 0 are omitted. If nothing is found or nothing can be added, the query's words have all the
-- weight.
--
-- filter: feedback documents must match it. engine, and the treatment of a stale text index, are those of bm25_search;
-- statistics are computed from the current rows if bm25_search reads these.
--
--   SELECT * FROM rm3_terms('voice assistants at home');
--
-- Ordered by weight descending. Raises IR201 fb_docs or fb_terms below 1, IR202 an original_weight outside 0 to 1 or no
-- such estimate, and the errors of bm25_search.
CREATE OR REPLACE FUNCTION rm3_terms(
    query text, fb_docs integer DEFAULT 10, fb_terms integer DEFAULT 10, original_weight double precision DEFAULT 0.5,
    filter jsonb DEFAULT NULL, engine text DEFAULT NULL, estimate text DEFAULT 'tfidf'
)
RETURNS TABLE (lexeme text, word text, weight double precision, original boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20
SET search_path = stc_all, stc, public, pg_temp
SET enable_seqscan = on
SET jit = off
SET plan_cache_mode = force_custom_plan  -- the plan depends on the arguments: live or not, some or all documents
AS $$
#variable_conflict use_column
DECLARE
    state text_index;
    config regconfig;
    asked text := bm25_query(rm3_terms.query);
    docs bigint[];
    scores double precision[];
    contents text[];
    owners bigint[];
    lexemes text[];
    frequencies integer[];
    known text[];
    dfs bigint[];
    df bigint;
BEGIN
    IF rm3_terms.fb_docs IS NULL OR rm3_terms.fb_docs < 1 OR rm3_terms.fb_terms IS NULL OR rm3_terms.fb_terms < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('fb_docs is %s, fb_terms is %s', coalesce(rm3_terms.fb_docs::text, 'NULL'),
                             coalesce(rm3_terms.fb_terms::text, 'NULL')),
            HINT = 'Both must be 1 or more; 10 is usual.';
    ELSIF rm3_terms.original_weight IS NULL OR rm3_terms.original_weight NOT BETWEEN 0 AND 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('original_weight is %s', coalesce(rm3_terms.original_weight::text, 'NULL')),
            HINT = 'original_weight is the share of the query''s own words, from 0 to 1; 0.5 is usual.';
    ELSIF rm3_terms.estimate IS NULL OR rm3_terms.estimate NOT IN ('tfidf', 'anserini') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('unknown estimate %L', rm3_terms.estimate),
            HINT = 'Use tfidf or anserini.';
    END IF;
    SELECT * INTO state FROM text_index;
    config := coalesce(state.config, text_config());
    SELECT array_agg(s.doc ORDER BY s.rank), array_agg(s.score ORDER BY s.rank) INTO docs, scores
      FROM bm25_search(rm3_terms.query, rm3_terms.fb_docs, rm3_terms.filter, rm3_terms.engine) s;
    IF coalesce(state.stale, true) THEN
        SELECT count(*) INTO state.documents FROM dblp_text t WHERE t.tsv <> '';
    END IF;

    -- Documents are read in separate statements, which Citus can run on the workers.
    contents := ARRAY(SELECT t.content FROM dblp_text t WHERE t.id = ANY (docs));
    SELECT array_agg(h.id), array_agg(h.lexeme), array_agg(h.tf) INTO owners, lexemes, frequencies
      FROM (SELECT t.id, u.lexeme, cardinality(u.positions) AS tf
              FROM dblp_text t, unnest(t.tsv) u
             WHERE t.id = ANY (docs) AND length(u.lexeme) BETWEEN 2 AND 20
               AND u.lexeme COLLATE "pg_c_utf8" ~ '^[[:alnum:]]+$') h;
    known := ARRAY(SELECT DISTINCT u.lexeme FROM unnest(lexemes) u (lexeme));
    IF coalesce(state.stale, true) THEN
        FOR i IN 1 .. cardinality(known) LOOP
            SELECT count(*) INTO df FROM dblp_text a WHERE a.tsv @@ lexeme_term(known[i]);
            dfs[i] := df;
        END LOOP;
    ELSE
        SELECT array_agg(x.lexeme), array_agg(x.documents) INTO known, dfs
          FROM text_lexemes x WHERE x.lexeme = ANY (known);
    END IF;

    RETURN QUERY
    WITH typed AS (
        SELECT w.lexeme, w.qtf / sum(w.qtf::double precision) OVER () AS share FROM query_words(config, asked) w),
    held AS (
        SELECT f.place, f.score, u.lexeme, u.tf::double precision AS tf, x.documents AS df
          FROM unnest(docs, scores) WITH ORDINALITY f (doc, score, place)
          JOIN unnest(owners, lexemes, frequencies) u (doc, lexeme, tf) ON u.doc = f.doc
          JOIN unnest(known, dfs) x (lexeme, documents) ON x.lexeme = u.lexeme COLLATE "C"),
    said AS (
        SELECT h.place, h.score, h.lexeme, h.tf,
               h.tf * ln(1 + (state.documents - h.df + 0.5)::double precision
                         / (h.df + 0.5)::double precision) AS tfidf,
               row_number() OVER (PARTITION BY h.place ORDER BY h.tf DESC, h.lexeme COLLATE "C") AS nth
          FROM held h WHERE 10 * h.df <= state.documents),
    kept AS (
        SELECT s.place, s.lexeme,
               s.score * CASE rm3_terms.estimate WHEN 'tfidf' THEN s.tfidf
                              ELSE s.tf / sum(s.tf) OVER (PARTITION BY s.place) END AS part
          FROM said s WHERE rm3_terms.estimate = 'tfidf' OR s.nth <= rm3_terms.fb_terms),
    model AS (
        SELECT m.lexeme, m.probability / sum(m.probability) OVER () AS probability
          FROM (SELECT p.lexeme, sum(p.part ORDER BY p.place) AS probability FROM kept p
                 GROUP BY p.lexeme ORDER BY probability DESC, p.lexeme COLLATE "C" LIMIT rm3_terms.fb_terms) m),
    mixed AS MATERIALIZED (
        SELECT x.lexeme, x.original, x.weight
          FROM (SELECT lexeme, t.lexeme IS NOT NULL AS original,
                       coalesce(t.share, 0) * s.share + coalesce(m.probability, 0) * (1 - s.share) AS weight
                  FROM typed t FULL JOIN model m USING (lexeme),
                       (SELECT CASE WHEN EXISTS (SELECT FROM model) THEN rm3_terms.original_weight
                                    ELSE 1 END AS share) s) x
         WHERE x.weight > 0)
    SELECT x.lexeme, w.word, x.weight, x.original
      FROM mixed x
      LEFT JOIN surface_words(config, ARRAY(SELECT y.lexeme FROM mixed y),
                              contents || asked) w USING (lexeme)
     ORDER BY x.weight DESC, x.lexeme COLLATE "C";
END
$$;
COMMENT ON FUNCTION rm3_terms(text, integer, integer, double precision, jsonb, text, text) IS
'Words of a query and those that RM3 adds from the first documents found, with weights that sum to 1';
