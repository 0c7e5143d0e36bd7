-- edition_runs: the names of the runs that have something for an edition: documents ranked for one of its queries, or
-- scores computed by others (st1_scores). A run of other queries would score 0 throughout, and spoil whatever is
-- computed over all runs.
-- Raises IR102 for an edition that is not stored (evaluation_keys).
CREATE OR REPLACE FUNCTION edition_runs(edition text) RETURNS text[]
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp AS $$
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
'The names of the runs that have rankings or scores for the queries of an edition';
