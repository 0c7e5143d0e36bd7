-- evaluation_keys: check the arguments of an evaluation and return the keys of its runs, of its edition, and of the
-- queries with judgments in the edition. An empty array of runs means all.
--
-- Raises IR101 no such run, IR102 no such edition, IR201 no cutoff, or one below 1.
CREATE OR REPLACE FUNCTION evaluation_keys(
    runs text[], edition text, cutoffs integer[], OUT run_ids integer[], OUT edition_id integer,
    OUT query_ids integer[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
DECLARE
    bad record;
BEGIN
    run_ids := run_keys(evaluation_keys.runs);
    edition_id := edition_key(evaluation_keys.edition);
    SELECT c.cutoff INTO bad FROM unnest(evaluation_keys.cutoffs) AS c(cutoff)
     WHERE c.cutoff IS NULL OR c.cutoff < 1 LIMIT 1;
    IF FOUND OR coalesce(cardinality(evaluation_keys.cutoffs), 0) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = 'the cutoff is ' || coalesce(bad.cutoff::text, 'NULL'),
            HINT = 'A cutoff is the number of ranks evaluated; it must be 1 or more.';
    END IF;
    query_ids := ARRAY(SELECT q.id FROM st1_queries q WHERE EXISTS (
                           SELECT FROM qrels_judgments j
                            WHERE j.edition = evaluation_keys.edition_id AND j.query = q.id));
END
$$;
COMMENT ON FUNCTION evaluation_keys(text[], text, integer[]) IS
    'Checks the arguments of an evaluation and returns the keys of its runs, edition and judged queries';
