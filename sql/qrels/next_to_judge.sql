-- next_to_judge: the n documents whose judgments should distinguish the runs best; best first, alternating between
-- queries.
--
-- Judging document i of a query changes the score of run a by c_a(i) x_i, where x_i is its gain, and so the difference
-- of two runs by (c_a(i) - c_b(i)) x_i. A document that all runs rank alike does not distinguish them, nor does a
-- document whose gain is already known. The effect is the reduction in the variance of the differences when i is
-- judged, averaged over the pairs of the R runs:
--
--   effect(i) = Var[x_i] · (R Σ_a c_a(i)^2 - (Σ_a c_a(i))^2) / (R (R - 1) / 2) / ideal^2
--
-- This is the criterion of minimal test collections (Carterette, Allan & Sitaraman, SIGIR 2006) over all pairs of runs.
-- By measure:
--
--   AP      c(i) = 1/r_i (1 + Σ_{r_j < r_i} E[x_j]) + Σ_{r_j > r_i} E[x_j] / r_j, the derivative of the expected sum of
--           precisions at relevant documents; x is 1 from the grade relevant on; ideal is the expected number of
--           relevant documents
--   nDCG@k  c(i) = 1 / log2(r_i + 1) up to k; x is the grade as a share of the highest judged; ideal is the DCG up to k
--           of documents of the highest grade, their number being the expected sum of x
--
-- E[x] of a judged document is its x. For an unjudged document it is the mean x of judged documents with similar
-- support by the runs, times the query's ratio of x found to x expected. Support is the mean over the runs of (1 +
-- ln(depth / r)) / (1 + ln depth), 0 if not ranked (the weight of a rank by Aslam, Pavlu & Yilmaz, SIGIR 2006), in
-- twenty classes. Estimates are shrunk: class means to the overall mean by five judgments per class, the overall mean
-- to 1/2, and the ratio to 1 by one document. E[x^2] is estimated likewise, and Var[x] from both.
--
-- Order: the turn of a document is its position by effect within its query plus the number of judged documents of that
-- query. Documents are ordered by turn, then by effect. All queries count equally in a mean, and a query without
-- judgments does not distinguish runs at all. The order is meant for judging in rounds: judge some, then call again.
--
--   runs, queries  names; an empty array means all
--   edition        existing judgments; NULL for none
--   chance         E[x] of the document
--
-- Raises IR101, IR102, IR103, IR201 n or depth below 1, IR202 fewer than two runs or another measure.
CREATE OR REPLACE FUNCTION public.next_to_judge(
    runs text[], edition text DEFAULT NULL, n integer DEFAULT 10, depth integer DEFAULT 100, measure text DEFAULT 'AP',
    relevant integer DEFAULT 1, queries text[] DEFAULT '{}')
