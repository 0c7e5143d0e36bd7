-- judged_profiles: the grades an edition gives for each of its queries, best first; the edition and the queries by keys.
--
-- What judge_runs stored is read where it is of this version of the edition, else the judgments are.
CREATE OR REPLACE FUNCTION judged_profiles(edition integer) RETURNS TABLE (query integer, rels smallint[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT g.query, g.rels FROM judged_queries g
      JOIN qrels_editions e ON e.id = g.edition AND e.version = g.edition_version WHERE g.edition = judged_profiles.edition;
    IF NOT FOUND THEN
        RETURN QUERY
        SELECT j.query, array_agg(j.rel ORDER BY j.rel DESC) FROM qrels j WHERE j.edition = judged_profiles.edition GROUP BY j.query;
    END IF;
END
$$;
COMMENT ON FUNCTION judged_profiles(integer) IS 'The grades an edition gives for each of its queries, best first';
