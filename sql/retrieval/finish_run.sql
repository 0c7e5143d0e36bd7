-- finish_run: store an unfinished run whose queries have all been searched, with the checks of make_run, and remove the
-- unfinished one. The rows are those that make_run would have stored. Parameters as in make_run.
--
-- ranked is NULL, and nothing is stored, if a query is left to search, or if the collection changed since the run was
-- begun (run_state): search_queries and resume_run continue.
-- Raises the errors of begin_run, and IR405 no results (refuse_empty_run).
CREATE OR REPLACE FUNCTION finish_run(
    unfinished integer, team text, replace boolean, OUT queries bigint, OUT ranked bigint
)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    made unfinished_runs := claim_unfinished(finish_run.unfinished);
    run_id integer;
BEGIN
    IF made.id IS NULL OR EXISTS (
        SELECT FROM run_queries(coalesce(made.params ->> 'queries', 'all'), made.params ->> 'query_from') q
         WHERE NOT EXISTS (SELECT FROM unfinished_rankings r WHERE r.unfinished = made.id AND r.query = q.id))
    THEN
        RETURN;
    END IF;
    run_id := begin_run(made.run, made.params ->> 'system', (made.params ->> 'depth')::integer, finish_run.team,
                        finish_run.replace, nullif(made.params -> 'filter', 'null'), made.params ->> 'model',
                        coalesce(made.params ->> 'queries', 'all'), coalesce(made.params ->> 'query_from', 'query'),
                        (made.params ->> 'chunk')::integer, coalesce((made.params ->> 'exact')::boolean, false),
                        made.params -> 'scored_by');
    INSERT INTO ranked_lists (run, query, first, docs, rel_scores)
    SELECT run_id, r.query, p.first, r.docs[p.first:p.first + list_length() - 1],
           r.scores[p.first:p.first + list_length() - 1]
      FROM unfinished_rankings r CROSS JOIN LATERAL generate_series(1, cardinality(r.docs), list_length()) AS p (first)
     WHERE r.unfinished = made.id ORDER BY r.query, p.first;
    SELECT count(*) FILTER (WHERE cardinality(r.docs) > 0), coalesce(sum(cardinality(r.docs)), 0) INTO queries, ranked
      FROM unfinished_rankings r WHERE r.unfinished = made.id;
    IF ranked = 0 THEN
        PERFORM refuse_empty_run(made.params ->> 'system', nullif(made.params -> 'filter', 'null'));
    END IF;
    PERFORM record_run(run_id);
    PERFORM drop_unfinished(ARRAY[made.id]);
END
$$;
COMMENT ON FUNCTION finish_run(integer, text, boolean) IS
'Store an unfinished run whose queries have all been searched; returns the numbers of queries and documents ranked';
