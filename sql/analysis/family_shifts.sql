-- family_shifts: the mean of system_shifts over the systems of each family, one row a family and origin; the reference
-- first, then origins and families by name. A system without a family is in the row whose family is NULL, the last.
--
-- Raises as system_shifts.
CREATE OR REPLACE FUNCTION family_shifts(
    edition text, measure text DEFAULT 'nDCG@10', reference text DEFAULT 'human', runs text[] DEFAULT '{}')
RETURNS TABLE (family text, origin text, systems bigint, queries bigint, mean double precision,
               difference double precision,
               relative double precision, z_shift double precision, rank_shift double precision)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
    SELECT s.family, s.origin, count(*), max(s.queries), avg(s.mean), avg(s.difference), avg(s.relative),
           avg(s.z_shift),
           avg(s.rank_shift)::double precision
      FROM system_shifts(family_shifts.edition, family_shifts.measure, family_shifts.reference, family_shifts.runs) s
     GROUP BY s.family, s.origin
     ORDER BY s.origin <> family_shifts.reference, s.origin COLLATE "C", s.family COLLATE "C"
$$;
COMMENT ON FUNCTION family_shifts(text, text, text, text[]) IS
    'How the systems of each family stand, in the mean, on the queries of each origin against a reference';
