-- combine_parts: the transformed values of each measure of a combination (combine_plan) for the documents of a stored
-- run, one row per query and document.
--
-- parts: values in [0, 1] in the order of the plan, 1 is best. measured: the values before the transform, NULL if
-- missing; for relevance the score in the run.
-- relevance: minmax and rank as in fusion_part, within the run's ranking of the query; reciprocal: (1 + a) / (a +
-- rank).
-- missing: the value used for documents without one: mean, the mean part of the query's documents that have one (0 if
-- none has), which moves a document neither up nor down; or zero, the worst.
-- query_ids: NULL is all queries of the run. The run's key must be valid.
-- Raises the errors of combine_plan, IR202 another missing or a score that is not finite if scores are used, IR405 a
-- measure that no document of the run has.
CREATE OR REPLACE FUNCTION combine_parts(
    run_id integer, weights jsonb, transforms jsonb DEFAULT '{}', missing text DEFAULT 'mean',
    query_ids integer[] DEFAULT NULL
)
RETURNS TABLE (query integer, doc bigint, rank integer, parts double precision[], measured double precision[])
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100000
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
DECLARE
    measures text[];
    kinds text[];
    names text[];
    numbers double precision[];
    further double precision[];
    absent integer;
BEGIN
    SELECT array_agg(p.measure), array_agg(p.kind), array_agg(p.name), array_agg(p.a), array_agg(p.b)
      INTO measures, kinds, names, numbers, further
      FROM combine_plan(combine_parts.weights, combine_parts.transforms) p;
    IF combine_parts.missing IS NULL OR combine_parts.missing NOT IN ('mean', 'zero') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('missing is %s', coalesce(combine_parts.missing, 'NULL')),
            HINT = 'Use mean (the mean of the query''s documents) or zero (the worst value).';
    END IF;
    IF kinds[1] = 'relevance' THEN
        PERFORM fusion_finite(ARRAY[combine_parts.run_id], 'sum',
                              CASE names[1] WHEN 'rank' THEN 'rank' WHEN 'reciprocal' THEN 'rank' END);
    END IF;
    EXECUTE format(
        $sql$
        SELECT (SELECT min(u.i) FROM unnest(ARRAY[%s]) WITH ORDINALITY u (held, i) WHERE NOT u.held)
          FROM combine_values(ARRAY(SELECT DISTINCT k.doc FROM st1_rankings k WHERE k.run = $1), $2) v
        $sql$,
        (SELECT string_agg(CASE m.name WHEN 'relevance' THEN 'true' ELSE format('count(v.measured[%s]) > 0', m.i) END,
                           ', ' ORDER BY m.i)
           FROM unnest(measures) WITH ORDINALITY m (name, i)))
       INTO absent USING combine_parts.run_id, measures;
    IF absent IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = format('no document of the run %s has a value of %s',
            (SELECT r.run FROM st1_runs r WHERE r.id = combine_parts.run_id), measures[absent]),
            HINT = CASE
                WHEN kinds[absent] = 'readability'
                    THEN 'Compute the readability of all abstracts with ''stc complexity compute''.'
                WHEN measures[absent] IN ('citations', 'references', 'year')
                    THEN 'The records of the corpus lack it; omit this measure.'
                ELSE 'Rank all documents by their citations with ''stc complexity credibility''.' END;
    END IF;
    RETURN QUERY EXECUTE format(
        $sql$
        WITH found AS MATERIALIZED (
            SELECT v.doc, v.measured
              FROM combine_values(ARRAY(SELECT DISTINCT k.doc FROM st1_rankings k
                                         WHERE k.run = $1 AND ($2 IS NULL OR k.query = ANY ($2))), $3) v),
        moved AS MATERIALIZED (SELECT n.doc, n.measured, %1$s FROM found n %2$s),
        ranked AS (
            SELECT k.query, k.doc, k.rank, k.rel_score, min(k.rel_score) OVER ranking AS lowest,
                   max(k.rel_score) OVER ranking AS highest,
                   count(*) OVER ranking AS n
              FROM st1_rankings k WHERE k.run = $1 AND ($2 IS NULL OR k.query = ANY ($2))
            WINDOW ranking AS (PARTITION BY k.query))
        SELECT r.query, r.doc, r.rank, ARRAY[%3$s], ARRAY[%4$s]
          FROM ranked r JOIN moved t ON t.doc = r.doc
        WINDOW q AS (PARTITION BY r.query ORDER BY r.doc ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
        $sql$,
        (SELECT string_agg(CASE m.name WHEN 'relevance' THEN 'NULL AS t1'
                    ELSE format('combine_transform(%L, %s, $5[%s], $6[%s]) AS t%s', names[m.i],
                        CASE names[m.i] WHEN 'percentile' THEN format('p%s.share', m.i)
                             ELSE format('n.measured[%s]', m.i) END,
                        m.i, m.i, m.i) END, ', ' ORDER BY m.i)
           FROM unnest(measures) WITH ORDINALITY m (name, i)),
        (SELECT string_agg(format('LEFT JOIN combine_shares(%L) p%s ON p%s.measured = n.measured[%s]', m.name, m.i, m.i,
                                  m.i), ' ')
           FROM unnest(measures) WITH ORDINALITY m (name, i) WHERE names[m.i] = 'percentile'),
        (SELECT string_agg(CASE
                    WHEN m.name <> 'relevance' THEN
                        format(CASE combine_parts.missing WHEN 'mean' THEN 'coalesce(t.t%1$s, avg(t.t%1$s) OVER q, 0)'
                                                          ELSE 'coalesce(t.t%1$s, 0)' END, m.i)
                    WHEN names[m.i] = 'reciprocal' THEN format('(1 + $5[%s]) / ($5[%s] + r.rank)', m.i, m.i)
                    WHEN names[m.i] IN ('minmax', 'rank') THEN
                        format('fusion_part(''sum'', %L, 1, r.rel_score, r.rank, r.lowest, r.highest, NULL, r.n, 0)',
                               names[m.i])
                    ELSE format('combine_transform(%L, r.rel_score, $5[%s], $6[%s])', names[m.i], m.i, m.i) END, ', '
                        ORDER BY m.i)
           FROM unnest(measures) WITH ORDINALITY m (name, i)),
        (SELECT string_agg(CASE m.name WHEN 'relevance' THEN 'r.rel_score' ELSE format('t.measured[%s]', m.i) END, ', '
                           ORDER BY m.i)
           FROM unnest(measures) WITH ORDINALITY m (name, i)))
    USING combine_parts.run_id, combine_parts.query_ids, measures, names, numbers, further;
END
$$;
COMMENT ON FUNCTION combine_parts(integer, jsonb, jsonb, text, integer[]) IS
'Transformed values in [0, 1] of each measure of a combination for the documents of a stored run';
