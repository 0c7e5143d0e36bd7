-- fusion_finite: raise an error unless the scores of stored runs are finite, if the method and norm (see fusion_part)
-- use scores.
-- Raises IR202 for a score that is not finite in single precision.
CREATE OR REPLACE FUNCTION fusion_finite(run_ids integer[], method text, norm text)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    bad record;
BEGIN
    IF fusion_finite.method = 'rrf' OR fusion_finite.norm = 'rank' THEN
        RETURN;
    END IF;
    SELECT n.run, q.query, k.rel_score INTO bad
      FROM st1_rankings k JOIN st1_runs n ON n.id = k.run JOIN st1_queries q ON q.id = k.query
     WHERE k.run = ANY (fusion_finite.run_ids) AND NOT abs(k.rel_score) < 3.4028235677973366e38 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the run %s has a score of %s for query %s', bad.run, bad.rel_score, bad.query),
            HINT = 'Fuse it by ranks: use method rrf, or norm rank.';
    END IF;
END
$$;
COMMENT ON FUNCTION fusion_finite(integer[], text, text) IS
'Raise an error unless the scores of stored runs are finite, if method and norm use scores';
