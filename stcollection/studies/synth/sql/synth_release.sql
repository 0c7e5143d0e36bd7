-- synth_release: release documents that this session claimed with synth_claim. Call it after committing the results.
-- Returns the number released.
CREATE OR REPLACE FUNCTION synth_release(study integer, step text, docs bigint[]) RETURNS bigint
LANGUAGE sql SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT count(*) FILTER (WHERE pg_advisory_unlock(synth_lock(synth_release.study, synth_release.step, u.doc)))
      FROM unnest(synth_release.docs) AS u (doc)
$$;
COMMENT ON FUNCTION synth_release(integer, text, bigint[]) IS
    'Releases documents that this session claimed with synth_claim; returns the number released';
