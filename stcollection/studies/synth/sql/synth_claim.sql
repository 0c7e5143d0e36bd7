-- synth_claim: claim documents of a study for this session and a step; returns those that no other session holds, in
-- the order given.
--
-- A claim is an advisory lock of the session, so it ends when its process ends for any reason. Only the next statement
-- sees what another session committed before releasing a document, so query synth_to_score or synth_to_generate again
-- afterwards. synth_release releases claims.
CREATE OR REPLACE FUNCTION synth_claim(study integer, step text, docs bigint[]) RETURNS bigint[]
LANGUAGE sql SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT coalesce(array_agg(c.doc ORDER BY c.place) FILTER (WHERE c.claimed), '{}')
      FROM (SELECT u.doc, u.place, pg_try_advisory_lock(
                                                        synth_lock(synth_claim.study, synth_claim.step,
                                                                   u.doc)) AS claimed
              FROM unnest(synth_claim.docs) WITH ORDINALITY AS u (doc, place) OFFSET 0) c
$$;
COMMENT ON FUNCTION synth_claim(integer, text, bigint[]) IS
    'Claims documents of a study for this session and a step; returns those that no other session holds';
