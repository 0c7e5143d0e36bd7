-- judged_profiles: the grades an edition gives for queries, best first; all by keys. They are taken as judged in it.
--
-- What judge_runs stored is read where it is of this version of the edition and by this code (score_code), by who may;
-- else the judgments are.
CREATE OR REPLACE FUNCTION judged_profiles(edition integer, queries integer[])
    RETURNS TABLE (query integer, rels smallint[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF has_table_privilege('judged_queries', 'SELECT') THEN
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
COMMENT ON FUNCTION judged_profiles(integer, integer[]) IS
'The grades an edition gives for each of its queries, best first';
