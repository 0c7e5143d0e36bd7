-- tied_statement: build the statement that resamples the differences of all pairs of runs for tied_pairs.
--
-- Runs are numbered from 1; means and weights have an element for each pair: (1, 2), (1, 3), …, (2, 3), … A pair of
-- weight 0 is not resampled. Parameters of the statement: $1 the scores of the runs by query, each minus the run's
-- mean, as a two-dimensional array; $2 number of queries, $3 number of resamples, $4 seed. It returns one row:
--
--   losses   by pair: number of resamples in which the first run has the lower mean, times two, plus the number of
--            those with equal means; 0 for a pair that is not resampled
--   largest  by resample, in any order: the largest |difference in the resample - difference| · weight of all pairs
--
-- A resample is a row, and a run a column, so that each pair is an expression with constants: with a row for each pair
-- and resample it would take ten times as long. The constants are numbers computed by tied_pairs. Each run has a
-- subquery, because the planner compares each aggregate with all others of its subquery.
CREATE OR REPLACE FUNCTION tied_statement(runs integer, means double precision[], weights double precision[])
    RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET extra_float_digits = 1 AS $$
    WITH pairs AS MATERIALIZED (
        SELECT p.i, p.one, p.other, tied_statement.means[p.i] AS mean, tied_statement.weights[p.i] AS weight
          FROM (SELECT a.n AS one, b.n AS other, row_number() OVER (ORDER BY a.n, b.n) AS i
                  FROM generate_series(1, tied_statement.runs) AS a (n)
                  JOIN generate_series(1, tied_statement.runs) AS b (n) ON b.n > a.n) p),
    terms AS MATERIALIZED (
        SELECT p.i, p.one, p.weight,
               format('abs(m%s - m%s) * %L', p.one, p.other, p.weight) AS moved,
               format('sum(CASE WHEN m%1$s - m%2$s < %3$L THEN 2 ELSE 1 END) FILTER (WHERE m%1$s - m%2$s <= %4$L)',
                      p.one, p.other, -1e-12 - p.mean, 1e-12 - p.mean) AS lost
          FROM pairs p)
    SELECT format($q$
WITH centred AS MATERIALIZED (SELECT generate_series(1, $2) AS query, %s),
drawn AS (
    SELECT b.resample, 1 + ((hashint8extended(hashint4extended(i.draw, ($4::bigint << 32) + b.resample), 0)
                             >> 32 & 4294967295) * $2 >> 32) AS query
      FROM generate_series(1, $3) AS b (resample) CROSS JOIN generate_series(1, $2) AS i (draw)),
moves AS MATERIALIZED (SELECT %s FROM drawn d JOIN centred c USING (query) GROUP BY d.resample),
found AS MATERIALIZED (SELECT 0 AS place, '{}'::bigint[] AS losses%s)
SELECT ARRAY(SELECT u.loss FROM found f CROSS JOIN LATERAL unnest(f.losses) WITH ORDINALITY AS u (loss, i)
              ORDER BY f.place, u.i) AS losses,
       ARRAY(SELECT greatest(0::double precision%s) FROM moves) AS largest$q$,
        (SELECT string_agg(format('unnest($1[%s:%1$s]) AS c%1$s', r), ', ' ORDER BY r)
           FROM generate_series(1, tied_statement.runs) AS r),
        (SELECT string_agg(format('sum(c.c%s) / $2 AS m%1$s', r), ', ' ORDER BY r)
           FROM generate_series(1, tied_statement.runs) AS r),
        (SELECT string_agg(u.part, '' ORDER BY u.one)
           FROM (SELECT t.one, format(E'\nUNION ALL SELECT %s, ARRAY[%s]::bigint[] FROM moves', t.one,
                                      string_agg(CASE WHEN t.weight > 0 THEN format('coalesce(%s, 0)', t.lost)
                                                      ELSE '0' END, ', ' ORDER BY t.i)) AS part
                   FROM terms t GROUP BY t.one) u),
        (SELECT string_agg(', ' || t.moved, '' ORDER BY t.i) FROM terms t WHERE t.weight > 0))
$$;
COMMENT ON FUNCTION tied_statement(integer, double precision[], double precision[]) IS
    'The statement that resamples the differences of all pairs of runs, with parameters $1 to $4; see tied_pairs';
