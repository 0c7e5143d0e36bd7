-- unscored_runs: runs whose judged documents by an edition are not stored, or no longer current (judge_runs), one row
-- per edition and run, ordered by name. Only runs with rankings for judged queries of the edition. Scoring them takes
-- longer, but gives the same values. No row if the caller may not see all rows.
CREATE OR REPLACE FUNCTION unscored_runs()
RETURNS TABLE (edition text, run text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF NOT sees_all_rows() THEN  -- the tables of stored ranks are not for everybody
        RETURN;
    END IF;
    RETURN QUERY
    SELECT e.edition, n.run
      FROM qrels_editions e CROSS JOIN st1_runs n
     WHERE NOT EXISTS (SELECT FROM judged_runs g
                        WHERE g.edition = e.id AND g.run = n.id AND g.edition_version = e.version
                          AND g.run_version = n.version AND g.code = (SELECT score_code()))
       AND EXISTS (SELECT FROM ranked_lists l JOIN qrels_judgments j ON j.query = l.query AND j.edition = e.id
                    WHERE l.run = n.id)
     ORDER BY e.edition COLLATE "C", n.run COLLATE "C";
END
$$;
COMMENT ON FUNCTION unscored_runs() IS
    'Runs whose judged documents by an edition are not stored or outdated, one row per edition and run';
