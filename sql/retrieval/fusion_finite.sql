-- fusion_finite: makes sure that the scores of stored runs can be summed, where a method and norm (see fusion_part)
-- read scores.
-- Raises IR202 for a score that is no finite number in single precision.
CREATE OR REPLACE FUNCTION fusion_finite(run_ids integer[], method text, norm text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = stc, public, pg_temp
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
            HINT = 'Fuse it by its ranks: method rrf, or norm rank.';
    END IF;
END
$$;
COMMENT ON FUNCTION fusion_finite(integer[], text, text) IS 'Raise unless the scores of stored runs can be summed';
