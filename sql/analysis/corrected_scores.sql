-- corrected_scores: means of runs by judgments of many queries or documents (labels, for example those of a language
-- model), corrected by judgments of few of them (by people). Highest corrected value first.
--
-- The items of corrected_mean are the queries: y their values by the judgments of people, f and g by the labels. A
-- value is that of the measure, or with a baseline that of the run minus that of the baseline. The interval is valid
-- for any labels, if the queries of people are a random sample.
--
-- If people judged a sample of the documents of their queries (strata with documents that were not drawn), y is the
-- value that corrected_pairs estimates from both: by_people - weight · excess. It is unbiased for each query, so that
-- corrected_mean needs no other change. The measure is DCG@k or P@k, which are sums over pairs.
--
--   weight     of the labels: that of corrected_mean, or of corrected_pairs, between 0 and 1
--   n          number of queries, or pairs of query and document, judged by people; labelled by the labels
--   worth      the number that people would have to judge for an interval as narrow: n (people_se / se)²
--   unit       query or pair: the unit of n, labelled and worth
--   query_set  only the queries of a set (function query_set)
--
-- Raises IR101, IR102, IR103, IR108 (score_grid), IR201 alpha outside 0 to 1, IR202 another measure for a sample of
-- documents, IR405 people judged fewer than two queries, or one that the labels do not judge, or a stratum not at all.
CREATE OR REPLACE FUNCTION corrected_scores(
    labels text, people text, measure text DEFAULT 'nDCG@10', runs text[] DEFAULT '{}', baseline text DEFAULT NULL,
    alpha double precision DEFAULT 0.05, query_set text DEFAULT 'all')
