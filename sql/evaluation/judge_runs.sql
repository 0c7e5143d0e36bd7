-- judge_runs: store the judged documents of runs by one edition (judged_lists) where they are missing or outdated, so
-- that scoring need not look them up. Returns the number of runs processed; 0 if the caller may not write them.
--
-- runs: run names; an empty array means all.
--
-- Each stored row has the versions of the edition and the run it was made from. Every change increments a version
-- (count_judgments, count_rankings), so outdated rows are never used. It also has the fingerprint of the code that
-- computed it (score_code): after a change of a measure or a rule, runs are judged again. One statement reads versions
-- and rows, so they belong to the same moment. The values of stored_measures are then computed from the stored rows,
-- and their names stored with them (judged_runs.measures). If a run or the edition changes meanwhile, the versions show
-- it. If the edition has subtopic judgments, the values of their measures follow in the same array; a query with only
-- subtopic judgments has NULL for other measures, except num_ret.
-- Raises IR101 no such run, IR102 no such edition.
CREATE OR REPLACE FUNCTION public.judge_runs(runs text[], edition text) RETURNS integer
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    key record;
    plan record;
    missing integer[];
    by_code CONSTANT text := score_code();
    names CONSTANT text[] := stored_measures();
    subtopic_names text[];  -- NULL if the edition has no subtopic judgments
BEGIN
    IF NOT sees_all_rows() THEN
        RETURN 0;
    END IF;
    SELECT * INTO key FROM evaluation_keys(judge_runs.runs, judge_runs.edition, '{1}');
    FOR turn IN 1..2 LOOP
        missing := ARRAY(SELECT n.id FROM st1_runs n
                          WHERE n.id = ANY (key.run_ids) AND NOT EXISTS (
                                SELECT FROM judged_runs g
                                  JOIN qrels_editions e ON e.id = g.edition AND e.version = g.edition_version
                                 WHERE g.edition = key.edition_id AND g.run = n.id AND g.run_version = n.version
                                   AND g.code = by_code));
        IF cardinality(missing) = 0 THEN
            RETURN 0;
        END IF;
        -- two concurrent calls would do the same work and conflict on keys: the second waits, then checks again
        PERFORM pg_advisory_xact_lock(hashtext('judge_runs'), key.edition_id);
    END LOOP;
    IF EXISTS (SELECT FROM qrels_subtopics j WHERE j.edition = key.edition_id) THEN
        subtopic_names := stored_measures(true);
    END IF;
    DELETE FROM judged_runs g  -- including dropped runs; judged_rankings are deleted by cascade
     WHERE g.edition = key.edition_id AND (g.run = ANY (missing)
                                           OR NOT EXISTS (SELECT FROM st1_runs n WHERE n.id = g.run));
    DELETE FROM judged_queries g USING qrels_editions e
     WHERE e.id = key.edition_id AND g.edition = e.id AND (g.edition_version <> e.version OR g.code <> by_code);
    WITH edition AS (SELECT e.id, e.version, e.hidden FROM qrels_editions e WHERE e.id = key.edition_id),
    wanted AS (SELECT n.id, n.version FROM st1_runs n WHERE n.id = ANY (missing)),
    profiles AS MATERIALIZED (
        SELECT p.query, p.rels
          FROM judged_profiles(key.edition_id, ARRAY(
               SELECT q.id FROM st1_queries q
                WHERE EXISTS (SELECT FROM qrels_judgments j WHERE j.edition = key.edition_id AND j.query = q.id))) p),
    queries AS (
        INSERT INTO judged_queries (edition, query, hidden, edition_version, code, rels)
        SELECT e.id, p.query, e.hidden, e.version, by_code, p.rels FROM edition e CROSS JOIN profiles p
        ON CONFLICT (edition, query, hidden) DO UPDATE
           SET edition_version = excluded.edition_version, code = excluded.code, rels = excluded.rels),
    judged AS (
        INSERT INTO judged_runs (edition, run, hidden, edition_version, run_version, code, measures)
        SELECT e.id, w.id, e.hidden, e.version, w.version, by_code, names || subtopic_names
          FROM edition e CROSS JOIN wanted w)
    INSERT INTO judged_rankings (edition, run, query, hidden, retrieved, relevant, grades, irrelevant, pooled)
    SELECT e.id, l.run, l.query, e.hidden, l.retrieved, l.relevant, l.grades, l.irrelevant, l.pooled
      FROM edition e
     CROSS JOIN judged_lists(key.edition_id, ARRAY(SELECT p.query FROM profiles p),
                             ARRAY(SELECT w.id FROM wanted w), 'trec_eval 9', true) l;
    IF key.query_ids <> '{}' THEN
        SELECT * INTO plan FROM score_plan(
            ARRAY(SELECT n.run FROM st1_runs n WHERE n.id = ANY (missing)), judge_runs.edition, names, 1, false, NULL,
            'trec_eval 9', false, false);
        INSERT INTO judged_scores (edition, run, query, hidden, scores)
        SELECT g.edition, v.run, v.query, g.hidden, v.scores
          FROM score_share(1, 1, plan.statement, plan.edition_id, plan.query_ids, missing, plan.cutoffs, plan.numbers,
                           plan.levels,
                           true, NULL, 'trec_eval 9') v
          JOIN judged_runs g ON g.edition = plan.edition_id AND g.run = v.run;
    END IF;
    IF subtopic_names IS NOT NULL THEN
        SELECT * INTO plan FROM score_plan(
            ARRAY(SELECT n.run FROM st1_runs n WHERE n.id = ANY (missing)), judge_runs.edition, subtopic_names, 1,
            false, NULL, 'trec_eval 9', false, false);
        INSERT INTO judged_scores (edition, run, query, hidden, scores)
        SELECT g.edition, v.run, v.query, g.hidden,
               ARRAY(SELECT CASE n.name WHEN 'num_ret' THEN coalesce((
                                SELECT l.first - 1 + cardinality(l.docs) FROM ranked_lists l
                                 WHERE l.run = v.run AND l.query = v.query
                                 ORDER BY l.first DESC LIMIT 1), 0) END::double precision
                       FROM unnest(names) WITH ORDINALITY AS n (name, place) ORDER BY n.place) || v.scores
          FROM score_share(1, 1, plan.statement, plan.edition_id, plan.query_ids, missing, plan.cutoffs, plan.numbers,
                           plan.levels, true, NULL, 'trec_eval 9') v
          JOIN judged_runs g ON g.edition = plan.edition_id AND g.run = v.run
        ON CONFLICT (edition, run, query, hidden) DO UPDATE
           SET scores = judged_scores.scores || excluded.scores[cardinality(names) + 1:];
    END IF;
    RETURN cardinality(missing);
END
$$;
COMMENT ON FUNCTION public.judge_runs(text[], text) IS
    'Stores the judged documents of runs by an edition where missing or outdated, to speed up scoring; returns the '
    'number of runs processed';
