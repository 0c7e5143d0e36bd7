-- credibility_as_of: the year to which ages are counted: as_of of the last rank_citations, else the latest plausible
-- year in the corpus. NULL if no document has one.
CREATE OR REPLACE FUNCTION credibility_as_of()
RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    RETURN coalesce(
        (SELECT b.as_of FROM credibility_basis b),
        (SELECT max(f.year) FROM dblp_facts f WHERE f.year BETWEEN 1000 AND extract(YEAR FROM now())::integer + 1));
END
$$;
COMMENT ON FUNCTION credibility_as_of() IS
'Year to which ages are counted: as_of of the last rank_citations, else the latest plausible year in the corpus';
