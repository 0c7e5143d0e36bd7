-- combine_tune: what a stored run gives up of relevance, and gains in readability and credibility, by each of many weights of its measures;
-- the most relevant first.
--
--   SELECT * FROM combine_tune('hybrid', 'train', '{textstat_fkgl,citation_percentile}') WHERE curve;
--
-- measures    what relevance is combined with (combine_measures); transforms and missing are those of combine_run
-- steps       weights of relevance and of them are the multiples of 1 / steps that sum to 1 (tune_grid)
-- ndcg        nDCG at the cutoff of the run that combine_run would make: the mean over the queries of the edition, as evaluate has it
-- gain        how simple and credible its first documents are: the mean of the measures' transformed values, all measures alike, over the
--             first cutoff documents of a query; its mean over the queries that have documents. In [0, 1].
-- means       the values themselves, each measure over the first cutoff documents that have it, and over the queries that have any
-- curve       whether no other weights give more of one of ndcg and gain, and as much of the other: the points worth choosing from
-- chosen      the point with the largest gain among those whose ndcg is at least (1 − give_up) times the best. Judgments of relevance
--             alone never ask for readability: give_up says how much of relevance it may cost. Of equal gains (to nine places) the one
--             with the most ndcg is chosen, then with the most weight on relevance.
--
-- What is best here is best for these queries: report another edition.
--
-- One statement. Of a query the parts of its documents are formed once, and summed and ranked for each point.
-- Raises IR101 no such run, IR102 no such edition, IR108 no such measure, IR201 cutoff below 1, IR202 no measures, relevance among
-- them, steps or give_up out of range, and what combine_parts raises.
CREATE OR REPLACE FUNCTION combine_tune(
    run text, edition text, measures text[] DEFAULT '{textstat_fkgl,citation_percentile}', transforms jsonb DEFAULT '{}',
    missing text DEFAULT 'mean', steps integer DEFAULT 10, cutoff integer DEFAULT 10, give_up double precision DEFAULT 0.02
)
RETURNS TABLE (weights jsonb, ndcg double precision, gain double precision, means jsonb, curve boolean, chosen boolean)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    key record;
    names text[];
    alike jsonb;
    n integer;
    points double precision := 1;
