-- score_plan: keys, names and statement for computing measures of runs, for use by score_runs. One row for measures of
-- judged documents, and one each for those that need subtopic judgments or strata (measure_kinds), which have other
-- queries.
--
--   relevance_level  minimum relevant grade (trec_eval -l); rel= of a measure overrides it
--   judged_only      remove unjudged documents from the rankings (-J)
--   max_rank         evaluate at most this many documents per query (-M); NULL for all
--   rules            'trec_eval 9' or 'trec_eval 10'
--   means            the statement returns sums over the queries
--   stored           use stored values if possible
--   query_set        evaluate the judged queries of this set (function query_set)
--   known_ids        runs with imported scores only (st1_scores, no ranking); they are not in run_ids
--   shares           number of parts into which the queries are divided (score_shares); 1 for a small task
--   stored_ids       runs for which all the measures are stored for the current versions and code (score_code); they
--                    are not in run_ids. Requires that the caller may read stored values
--   stored_places    positions of the measures in the stored arrays
--   part             only a part of the queries that have stored values is evaluated
--   sampled          the measures are estimated from a sample, by sampled_scores
--   statement        NULL if all runs are stored, or for a sample
--
-- Raises IR101, IR102, IR103, IR202 (evaluation_keys), IR108, IR201, IR202 (measure_plan), IR202 judged_only for a
-- sample, IR405 the edition has no subtopic judgments, or only those (refuse_other_judgments), or no strata.
CREATE OR REPLACE FUNCTION score_plan(
    runs text[], edition text, measures text[], relevance_level integer, judged_only boolean, max_rank integer,
    rules text, means boolean, stored boolean, query_set text DEFAULT 'all',
    OUT run_ids integer[], OUT known_ids integer[], OUT edition_id integer, OUT query_ids integer[], OUT names text[],
    OUT trec_names text[], OUT mean_kinds text[], OUT statement text, OUT cutoffs integer[],
    OUT numbers double precision[], OUT levels integer[], OUT shares integer,
    OUT stored_ids integer[], OUT stored_places integer[], OUT part boolean, OUT sampled boolean)
RETURNS SETOF record
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    plan record;  -- the measures
    by_code text;
    listed text[];  -- the names of the stored values
    by_subtopic boolean;
BEGIN
    FOR by_subtopic, sampled IN VALUES (false, false), (true, false), (false, true) LOOP
        SELECT * INTO plan FROM measure_plan(score_plan.measures, score_plan.relevance_level, score_plan.judged_only,
                                             score_plan.max_rank, score_plan.rules, by_subtopic, sampled);
        CONTINUE WHEN plan.names = '{}';
        names := plan.names; trec_names := plan.trec_names; mean_kinds := plan.mean_kinds;
        cutoffs := plan.cutoffs; numbers := plan.numbers; levels := plan.levels;
        SELECT k.run_ids, k.edition_id, k.query_ids INTO run_ids, edition_id, query_ids
          FROM evaluation_keys(score_plan.runs, score_plan.edition, '{1}', score_plan.query_set, by_subtopic) k;
        PERFORM refuse_other_judgments(plan.names[1], score_plan.edition, by_subtopic, query_ids);
        part := score_plan.query_set IS DISTINCT FROM 'all' OR by_subtopic  -- stored values are of all judged queries
                OR EXISTS (SELECT FROM qrels_subtopics j WHERE j.edition = edition_id);
        known_ids := ARRAY(SELECT id FROM unnest(run_ids) AS id
                            WHERE NOT EXISTS (SELECT FROM st1_rankings r WHERE r.run = id)
                              -- of any edition: a run with scores for other editions only has none here
                              AND EXISTS (SELECT FROM st1_scores s WHERE s.run = id));
        IF cardinality(known_ids) > 0 THEN
            run_ids := ARRAY(SELECT id FROM unnest(run_ids) AS id WHERE id <> ALL (known_ids));
        END IF;
        stored_ids := '{}';
        IF sampled THEN
            IF score_plan.judged_only THEN
                RAISE EXCEPTION USING ERRCODE = 'IR202',
                    MESSAGE = format('%s counts documents of the sample that are not judged', names[1]),
                    HINT = 'Omit judged_only (-J).';
            ELSIF cardinality(run_ids) > 0 THEN
                PERFORM refuse_unsampled(edition_id, names[1]);
            END IF;
            statement := NULL;
            RETURN NEXT;
            EXIT;
        END IF;
        IF score_plan.stored AND reads_stored_scores() AND score_plan.rules = 'trec_eval 9'
           AND array_position(trec_names, NULL) IS NULL
        THEN
            by_code := score_code();
            -- current rows have one list of names
            SELECT coalesce(array_agg(g.run), '{}'), min(g.measures) INTO stored_ids, listed
              FROM judged_runs g
              JOIN st1_runs n ON n.id = g.run AND n.version = g.run_version
              JOIN qrels_editions e ON e.id = g.edition AND e.version = g.edition_version
             WHERE g.edition = edition_id AND g.run = ANY (run_ids) AND g.code = by_code;
            IF listed @> trec_names THEN
                stored_places := ARRAY(SELECT array_position(listed, name)
                                         FROM unnest(trec_names) WITH ORDINALITY AS t (name, i) ORDER BY i);
            ELSE
                stored_ids := '{}';
            END IF;
            run_ids := ARRAY(SELECT id FROM unnest(run_ids) AS id WHERE id <> ALL (stored_ids));
        END IF;
        IF cardinality(run_ids) > 0 OR cardinality(stored_ids) = 0 THEN
            statement := score_statement(plan.kinds, plan.places, plan.counts, levels, score_plan.judged_only,
                                         score_plan.max_rank, score_plan.rules, score_plan.means,
                                         CASE WHEN by_subtopic THEN 'subtopic_lists' ELSE 'judged_lists' END,
                                         CASE WHEN by_subtopic THEN 'subtopic_profiles' ELSE 'judged_profiles' END);
        ELSE
            statement := NULL;
        END IF;
        shares := CASE WHEN cardinality(run_ids) * cardinality(query_ids) < 500
                            OR current_setting('max_parallel_workers_per_gather') = '0' THEN 1
                       ELSE least(8, 2 * (1 + current_setting('max_parallel_workers_per_gather')::integer)) END;
        RETURN NEXT;
        EXIT WHEN plan.left_out IS NULL;
    END LOOP;
END
$$;
COMMENT ON FUNCTION score_plan(text[], text, text[], integer, boolean, integer, text, boolean, boolean, text) IS
    'Keys, names and statement with parameters for computing measures of runs; used by scores and mean_scores';
