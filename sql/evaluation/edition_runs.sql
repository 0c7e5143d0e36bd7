-- edition_runs: names of the runs that have rankings or imported scores (st1_scores) for queries of an edition.
--
-- Other runs would score 0 on every query and distort statistics over all runs.
-- Raises IR102 no such edition (evaluation_keys).
CREATE OR REPLACE FUNCTION edition_runs(edition text) RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    key record;
BEGIN
    SELECT * INTO key FROM evaluation_keys('{}', edition_runs.edition, '{1}');
    RETURN ARRAY(
        SELECT n.run FROM st1_runs n
         WHERE EXISTS (SELECT FROM st1_rankings k WHERE k.run = n.id AND k.query = ANY (key.query_ids))
            OR EXISTS (SELECT FROM st1_scores s WHERE s.run = n.id AND s.edition = key.edition_id)
         ORDER BY n.run);
END
$$;
COMMENT ON FUNCTION edition_runs(text) IS
    'Names of the runs that have rankings or imported scores for queries of an edition, sorted';
