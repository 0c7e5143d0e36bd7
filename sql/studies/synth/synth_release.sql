-- synth_release: lets go of documents that this session has claimed by synth_claim; after the commit of what was made
-- of them.
CREATE OR REPLACE FUNCTION synth_release(study integer, step text, docs bigint[]) RETURNS bigint
LANGUAGE sql SET search_path = stc, public, pg_temp AS $$
    SELECT count(*) FILTER (WHERE pg_advisory_unlock(synth_lock(synth_release.study, synth_release.step, u.doc)))
      FROM unnest(synth_release.docs) AS u (doc)
$$;
COMMENT ON FUNCTION synth_release(integer, text, bigint[]) IS
'Lets go of documents that this session has claimed by synth_claim';