BEGIN
    SELECT * INTO key FROM evaluation_keys(ARRAY[combine_tune.run], combine_tune.edition, ARRAY[combine_tune.cutoff]);
    PERFORM combine_check(combine_tune.measures);
    n := cardinality(combine_tune.measures) + 1;
    IF 'relevance' = ANY (combine_tune.measures) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'relevance is weighed in any case', HINT = 'Name what it is combined with.';
    ELSIF (combine_tune.give_up BETWEEN 0 AND 1) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s of relevance may be given up', coalesce(combine_tune.give_up::text, 'NULL')),
            HINT = 'It is a share, from 0 to 1: 0.02 is 2 %.';
    ELSIF combine_tune.steps IS NULL OR combine_tune.steps < 1 OR combine_tune.steps > 1000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s steps', coalesce(combine_tune.steps::text, 'NULL')),
            HINT = 'With 10 steps weights are tenths, with 20 twentieths; 1 to 1,000.';
    END IF;
    FOR i IN 1..n - 1 LOOP
        points := points * (combine_tune.steps + i) / i;
    END LOOP;
    IF points > 20000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s measures by %s steps are %s points', n, combine_tune.steps, points),
            HINT = 'Up to 20,000 are tried: take fewer measures or steps.';
    END IF;
    SELECT jsonb_object_agg(u.name, 1) INTO alike FROM unnest(combine_tune.measures || 'relevance'::text) u (name);
    names := ARRAY(SELECT p.measure FROM combine_plan(alike, combine_tune.transforms) p);  -- relevance is the first
    RETURN QUERY EXECUTE format(
        $sql$
        WITH grid AS MATERIALIZED (
            SELECT row_number() OVER () AS point, g.weights, %3$s, (SELECT sum(u.weight ORDER BY u.i)
                                                                      FROM unnest(g.weights) WITH ORDINALITY u (weight, i)) AS total
              FROM tune_grid($6, $7) g),
        lists AS MATERIALIZED (  -- of each query one row, its documents by name: what a tie is settled by
            SELECT p.query, array_agg(coalesce(j.rel, 0) ORDER BY d.docno DESC) AS rels, %1$s
              FROM combine_parts($1, $2, $3, $4, $5) p
              JOIN dblp d ON d.id = p.doc
              LEFT JOIN qrels j ON j.edition = $8 AND j.query = p.query AND j.doc = p.doc
             GROUP BY p.query),
        ideals AS MATERIALIZED (
            SELECT i.query, sum(i.rel / ln(i.rank + 1::double precision)) AS dcg
              FROM (SELECT j.query, j.rel, row_number() OVER (PARTITION BY j.query ORDER BY j.rel DESC) AS rank
                      FROM qrels j WHERE j.edition = $8 AND j.query = ANY ($5) AND j.rel > 0) i
             WHERE i.rank <= $9 GROUP BY i.query),
        tried AS MATERIALIZED (
            SELECT e.point, sum(coalesce(e.dcg / i.dcg, 0)) / cardinality($5) AS ndcg, avg(e.gain) AS gain, ARRAY[%2$s] AS means
              FROM lists l
              LEFT JOIN ideals i ON i.query = l.query
             CROSS JOIN LATERAL (
                   WITH candidates AS MATERIALIZED (
                       SELECT * FROM unnest(l.rels, %4$s) WITH ORDINALITY u (rel, %5$s, place))
                   SELECT f.point, r.*
                     FROM grid f
                    CROSS JOIN LATERAL (
                          SELECT coalesce(sum(t.rel / ln(t.rank + 1::double precision)) FILTER (WHERE t.rel > 0), 0) AS dcg,
                                 avg((%6$s) / ($6 - 1)) AS gain, %7$s
                            FROM (SELECT b.*, row_number() OVER () AS rank
                                    FROM (SELECT s.*
                                            FROM (SELECT c.*, %8$s AS score FROM candidates c OFFSET 0) s
                                           ORDER BY trec_score(s.score) DESC, s.place LIMIT $9) b) t) r) e
             GROUP BY e.point),
        judged AS (
            SELECT g.weights, t.ndcg, t.gain, t.means, round(t.gain::numeric, 9) AS rounded, round(t.ndcg::numeric, 9) AS good,
                   t.ndcg >= (1 - $10) * max(t.ndcg) OVER () - 1e-12 AS allowed
              FROM tried t JOIN grid g USING (point)),
        drawn AS (
            SELECT j.*, j.rounded > coalesce(max(j.rounded) OVER better, -1) AND j.rounded = max(j.rounded) OVER same AS curve,
                   row_number() OVER (ORDER BY j.allowed DESC, j.rounded DESC, j.good DESC, j.weights DESC) = 1 AS chosen
              FROM judged j
            WINDOW better AS (ORDER BY j.good DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
                   same AS (PARTITION BY j.good))
        SELECT (SELECT jsonb_object_agg(u.name, u.weight) FROM unnest($11, o.weights) u (name, weight)), o.ndcg, o.gain,
               (SELECT jsonb_object_agg(u.name, u.mean) FROM unnest($11[2:], o.means) u (name, mean)), o.curve, o.chosen
          FROM drawn o ORDER BY o.good DESC, o.rounded DESC, o.weights DESC
        $sql$,
        (SELECT string_agg(format('array_agg(p.%1$s[%2$s] ORDER BY d.docno DESC) AS %3$s%2$s', a.parts, i, a.short), ', ')
           FROM generate_series(1, n) i, (VALUES ('parts', 'p'), ('measured', 'x')) a (parts, short)),
        (SELECT string_agg(format('avg(e.m%s)', i), ', ' ORDER BY i) FROM generate_series(2, n) i),
        (SELECT string_agg(format('g.weights[%1$s] AS w%1$s', i), ', ' ORDER BY i) FROM generate_series(1, n) i),
        (SELECT string_agg(format('l.p%1$s, l.x%1$s', i), ', ' ORDER BY i) FROM generate_series(1, n) i),
        (SELECT string_agg(format('p%1$s, x%1$s', i), ', ' ORDER BY i) FROM generate_series(1, n) i),
        (SELECT string_agg(format('t.p%s', i), ' + ' ORDER BY i) FROM generate_series(2, n) i),
        (SELECT string_agg(format('avg(t.x%1$s) AS m%1$s', i), ', ' ORDER BY i) FROM generate_series(2, n) i),
        combine_score(n))
    USING (SELECT r.id FROM st1_runs r WHERE r.run = combine_tune.run COLLATE "C"), alike, combine_tune.transforms,
          combine_tune.missing, key.query_ids, n, combine_tune.steps, key.edition_id, combine_tune.cutoff, combine_tune.give_up, names;
END
$$;
COMMENT ON FUNCTION combine_tune(text, text, text[], jsonb, text, integer, integer, double precision) IS
'What a stored run gives up of relevance and gains in readability and credibility, by each of many weights';
