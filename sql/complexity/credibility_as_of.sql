-- credibility_as_of: the year that ages are counted to: that of the last rank_citations, else the newest plausible one
-- in the corpus. NULL where no document has one.
CREATE OR REPLACE FUNCTION credibility_as_of()
RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    RETURN coalesce(
        (SELECT b.as_of FROM credibility_basis b),
        (SELECT max(f.year) FROM dblp_facts f WHERE f.year BETWEEN 1000 AND extract(YEAR FROM now())::integer + 1));
END
$$;
COMMENT ON FUNCTION credibility_as_of() IS
'The year that ages are counted to: of the last rank_citations, else the newest plausible one in the corpus';
