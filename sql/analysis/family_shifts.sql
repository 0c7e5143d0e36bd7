-- family_shifts: means of system_shifts over the systems of each family, one row per family and origin.
--
-- The reference comes first, then origins and families by name. Systems without a family share one row, the last, with
-- family NULL.
-- query_set: only the queries of a set (function query_set).
-- Raises the errors of system_shifts.
CREATE OR REPLACE FUNCTION family_shifts(
    edition text, measure text DEFAULT 'nDCG@10', reference text DEFAULT 'human', runs text[] DEFAULT '{}',
    query_set text DEFAULT 'all')
RETURNS TABLE (family text, origin text, systems bigint, queries bigint, mean double precision,
               difference double precision,
               relative double precision, z_shift double precision, rank_shift double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT s.family, s.origin, count(*), max(s.queries), avg(s.mean), avg(s.difference), avg(s.relative),
           avg(s.z_shift),
           avg(s.rank_shift)::double precision
      FROM system_shifts(family_shifts.edition, family_shifts.measure, family_shifts.reference, family_shifts.runs,
                         family_shifts.query_set) s
     GROUP BY s.family, s.origin
     ORDER BY s.origin <> family_shifts.reference, s.origin COLLATE "C", s.family COLLATE "C"
$$;
COMMENT ON FUNCTION family_shifts(text, text, text, text[], text) IS
    'Means of system_shifts over each family of runs, per origin of queries; family is NULL for runs without a family';
