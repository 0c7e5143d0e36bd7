-- system_shifts: change in each system's mean, z-score and rank between the queries of a reference origin and those of
-- each origin. One row per run and origin; the reference first, then origins by name, best run first.
--
--   difference = mean on the origin - mean on the reference
--   relative   = (mean - mean over runs) on the origin - the same on the reference; removes differences in difficulty
--   z_shift    = z on the origin - z on the reference, z = (mean - mean over runs) / their sample standard deviation
--   rank_shift = rank on the reference - rank on the origin; positive if the origin ranks the system higher;
--                a rank is 1 + the number of better runs
--
-- All four are NULL on the reference itself. z_shift is also NULL if all runs score the same or there is only one. A
-- run scores 0 for a query for which it has no ranking.
-- query_set: only the queries of a set (function query_set).
-- Raises the errors of origin_scores, and IR202 no judged query of the reference origin.
CREATE OR REPLACE FUNCTION public.system_shifts(
    edition text, measure text DEFAULT 'nDCG@10', reference text DEFAULT 'human', runs text[] DEFAULT '{}',
    query_set text DEFAULT 'all')
RETURNS TABLE (run text, family text, origin text, queries bigint, mean double precision, difference double precision,
               relative double precision, z_shift double precision, rank bigint, rank_shift bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    origins CONSTANT text[] := ARRAY(
        SELECT DISTINCT q.origin FROM st1_queries q
         WHERE q.id = ANY (edition_queries(system_shifts.edition, system_shifts.query_set))
         ORDER BY q.origin);
BEGIN
    IF cardinality(origins) > 0 AND (system_shifts.reference = ANY (origins)) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('edition %s has no judged queries of origin %s', system_shifts.edition,
            coalesce(quote_literal(system_shifts.reference), 'NULL')),
            HINT = format('Available origins: %s.', array_to_string(origins, ', '));
    END IF;
    RETURN QUERY
    WITH mean AS MATERIALIZED (  -- add in a fixed order, so that equal scores give equal means
        SELECT s.run, s.family, s.origin, count(*) AS queries, avg(s.value ORDER BY s.query COLLATE "C") AS mean
          FROM origin_scores(system_shifts.edition, system_shifts.measure, system_shifts.runs,
                            system_shifts.query_set) s
         GROUP BY s.run, s.family, s.origin),
    placed AS (
        SELECT m.*, m.mean - avg(m.mean) OVER origin AS above,
               CASE WHEN min(m.mean) OVER origin < max(m.mean) OVER origin
                    THEN (m.mean - avg(m.mean) OVER origin) / nullif(stddev_samp(m.mean) OVER origin, 0) END AS z,
               rank() OVER (PARTITION BY m.origin ORDER BY m.mean DESC) AS rank
          FROM mean m WINDOW origin AS (PARTITION BY m.origin))
    SELECT p.run, p.family, p.origin, p.queries, p.mean, p.mean - r.mean, p.above - r.above, p.z - r.z, p.rank,
           r.rank - p.rank
      FROM placed p
      LEFT JOIN placed r ON r.run = p.run AND r.origin = system_shifts.reference AND p.origin <> system_shifts.reference
     ORDER BY p.origin <> system_shifts.reference, p.origin COLLATE "C", p.rank, p.run COLLATE "C";
END
$$;
COMMENT ON FUNCTION public.system_shifts(text, text, text, text[], text) IS
    'Shifts of each system''s mean, z-score and rank on the queries of each origin against a reference origin, '
    'such as human';
