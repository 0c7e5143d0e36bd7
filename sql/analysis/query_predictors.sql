-- query_predictors: predictors of how well a run answers a query, computed without judgments; one row per query that
-- the run has documents for and whose text is known, ordered by query.
--
-- From the query and the statistics of the text index, before retrieval. N is the number of documents, df and cf count
-- the documents with word w and its occurrences, p(w|C) = cf / all occurrences, p(w|q) is the share of w in the query.
-- Words that no document contains are left out:
--
--   avg_idf, max_idf  ln(N / df)
--   avg_scq, max_scq  (1 + ln cf) · ln(1 + N / df)                      (Zhao, Scholer & Tsegay, ECIR 2008)
--   scs               sum of p(w|q) · log2(p(w|q) / p(w|C)): simplified clarity score   (He & Ounis, SPIRE 2004)
--
-- From the ranking. s are the scores of its first depth documents, s(C) is the mean score of all documents that the run
-- ranks for the query, instead of the score of the whole collection, which a stored run does not have:
--
--   nqc      population deviation of s / |s(C)|: normalised query commitment
--            (Shtok, Kurland, Carmel, Raiber & Markovits, TOIS 30(2), 2012)
--   wig      mean of (s - s(C)) / sqrt(number of words) over the first five documents: weighted information gain
--            (Zhou & Croft, SIGIR 2007)
--   clarity  sum over all words of p(w|q) · log2(p(w|q) / p(w|C)), where p(w|q) = sum over the first documents of
--            p(w|d) · p(d|q), p(w|d) = 0.6 · tf / length + 0.4 · p(w|C), and p(d|q) is the product of p(w|d)
--            over the words of the query, scaled to the sum 1          (Cronen-Townsend, Zhou & Croft, SIGIR 2002)
--
-- NULL if no document has a word of the query (except nqc), clarity also if no document of the ranking has a text.
-- Raises IR101 no such run, IR103 no such query or set, IR201 depth below 1, IR405 the text index does not exist.
CREATE OR REPLACE FUNCTION query_predictors(run text, query_set text DEFAULT 'all', depth integer DEFAULT 100)
RETURNS TABLE (query text, words integer, avg_idf double precision, max_idf double precision,
               avg_scq double precision, max_scq double precision, scs double precision, nqc double precision,
               wig double precision, clarity double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    run_id CONSTANT integer := (run_keys(ARRAY[query_predictors.run]))[1];
    members CONSTANT integer[] := CASE WHEN query_predictors.query_set <> 'all'
                                       THEN query_set_ids(query_predictors.query_set) END;
    state text_index;
BEGIN
    IF query_predictors.depth IS NULL OR query_predictors.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('depth is %s', coalesce(query_predictors.depth::text, 'NULL')),
            HINT = 'depth is the number of documents of the ranking that are read; 100 is usual.';
    END IF;
    SELECT * INTO state FROM text_index;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'the text index does not exist',
            HINT = 'The predictors need the number of documents of each word: build it with ''stc index''.';
    END IF;
    RETURN QUERY
    WITH asked AS MATERIALIZED (
        SELECT q.id, q.query, q.text FROM st1_queries q
         WHERE q.text IS NOT NULL AND (members IS NULL OR q.id = ANY (members))
           AND EXISTS (SELECT FROM ranked_lists l WHERE l.run = run_id AND l.query = q.id)),
    word AS MATERIALIZED (
        SELECT a.id, w.lexeme, w.qtf::double precision AS qtf, x.documents::double precision AS df,
               x.occurrences::double precision AS cf, x.occurrences::double precision / state.tokens AS p
          FROM asked a
         CROSS JOIN LATERAL query_words(state.config, bm25_query(a.text)) w
          JOIN text_lexemes x ON x.lexeme = w.lexeme COLLATE "C"),
    before AS (
        SELECT w.id, count(*)::integer AS words, avg(ln(state.documents / w.df)) AS avg_idf,
               max(ln(state.documents / w.df)) AS max_idf, avg(w.scq) AS avg_scq, max(w.scq) AS max_scq,
               sum(w.share * ln(w.share / w.p)) / ln(2::double precision) AS scs
          FROM (SELECT w.*, w.qtf / sum(w.qtf) OVER (PARTITION BY w.id) AS share,
                       (1 + ln(w.cf)) * ln(1 + state.documents / w.df) AS scq
                  FROM word w) w
         GROUP BY w.id),
    ranked AS MATERIALIZED (
        SELECT k.query AS id, k.doc, k.rank, k.rel_score AS score,
               avg(k.rel_score) OVER (PARTITION BY k.query) AS corpus
          FROM st1_rankings k WHERE k.run = run_id AND k.query IN (SELECT a.id FROM asked a)),
    of_scores AS (
        SELECT r.id, stddev_pop(r.score) FILTER (WHERE r.rank <= query_predictors.depth)
                     / nullif(abs(min(r.corpus)), 0) AS nqc,
               avg(r.score - r.corpus) FILTER (WHERE r.rank <= 5) AS gain
          FROM ranked r GROUP BY r.id),
    term AS MATERIALIZED (
        SELECT r.id, r.doc, u.lexeme, u.tf / sum(u.tf) OVER (PARTITION BY r.id, r.doc) AS share
          FROM ranked r
          JOIN dblp_text t ON t.id = r.doc
         CROSS JOIN LATERAL (SELECT v.lexeme, cardinality(v.positions)::double precision AS tf FROM unnest(t.tsv) v) u
         WHERE r.rank <= query_predictors.depth),
    likelihood AS (  -- of the query in each document, except for a factor that is equal in all documents
        SELECT t.id, t.doc, coalesce(sum(w.qtf * ln(1 + 0.6 * t.share / (0.4 * w.p))), 0) AS log
          FROM term t LEFT JOIN word w ON w.id = t.id AND w.lexeme = t.lexeme COLLATE "C" GROUP BY t.id, t.doc),
    weight AS (
        SELECT l.id, l.doc, l.odds / sum(l.odds) OVER (PARTITION BY l.id) AS weight
          FROM (SELECT l.id, l.doc, exp(l.log - max(l.log) OVER (PARTITION BY l.id)) AS odds FROM likelihood l) l),
    model AS (
        SELECT t.id, x.occurrences::double precision / state.tokens AS p, 0.6 * sum(w.weight * t.share) AS added
          FROM term t
          JOIN weight w ON w.id = t.id AND w.doc = t.doc
          JOIN text_lexemes x ON x.lexeme = t.lexeme COLLATE "C"
         GROUP BY t.id, x.lexeme, x.occurrences),
    of_texts AS (  -- words that are not in the first documents have the probability 0.4 · p(w|C)
        SELECT m.id, (sum((m.added + 0.4 * m.p) * ln((m.added + 0.4 * m.p) / m.p)) + (1 - sum(m.p)) * 0.4 * ln(0.4))
                     / ln(2::double precision) AS clarity
          FROM model m GROUP BY m.id)
    SELECT a.query, coalesce(b.words, 0), b.avg_idf, b.max_idf, b.avg_scq, b.max_scq, b.scs, s.nqc,
           s.gain / sqrt(b.words), CASE WHEN b.words > 0 THEN t.clarity END
      FROM asked a
      LEFT JOIN before b ON b.id = a.id
      LEFT JOIN of_scores s ON s.id = a.id
      LEFT JOIN of_texts t ON t.id = a.id
     ORDER BY a.query COLLATE "C";
END
$$;
COMMENT ON FUNCTION query_predictors(text, text, integer) IS
    'Predictors of how well a run answers each query, without judgments: idf, SCQ, SCS, NQC, WIG, clarity';
