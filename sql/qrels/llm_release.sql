-- llm_release: release pairs that this session claimed with llm_take. Call it after committing their answers, or
-- another session queries them again. Returns the number released.
CREATE OR REPLACE FUNCTION llm_release(judge integer, queries integer[], docs bigint[]) RETURNS bigint
LANGUAGE sql SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT count(*) FILTER (WHERE pg_advisory_unlock(llm_key(llm_release.judge, u.query, u.doc)))
      FROM unnest(llm_release.queries, llm_release.docs) AS u(query, doc)
$$;
COMMENT ON FUNCTION llm_release(integer, integer[], bigint[]) IS
    'Releases pairs that this session claimed with llm_take; returns the number released';
