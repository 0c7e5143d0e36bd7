-- scores_as_of: scores as if the collection had been its snapshot of a day (YYYY-MM-DD). Documents that are not in the
-- snapshot are removed from the rankings, whose other documents move up, and from the judgments. A query without
-- judgments left is not scored.
--
-- The snapshot of a day is the last one up to it (snapshot_at); its documents are those of documents_as_of. Stubs are
-- in no snapshot. Parameters, columns and values as in scores, except:
--
--   - rankings are in the stored order (trec_eval 9)
--   - nothing is read from stored scores, so runs that have only imported scores are omitted
--   - each name must be of one measure, not of a group; measures of subtopics are refused
--
-- It fills temporary tables (stage_rankings), so a read-only transaction cannot call it.
-- Raises IR101, IR102, IR103, IR108, IR201, IR202 as scores; IR202 and IR405 as snapshot_at; IR202 a measure of
-- subtopics; IR405 no judgment is left.
CREATE OR REPLACE FUNCTION scores_as_of(
    runs text[], edition text, measures text[], day text, complete boolean DEFAULT true,
    relevance_level integer DEFAULT 1, judged_only boolean DEFAULT false, max_rank integer DEFAULT NULL,
    query_set text DEFAULT 'all')
RETURNS TABLE (run text, query text, measure text, value double precision)
LANGUAGE plpgsql
SET search_path = stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    snapshot CONSTANT date := snapshot_at(scores_as_of.day);
    wanted record;
    run_keys integer[];
    edition_key integer;
BEGIN
    SELECT k.run_ids, k.edition_id, k.query_ids INTO wanted
      FROM evaluation_keys(scores_as_of.runs, scores_as_of.edition, '{1}', scores_as_of.query_set) k;
    run_keys := ARRAY(SELECT u.id FROM unnest(wanted.run_ids) AS u (id)
                       WHERE EXISTS (SELECT FROM st1_rankings r WHERE r.run = u.id)
                          OR NOT EXISTS (SELECT FROM st1_scores s WHERE s.run = u.id));
    edition_key := wanted.edition_id;
    PERFORM stage_rankings();
    INSERT INTO pg_temp.incoming_grades (query, rels)
    SELECT j.query, array_agg(j.rel::smallint ORDER BY j.rel DESC)
      FROM qrels j JOIN dblp_facts f ON f.id = j.doc
     WHERE j.edition = edition_key AND j.query = ANY (wanted.query_ids)
       AND in_snapshot(f.first_date, f.last_date, f.absent, snapshot)
     GROUP BY j.query;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('edition %s judges no document of the snapshot of %s', shown_name(scores_as_of.edition),
                             snapshot),
            HINT = '''stc corpus snapshots'' lists the snapshots; choose a later one, or another edition.';
    END IF;
    INSERT INTO pg_temp.incoming_rankings (run, query, retrieved, relevant, grades, irrelevant, pooled)
    SELECT k.run, k.query, count(*),
           coalesce(array_agg(k.place ORDER BY k.place) FILTER (WHERE k.rel > 0), '{}'),
           coalesce(array_agg(k.rel ORDER BY k.place) FILTER (WHERE k.rel > 0), '{}'),
           coalesce(array_agg(k.place ORDER BY k.place) FILTER (WHERE k.rel = 0), '{}'),
           coalesce(array_agg(k.place ORDER BY k.place) FILTER (WHERE k.rel < 0), '{}')
      FROM (SELECT r.run, r.query, j.rel::smallint AS rel,
                   row_number() OVER (PARTITION BY r.run, r.query ORDER BY r.rank)::integer AS place
              FROM st1_rankings r
              JOIN pg_temp.incoming_grades g ON g.query = r.query
              JOIN dblp_facts f ON f.id = r.doc
                AND in_snapshot(f.first_date, f.last_date, f.absent, snapshot)
              LEFT JOIN qrels j ON j.edition = edition_key AND j.query = r.query AND j.doc = r.doc
             WHERE r.run = ANY (run_keys)) k
     GROUP BY k.run, k.query;
    RETURN QUERY
    SELECT n.run, q.query, v.measure, v.value
      FROM score_incoming(run_keys, scores_as_of.measures, scores_as_of.complete, scores_as_of.relevance_level,
                          scores_as_of.judged_only, scores_as_of.max_rank, 'trec_eval 9') s
      JOIN st1_runs n ON n.id = s.run
      JOIN st1_queries q ON q.id = s.query
     CROSS JOIN LATERAL unnest(scores_as_of.measures, s.scores) AS v (measure, value);
END
$$;
COMMENT ON FUNCTION scores_as_of(text[], text, text[], text, boolean, integer, boolean, integer, text) IS
'Scores as if the collection had been its snapshot of a day, per run and query of an edition';
