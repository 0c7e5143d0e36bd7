-- check_reranked: raise an error if a reranker returned a score that single precision cannot store.
-- Raises IR202.
CREATE OR REPLACE FUNCTION check_reranked(scores double precision[])
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF EXISTS (SELECT FROM unnest(check_reranked.scores) u (score)
                WHERE (abs(u.score) < 3.4028235677973366e38) IS NOT TRUE) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the reranker returned a score that is not finite',
            HINT = 'Check that the model is complete and that this machine supports its precision.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_reranked(double precision[]) IS 'Raise an error if a score of a reranker is not finite';
