-- llm_release: lets go of pairs that this session has claimed by llm_take; after the commit of their answers, else
-- another would ask.
CREATE OR REPLACE FUNCTION llm_release(judge integer, queries integer[], docs bigint[]) RETURNS bigint
LANGUAGE sql SET search_path = stc, public, pg_temp AS $$
    SELECT count(*) FILTER (WHERE pg_advisory_unlock(llm_key(llm_release.judge, u.query, u.doc)))
      FROM unnest(llm_release.queries, llm_release.docs) AS u(query, doc)
$$;
COMMENT ON FUNCTION llm_release(integer, integer[], bigint[]) IS
'Lets go of pairs that this session has claimed by llm_take';