RETURNS TABLE (run text, corrected double precision, low double precision, high double precision,
               se double precision, weight double precision, by_labels double precision, by_people double precision,
               people_se double precision, n integer, labelled integer, worth double precision, unit text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    wanted text[] := corrected_scores.runs;
    of_labels CONSTANT integer[] := edition_queries(corrected_scores.labels, corrected_scores.query_set);
    judged integer[] := edition_queries(corrected_scores.people, corrected_scores.query_set);
    label_id CONSTANT integer := edition_key(corrected_scores.labels);
    people_id CONSTANT integer := edition_key(corrected_scores.people);
    pairs CONSTANT boolean := EXISTS (SELECT FROM qrels_strata s WHERE s.edition = people_id AND NOT s.drawn);
    kind text;
    depth integer;
    level integer;
    refused text;
BEGIN
    IF corrected_scores.alpha IS NULL OR corrected_scores.alpha <= 0 OR corrected_scores.alpha >= 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('alpha is %s', coalesce(corrected_scores.alpha::text, 'NULL')),
            HINT = 'The interval has confidence 1 - alpha: use a number between 0 and 1, such as 0.05.';
    END IF;
    IF corrected_scores.baseline IS NOT NULL THEN
        PERFORM run_keys(ARRAY[corrected_scores.baseline]);
        wanted := CASE WHEN wanted = '{}' THEN wanted ELSE wanted || corrected_scores.baseline END;
    END IF;
    IF pairs THEN
        SELECT p.kinds[1], p.cutoffs[1], p.levels[p.places[1]] INTO kind, depth, level
          FROM measure_plan(ARRAY[corrected_scores.measure], 1, false, NULL, 'trec_eval 9') p;
        IF kind IS NULL OR kind NOT IN ('dcg_cut', 'P') THEN
            RAISE EXCEPTION USING ERRCODE = 'IR202',
                MESSAGE = format('%s is not a mean over judged documents, and %L judges a sample of them',
                                 corrected_scores.measure, corrected_scores.people),
                HINT = 'Use DCG@k or P@k, or judge all documents of a sample of the queries.';
        END IF;
        judged := ARRAY(SELECT j.id FROM unnest(judged) AS j (id)
                         WHERE EXISTS (SELECT FROM qrels_strata s WHERE s.edition = people_id AND s.query = j.id));
        SELECT format('stratum %L of query %L', min(d.stratum), q.query) INTO refused
          FROM sampled_documents(people_id, judged) d JOIN st1_queries q ON q.id = d.query
         WHERE d.judged = 0 GROUP BY q.query ORDER BY q.query COLLATE "C" LIMIT 1;
        IF refused IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'IR405',
                MESSAGE = format('%s has no judgment in %L', refused, corrected_scores.people),
                HINT = 'Each stratum needs a judged document. Judge those that were drawn, or leave the query out with '
                       'a query set.';
        END IF;
    END IF;
    SELECT min(q.query COLLATE "C") INTO refused FROM st1_queries q
     WHERE q.id = ANY (judged) AND q.id <> ALL (of_labels);
    IF refused IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('query %L is judged by %L but not by %L', refused, corrected_scores.people,
                             corrected_scores.labels),
            HINT = 'Correcting needs labels for all queries that people judged: judge it with the labels'' judge, or '
                   'leave it out with a query set.';
    ELSIF cardinality(judged) < 2 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('%L judges %s', corrected_scores.people, counted(cardinality(judged), 'query', 'queries')),
            HINT = 'An interval needs two queries judged by people, and more for a useful one.';
    END IF;
    RETURN QUERY
    WITH label AS MATERIALIZED (
        SELECT g.run, g.query, g.value
          FROM score_grid(wanted, corrected_scores.labels, corrected_scores.measure, 'zero',
                          corrected_scores.query_set) g),
    person AS MATERIALIZED (  -- what the baseline has is subtracted later, but not in corrected_pairs
        SELECT g.run, g.query, g.value, 0::double precision AS excess, 0::double precision AS covariance,
               0::double precision AS variance
          FROM score_grid(wanted, corrected_scores.people, corrected_scores.measure, 'zero',
                          corrected_scores.query_set) g
         WHERE NOT pairs
         UNION ALL
        SELECT u.run, q.query, coalesce(p.by_people, 0), coalesce(p.excess, 0), coalesce(p.covariance, 0),
               coalesce(p.variance, 0)
          FROM (SELECT DISTINCT l.run FROM label l WHERE pairs AND l.run IS DISTINCT FROM corrected_scores.baseline) u
         CROSS JOIN (SELECT s.id, s.query FROM st1_queries s WHERE s.id = ANY (judged)) q
          JOIN st1_runs r ON r.run = u.run
          LEFT JOIN corrected_pairs(
                        kind, label_id, people_id, judged, run_keys(wanted),
                        (SELECT b.id FROM st1_runs b WHERE b.run = corrected_scores.baseline), depth, level) p
            ON p.run = r.id AND p.query = q.id),
    tuned AS (
        SELECT p.run, CASE WHEN sum(p.variance) > 0
                           THEN greatest(0, least(1, sum(p.covariance) / sum(p.variance))) ELSE 0 END AS weight
          FROM person p GROUP BY p.run),
    item AS (
        SELECT l.run, p.value - coalesce(pb.value, 0) AS by_people, l.value - coalesce(lb.value, 0) AS f,
               p.value - coalesce(pb.value, 0) - t.weight * p.excess AS y, t.weight
          FROM label l
          JOIN tuned t ON t.run = l.run
          LEFT JOIN person p ON p.run = l.run AND p.query = l.query
          LEFT JOIN label lb ON lb.run = corrected_scores.baseline AND lb.query = l.query
          LEFT JOIN person pb ON NOT pairs AND pb.run = corrected_scores.baseline AND pb.query = l.query
         WHERE l.run IS DISTINCT FROM corrected_scores.baseline),
    listed AS (
        SELECT s.run, count(*) AS labelled, array_agg(s.y ORDER BY s.y, s.f) FILTER (WHERE s.y IS NOT NULL) AS y,
               array_agg(s.f ORDER BY s.y, s.f) FILTER (WHERE s.y IS NOT NULL) AS f,
               coalesce(array_agg(s.f ORDER BY s.f) FILTER (WHERE s.y IS NULL), '{}') AS g,
               avg(s.by_people) AS by_people, sqrt(var_samp(s.by_people) / count(s.y)) AS people_se,
               min(s.weight) AS weight
          FROM item s GROUP BY s.run),
    counted AS (
        SELECT CASE WHEN pairs THEN (SELECT count(d.rel) FROM sampled_documents(people_id, judged) d)
                    ELSE cardinality(judged) END AS n,
               CASE WHEN pairs THEN (SELECT count(*) FROM qrels j
                                      WHERE j.edition = label_id AND j.query = ANY (of_labels)) END AS labelled)
    SELECT l.run, c.corrected, c.low, c.high, c.se, CASE WHEN pairs THEN l.weight ELSE c.weight END, c.by_labels,
           l.by_people, l.people_se, k.n::integer, coalesce(k.labelled, l.labelled)::integer,
           k.n * (l.people_se / nullif(c.se, 0)) ^ 2, CASE WHEN pairs THEN 'pair' ELSE 'query' END
      FROM listed l
     CROSS JOIN counted k
     CROSS JOIN LATERAL corrected_mean(l.y, l.f, l.g, corrected_scores.alpha) c
     ORDER BY c.corrected DESC, l.run COLLATE "C";
END
$$;
COMMENT ON FUNCTION corrected_scores(text, text, text, text[], text, double precision, text) IS
    'Means of runs by judgments of many queries or documents, such as those of a language model, corrected by '
    'judgments of people for some of them: with intervals, by prediction-powered inference';
