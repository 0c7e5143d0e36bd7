-- synth_to_score: documents of a study with the state of their scoring, by place.
--
--   scored     the answer had a score
--   malformed  there is an answer, but no score could be read; with retry_malformed the state is ask
--   ask        all others, including documents for which earlier calls failed
--
-- docs: only these documents; NULL for all.
CREATE OR REPLACE FUNCTION synth_to_score(study integer, retry_malformed boolean DEFAULT false,
                                          docs bigint[] DEFAULT NULL)
RETURNS TABLE (doc bigint, state text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT p.doc, CASE WHEN p.score IS NOT NULL THEN 'scored'
                       WHEN p.answer IS NOT NULL AND NOT coalesce(synth_to_score.retry_malformed, false)
                           THEN 'malformed' ELSE 'ask' END
      FROM synth_passages p
     WHERE p.study = synth_to_score.study AND (synth_to_score.docs IS NULL OR p.doc = ANY (synth_to_score.docs))
     ORDER BY p.place
$$;
COMMENT ON FUNCTION synth_to_score(integer, boolean, bigint[]) IS
    'Documents of a study with the state of their scoring, by place: scored, malformed, or ask (to be scored)';
