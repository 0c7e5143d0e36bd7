-- scores_as_of: scores as if the collection had been its snapshot of a day (YYYY-MM-DD). Documents that are not in the
-- snapshot are removed from the rankings, whose other documents move up, and from the judgments. A query without
-- judgments left is not scored.
--
-- The snapshot of a day is the last one up to it (snapshot_at); its documents are those of documents_as_of. Stubs are
-- in no snapshot. Parameters, columns and values as in scores, except:
--
--   - rankings are in the stored order (trec_eval 9)
--   - nothing is read from stored scores, so runs that have only imported scores are omitted
--
-- Measures of subtopics have a row for each query with subtopic judgments of documents of the snapshot.
--
-- Raises IR101, IR102, IR103, IR108, IR201, IR202 and IR405 as scores; IR202 and IR405 as snapshot_at; IR405 no
-- judgment is left.
CREATE OR REPLACE FUNCTION scores_as_of(
    runs text[], edition text, measures text[], day text, complete boolean DEFAULT true,
    relevance_level integer DEFAULT 1, judged_only boolean DEFAULT false, max_rank integer DEFAULT NULL,
    query_set text DEFAULT 'all')
RETURNS TABLE (run text, query text, measure text, value double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    snapshot CONSTANT date := snapshot_at(scores_as_of.day);
    wanted record;
    run_keys integer[];
    plan record;
    by_subtopic boolean;
    left_over integer[];  -- queries
BEGIN
    SELECT m.measure INTO wanted FROM parse_measures(scores_as_of.measures) m WHERE 'strata' = ANY (m.uses) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s estimates from a sample of the pool, and not as of a day', wanted.measure),
            HINT = 'Omit the day, or the measure.';
    END IF;
    FOREACH by_subtopic IN ARRAY '{false,true}'::boolean[] LOOP
        SELECT * INTO plan
          FROM measure_plan(scores_as_of.measures, scores_as_of.relevance_level, scores_as_of.judged_only,
                            scores_as_of.max_rank, 'trec_eval 9', by_subtopic);
        CONTINUE WHEN plan.names = '{}';
        SELECT k.run_ids, k.edition_id, k.query_ids INTO wanted
          FROM evaluation_keys(scores_as_of.runs, scores_as_of.edition, '{1}', scores_as_of.query_set, by_subtopic) k;
        PERFORM refuse_other_judgments(plan.names[1], scores_as_of.edition, by_subtopic, wanted.query_ids);
        run_keys := ARRAY(SELECT u.id FROM unnest(wanted.run_ids) AS u (id)
                           WHERE EXISTS (SELECT FROM st1_rankings r WHERE r.run = u.id)
                              OR NOT EXISTS (SELECT FROM st1_scores s WHERE s.run = u.id));
        left_over := ARRAY(
            SELECT p.query FROM snapshot_profiles(wanted.edition_id, wanted.query_ids, snapshot::text) p
             WHERE NOT by_subtopic
             UNION ALL
            SELECT q.query FROM unnest(wanted.query_ids) AS q (query)
             WHERE by_subtopic AND EXISTS (SELECT FROM subtopic_judgments(wanted.edition_id, q.query, snapshot)));
        IF cardinality(left_over) = 0 THEN
            RAISE EXCEPTION USING ERRCODE = 'IR405',
                MESSAGE = format('edition %s judges no document of the snapshot of %s',
                                 shown_name(scores_as_of.edition), snapshot),
                HINT = '''stc show snapshots'' lists the snapshots; choose a later one, or another edition.';
        END IF;
        RETURN QUERY EXECUTE format(
            'SELECT n.run, q.query, v.measure, v.value FROM (%s) AS s (run, query, number, scores)'
            ' JOIN st1_runs n ON n.id = s.run JOIN st1_queries q ON q.id = s.query'
            ' CROSS JOIN LATERAL unnest($10, s.scores) AS v (measure, value)',
            score_statement(plan.kinds, plan.places, plan.counts, plan.levels, scores_as_of.judged_only,
                            scores_as_of.max_rank, 'trec_eval 9', false,
                            CASE WHEN by_subtopic THEN 'snapshot_subtopic_lists' ELSE 'snapshot_lists' END,
                            CASE WHEN by_subtopic THEN 'snapshot_subtopic_profiles' ELSE 'snapshot_profiles' END))
            USING wanted.edition_id, left_over, plan.cutoffs, plan.numbers, plan.levels, run_keys,
                  scores_as_of.complete, scores_as_of.max_rank, snapshot::text, plan.names;
        EXIT WHEN plan.left_out IS NULL;
    END LOOP;
END
$$;
COMMENT ON FUNCTION scores_as_of(text[], text, text[], text, boolean, integer, boolean, integer, text) IS
'Scores as if the collection had been its snapshot of a day, per run and query of an edition';
