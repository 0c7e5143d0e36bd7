-- evaluation_keys: check the arguments of an evaluation and return the keys of its runs, of its edition, and of the
-- queries with judgments in the edition. An empty array of runs means all. query_set: only the judged queries of a set
-- (query_set). by_subtopic: the queries with subtopic judgments instead.
--
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query or set, IR201 no cutoff, or one below 1,
-- IR202 no query of the set is judged.
CREATE OR REPLACE FUNCTION evaluation_keys(
    runs text[], edition text, cutoffs integer[], query_set text DEFAULT 'all', by_subtopic boolean DEFAULT false,
    OUT run_ids integer[],
    OUT edition_id integer, OUT query_ids integer[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    bad record;
    judged integer[];
BEGIN
    run_ids := run_keys(evaluation_keys.runs);
    edition_id := edition_key(evaluation_keys.edition);
    SELECT c.cutoff INTO bad FROM unnest(evaluation_keys.cutoffs) AS c(cutoff)
     WHERE c.cutoff IS NULL OR c.cutoff < 1 LIMIT 1;
    IF FOUND OR coalesce(cardinality(evaluation_keys.cutoffs), 0) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = 'the cutoff is ' || coalesce(bad.cutoff::text, 'NULL'),
            HINT = 'A cutoff is the number of ranks evaluated; it must be 1 or more.';
    END IF;
    IF evaluation_keys.by_subtopic THEN
        query_ids := ARRAY(SELECT q.id FROM st1_queries q WHERE EXISTS (
                               SELECT FROM qrels_subtopics j
                                WHERE j.edition = evaluation_keys.edition_id AND j.query = q.id));
    ELSE
        query_ids := ARRAY(SELECT q.id FROM st1_queries q WHERE EXISTS (
                               SELECT FROM qrels_judgments j
                                WHERE j.edition = evaluation_keys.edition_id AND j.query = q.id));
    END IF;
    IF evaluation_keys.query_set IS DISTINCT FROM 'all' THEN
        judged := query_ids;
        query_ids := ARRAY(SELECT unnest(judged) INTERSECT SELECT unnest(query_set_ids(evaluation_keys.query_set)));
        -- without subtopic judgments the set is not the reason: score_plan raises an error
        IF query_ids = '{}' AND NOT (evaluation_keys.by_subtopic AND judged = '{}') THEN
            RAISE EXCEPTION USING ERRCODE = 'IR202',
                MESSAGE = format('edition %s has no judged queries in the set %s', evaluation_keys.edition,
                                 shown_name(evaluation_keys.query_set)),
                HINT = CASE WHEN judged = '{}' AND EXISTS (
                    SELECT FROM qrels_subtopics j WHERE j.edition = evaluation_keys.edition_id)
                THEN 'It has only subtopic judgments: use a measure of subtopics, such as alpha_nDCG@10.'
                ELSE format('Origins of its judged queries: %s.', coalesce((
                    SELECT string_agg(DISTINCT q.origin, ', ') FROM st1_queries q WHERE q.id = ANY (judged)), 'none'))
                END;
        END IF;
    END IF;
END
$$;
COMMENT ON FUNCTION evaluation_keys(text[], text, integer[], text, boolean) IS
    'Checks the arguments of an evaluation and returns the keys of its runs, edition and judged queries';
