-- judged_profiles: grades that an edition gives for each query, highest first; all values are keys. The caller has
-- checked that the edition judges the queries.
--
-- Rows stored by judge_runs are used if the caller may read them and if they match the current versions of the edition
-- and the code (score_code). Otherwise the judgments are read.
CREATE OR REPLACE FUNCTION judged_profiles(edition integer, queries integer[])
    RETURNS TABLE (query integer, rels smallint[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF reads_stored_scores() THEN
        RETURN QUERY
        SELECT g.query, g.rels FROM judged_queries g
          JOIN qrels_editions e ON e.id = g.edition AND e.version = g.edition_version
         WHERE g.edition = judged_profiles.edition AND g.query = ANY (judged_profiles.queries)
           AND g.code = (SELECT score_code());
        IF FOUND THEN
            RETURN;
        END IF;
    END IF;
    RETURN QUERY
    SELECT q.query, ARRAY(SELECT j.rel FROM qrels j WHERE j.edition = judged_profiles.edition AND j.query = q.query
                           ORDER BY j.rel DESC)
      FROM unnest(judged_profiles.queries) AS q (query);
END
$$;
COMMENT ON FUNCTION judged_profiles(integer, integer[]) IS 'Grades that an edition gives for each query, highest first';
