-- incoming_profiles: judged_profiles for the grades in the temporary table incoming_grades (stage_rankings). edition is
-- ignored; it gives the function the same signature as judged_profiles.
CREATE OR REPLACE FUNCTION incoming_profiles(edition integer, queries integer[])
    RETURNS TABLE (query integer, rels smallint[])
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT i.query, i.rels FROM pg_temp.incoming_grades i WHERE i.query = ANY (incoming_profiles.queries)
$$;
COMMENT ON FUNCTION incoming_profiles(integer, integer[]) IS
    'Grades of queries in the temporary table incoming_grades, highest first';
