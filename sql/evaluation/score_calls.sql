-- score_calls: trigger that scores the pending requests of a team (score_requests) and stores the rounded means.
--
-- Only requests whose transaction has committed are scored, from the copy of the run they made: the caller can neither
-- change nor roll back that copy. A visible row that was not written by this transaction is committed. The means can be
-- read once this transaction has committed as well, so rolling back reveals nothing.
--
-- Except for the means, nothing that runs here depends on the hidden judgments. The settings fix the plan and its
-- memory. Messages below error level (debug_print_plan, trace_sort, auto_explain) do not reach the client. The rows and
-- pages read and written are the same for every grade of a document (request_lists).
--
-- If the edition changed after the request, the means are those of the current edition.
--
-- Safe because: the row policy of ask_calls accepts only the role that inserts and its team; it reads only requests of
-- that team, and returns nothing. No role may call it or put it on a table.
CREATE OR REPLACE FUNCTION score_calls() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = error
SET work_mem = '64MB'
SET hash_mem_multiplier = 2
SET plan_cache_mode = force_generic_plan
SET max_parallel_workers_per_gather = 0
SET jit = off
SET enable_seqscan = on
SET enable_indexscan = on
SET enable_bitmapscan = on
SET enable_hashagg = on
SET enable_hashjoin = on
SET enable_nestloop = on
SET enable_sort = on
SET enable_material = on
AS $$
#variable_conflict use_column
DECLARE
    request record;
    plan record;
    query_ids integer[];
    sums double precision[];
BEGIN
    DELETE FROM ask_calls c WHERE c.id = NEW.id;
    FOR request IN
        SELECT r.id, r.edition, r.measures FROM ask_requests r
         WHERE r.team = NEW.team AND r.means IS NULL
           AND r.xact <> coalesce(pg_current_xact_id_if_assigned()::text::bigint, -1)
         ORDER BY r.id FOR UPDATE
    LOOP
        query_ids := ARRAY(SELECT q.id FROM st1_queries q
                            WHERE EXISTS (SELECT FROM qrels_judgments j
                                           WHERE j.edition = request.edition AND j.query = q.id) ORDER BY q.id);
        SELECT array_agg(m.kind) AS kinds, array_agg(m.cutoff) AS cutoffs, array_agg(1) AS places,
               array_agg(0) AS zeros INTO plan
          FROM ask_measures(request.measures) m;
        EXECUTE format('SELECT s.scores FROM (%s) AS s (run, query, number, scores)', score_statement(
                    plan.kinds, plan.places, plan.zeros, '{1}', false, NULL, 'trec_eval 9', true, 'request_lists'))
           INTO sums USING request.edition, query_ids, plan.cutoffs, NULL::double precision[], '{1}'::integer[],
                           ARRAY[request.id::integer], true, NULL::integer, 'trec_eval 9';
        UPDATE ask_requests r
           SET means = ARRAY(SELECT round((round(coalesce(s.total, 0) / greatest(cardinality(query_ids), 1) * 1e13)
                                           / 1e13)::numeric, 2)::double precision
                               FROM unnest(sums) WITH ORDINALITY AS s (total, place) ORDER BY s.place),
               edition_version = (SELECT e.version FROM qrels_editions e WHERE e.id = request.edition),
               scored = pg_current_xact_id()::text::bigint
         WHERE r.id = request.id;
    END LOOP;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION score_calls() IS 'Trigger: scores the committed requests of a team on hidden editions';
CREATE OR REPLACE TRIGGER ask_calls_score AFTER INSERT ON ask_calls
    FOR EACH ROW WHEN (new.run IS NULL) EXECUTE FUNCTION score_calls();