RETURNS TABLE (query text, doc bigint, docno text, effect double precision, chance double precision, place integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path = stc_all, stc, public, pg_temp SET jit = off SET work_mem = '64MB' AS $$
#variable_conflict use_column
DECLARE
    edition_id integer := CASE WHEN next_to_judge.edition IS NOT NULL
                               THEN edition_key(next_to_judge.edition) END;
    cutoff integer := substring(next_to_judge.measure FROM '^(?:nDCG@|ndcg_cut_)([1-9][0-9]{0,6})$')::integer;
    systems double precision := (SELECT count(*) FROM pool_runs(next_to_judge.runs));
    top double precision := (SELECT greatest(max(j.rel), 1) FROM qrels j WHERE j.edition = edition_id);
BEGIN
    IF next_to_judge.n IS NULL OR next_to_judge.n < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('the number of documents is %s', coalesce(next_to_judge.n::text, 'NULL')),
            HINT = 'The number of documents must be 1 or more.';
    ELSIF systems < 2 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'at least two runs are needed to compare them',
            HINT = 'Name two or more runs, or pool by --depth.';
    ELSIF cutoff IS NULL AND coalesce(next_to_judge.measure, '') NOT IN ('AP', 'map') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('cannot estimate effects on the measure %L', next_to_judge.measure),
            HINT = 'Use AP or nDCG@k.';
    END IF;
    RETURN QUERY
    WITH pooled AS MATERIALIZED (
        SELECT c.query, c.doc FROM pool_candidates(next_to_judge.runs, next_to_judge.depth, next_to_judge.queries) c),
    ranked AS MATERIALIZED (
        SELECT l.run, l.query, u.doc, (l.first - 1 + u.place)::double precision AS rank
          FROM pool_runs(next_to_judge.runs) s JOIN ranked_lists l ON l.run = s.id AND l.first <= next_to_judge.depth
         CROSS JOIN LATERAL unnest(l.docs[:next_to_judge.depth - l.first + 1]) WITH ORDINALITY AS u (doc, place)
         WHERE l.query IN (SELECT p.query FROM pooled p)),
    pair AS MATERIALIZED (
        SELECT r.query, r.doc, j.x,
               width_bucket(sum((1 + ln(next_to_judge.depth / r.rank)) / (1 + ln(next_to_judge.depth))) / systems, 0, 1,
                            20) AS class
          FROM ranked r
          LEFT JOIN (SELECT k.query, k.doc, CASE WHEN cutoff IS NULL THEN (k.rel >= next_to_judge.relevant)::integer
                                                 ELSE greatest(k.rel, 0) / top END AS x
                       FROM qrels k WHERE k.edition = edition_id AND k.rel >= 0) j ON j.query = r.query
                       AND j.doc = r.doc
         GROUP BY r.query, r.doc, j.x),
    overall AS (SELECT (coalesce(sum(x), 0) + 1) / (count(x) + 2) AS x,
                       (coalesce(sum(x * x), 0) + 1) / (count(x) + 2) AS xx FROM pair),
    class AS (
        SELECT p.class, (coalesce(sum(p.x), 0) + 5 * o.x) / (count(p.x) + 5) AS x,
               (coalesce(sum(p.x * p.x), 0) + 5 * o.xx) / (count(p.x) + 5) AS xx
          FROM pair p CROSS JOIN overall o GROUP BY p.class, o.x, o.xx),
    ratio AS (
        SELECT p.query, (coalesce(sum(p.x), 0) + 1)
               / (coalesce(sum(c.x) FILTER (WHERE p.x IS NOT NULL), 0) + 1) AS ratio
          FROM pair p JOIN class c USING (class) GROUP BY p.query),
    expected AS MATERIALIZED (
        SELECT p.query, p.doc, p.x IS NOT NULL AS judged, coalesce(p.x, least(c.x * r.ratio, 1)) AS x,
               least(c.xx * r.ratio, 1) AS xx
          FROM pair p JOIN class c USING (class) JOIN ratio r USING (query)),
    ideal AS MATERIALIZED (
        SELECT s.query, CASE WHEN cutoff IS NULL THEN greatest(s.x, 1)
                             ELSE (SELECT sum(ln(2) / ln(i + 1))
                                     FROM generate_series(1, greatest(1, least(cutoff, ceil(s.x)))::integer) i)
                        END::double precision AS ideal
          FROM (SELECT e.query, sum(e.x) AS x FROM expected e GROUP BY e.query) s),
    weighed AS (
        SELECT r.query, r.doc,
               CASE WHEN cutoff IS NULL
                    THEN (1 + sum(e.x) OVER upto - e.x) / r.rank + sum(e.x / r.rank) OVER whole
                        - sum(e.x / r.rank) OVER upto
                    WHEN r.rank <= cutoff THEN ln(2) / ln(r.rank + 1) ELSE 0 END AS c
          FROM ranked r JOIN expected e ON e.query = r.query AND e.doc = r.doc
        WINDOW whole AS (PARTITION BY r.run, r.query), upto AS (PARTITION BY r.run, r.query ORDER BY r.rank)),
    moved AS (
        -- rounded, because sums in another order differ in the last digits
        SELECT e.query, e.doc, e.x,
               round((greatest(e.xx - e.x ^ 2, 0) * greatest(systems * sum(w.c * w.c) - sum(w.c) ^ 2, 0)
                      / (systems * (systems - 1) / 2) / i.ideal ^ 2)::numeric, 18)::double precision AS effect
          FROM weighed w JOIN expected e ON e.query = w.query AND e.doc = w.doc JOIN ideal i ON i.query = e.query
         WHERE NOT e.judged
         GROUP BY e.query, e.doc, e.x, e.xx, i.ideal)
    SELECT q.query, m.doc, d.docno, m.effect, m.x,
           row_number() OVER (ORDER BY m.turn, m.effect DESC, q.query, d.docno DESC)::integer
      FROM (SELECT m.*, coalesce(j.judged, 0)
                   + row_number() OVER (PARTITION BY m.query ORDER BY m.effect DESC, o.docno DESC) AS turn
              FROM moved m
              JOIN dblp o ON o.id = m.doc
              LEFT JOIN (SELECT e.query, count(*) AS judged FROM expected e WHERE e.judged GROUP BY e.query) j
                   ON j.query = m.query) m
      JOIN st1_queries q ON q.id = m.query
      JOIN dblp d ON d.id = m.doc
     ORDER BY 6 LIMIT next_to_judge.n;
END
$$;
COMMENT ON FUNCTION public.next_to_judge(text[], text, integer, integer, text, integer, text[]) IS
    'The documents whose judgments should distinguish the runs best, with expected effect and gain; best first, '
    'alternating between queries';
