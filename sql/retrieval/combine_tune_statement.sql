-- combine_tune_statement: the query with which combine_tune tries all weights of n measures. Its levels are: points
-- of the grid, documents by query, ideal DCG by query, means of each point, points within the loss, and the curve.
--
-- The parts of a query's documents are computed once, then summed and ranked for each point of the grid. Measures are
-- columns, not arrays: w1 … wn of the grid, p1 … pn and x1 … xn of the documents (parts and values), so that a score is
-- plain arithmetic. $1 run, $2 weights, $3 transforms, $4 missing, $5 queries, $6 n, $7 steps, $8 edition, $9 cutoff,
-- $10 give_up, $11 names
CREATE OR REPLACE FUNCTION combine_tune_statement(n integer) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT format(
        $sql$
        WITH grid AS MATERIALIZED (
            SELECT row_number() OVER () AS point, g.weights, %3$s, (SELECT sum(u.weight ORDER BY u.i)
                                                                      FROM unnest(g.weights)
                                                                       WITH ORDINALITY u (weight, i)) AS total
              FROM tune_grid($6, $7) g),
        lists AS MATERIALIZED (  -- one row per query, with its documents by docno, which decides ties
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
            SELECT e.point, sum(coalesce(e.dcg / i.dcg, 0)) / cardinality($5) AS ndcg, avg(e.gain) AS gain,
                   ARRAY[%2$s] AS means
              FROM lists l
              LEFT JOIN ideals i ON i.query = l.query
             CROSS JOIN LATERAL (
                   WITH candidates AS MATERIALIZED (
                       SELECT * FROM unnest(l.rels, %4$s) WITH ORDINALITY u (rel, %5$s, place))
                   SELECT f.point, r.*
                     FROM grid f
                    CROSS JOIN LATERAL (
                          SELECT coalesce(sum(t.rel / ln(t.rank + 1::double precision))
                                   FILTER (WHERE t.rel > 0), 0) AS dcg,
                                 avg((%6$s) / ($6 - 1)) AS gain, %7$s
                            FROM (SELECT b.*, row_number() OVER () AS rank
                                    FROM (SELECT s.*
                                            FROM (SELECT c.*, %8$s AS score FROM candidates c OFFSET 0) s
                                           ORDER BY trec_score(s.score) DESC, s.place LIMIT $9) b) t) r) e
             GROUP BY e.point),
        judged AS (
            SELECT g.weights, t.ndcg, t.gain, t.means, round(t.gain::numeric, 9) AS rounded,
                   round(t.ndcg::numeric, 9) AS good,
                   t.ndcg >= (1 - $10) * max(t.ndcg) OVER () - 1e-12 AS allowed
              FROM tried t JOIN grid g USING (point)),
        drawn AS (
            SELECT j.*, j.rounded > coalesce(max(j.rounded) OVER better, -1)
                 AND j.rounded = max(j.rounded) OVER same AS curve,
                   row_number() OVER (ORDER BY j.allowed DESC, j.rounded DESC, j.good DESC, j.weights DESC) = 1
                        AS chosen
              FROM judged j
            WINDOW better AS (ORDER BY j.good DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
                   same AS (PARTITION BY j.good))
        SELECT (SELECT jsonb_object_agg(u.name, u.weight) FROM unnest($11, o.weights) u (name, weight)), o.ndcg, o.gain,
               (SELECT jsonb_object_agg(u.name, u.mean) FROM unnest($11[2:], o.means) u (name, mean)), o.curve, o.chosen
          FROM drawn o ORDER BY o.good DESC, o.rounded DESC, o.weights DESC
        $sql$,
        (SELECT string_agg(format('array_agg(p.%1$s[%2$s] ORDER BY d.docno DESC) AS %3$s%2$s', a.parts, i,
                                  a.short), ', ')
           FROM generate_series(1, n) i, (VALUES ('parts', 'p'), ('measured', 'x')) a (parts, short)),
        (SELECT string_agg(format('avg(e.m%s)', i), ', ' ORDER BY i) FROM generate_series(2, n) i),
        (SELECT string_agg(format('g.weights[%1$s] AS w%1$s', i), ', ' ORDER BY i) FROM generate_series(1, n) i),
        (SELECT string_agg(format('l.p%1$s, l.x%1$s', i), ', ' ORDER BY i) FROM generate_series(1, n) i),
        (SELECT string_agg(format('p%1$s, x%1$s', i), ', ' ORDER BY i) FROM generate_series(1, n) i),
        (SELECT string_agg(format('t.p%s', i), ' + ' ORDER BY i) FROM generate_series(2, n) i),
        (SELECT string_agg(format('avg(t.x%1$s) AS m%1$s', i), ', ' ORDER BY i) FROM generate_series(2, n) i),
        combine_score(n))
$$;
COMMENT ON FUNCTION combine_tune_statement(integer) IS
'Query with which combine_tune tries all weights of n measures at once';
