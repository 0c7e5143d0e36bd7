-- make_run: create a run from the results of a system (see system_search) for every query with a text, in one
-- statement. Ranked by trec_eval 9's rule: score in single precision descending, equal scores by docno descending as
-- bytes.
--
--   SELECT * FROM make_run('bm25', 'bm25');
--   SELECT * FROM make_run('recent', 'hybrid', filter => '{"year": [2015, null]}');
--   SELECT * FROM make_run('judged', 'bm25', filter => '{"judged": "train"}');  -- for each query its judged documents
--
-- depth: maximum number of documents per query; TREC uses 1,000. filter: only documents that match it
-- (filter_condition), and that many if they exist. model: short name of an embedding model; NULL is the default model.
-- params of the run contains system, depth, filter, model and the indexes used, with their recall if audited.
-- Queries without results have no rows. Dense systems and hybrid need the vectors of the queries (stc vectors embed).
-- Raises IR107 no such system, IR201 depth below 1, IR202 a name that is taken (unless replace), IR405 no query with a
-- text or no results, and the errors of the system's function.
CREATE OR REPLACE FUNCTION public.make_run(
    run text, system text, depth integer DEFAULT 1000, team text DEFAULT NULL, replace boolean DEFAULT false,
    filter jsonb DEFAULT NULL,
    model text DEFAULT NULL
)
RETURNS TABLE (queries bigint, ranked bigint)
LANGUAGE plpgsql
SET search_path = stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    run_id integer;
BEGIN
    PERFORM claim_run(make_run.run);
    IF coalesce(make_run.run, '') !~ '\S' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the run is empty', HINT = 'Enter a name.';
    ELSIF make_run.depth IS NULL OR make_run.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('depth is %s', coalesce(make_run.depth::text, 'NULL')),
            HINT = 'depth must be 1 or more.';
    ELSIF NOT EXISTS (SELECT FROM st1_queries q WHERE q.text IS NOT NULL) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = 'there is no query with a text', HINT = 'Load queries with ''stc topics load''.';
    ELSIF make_run.replace THEN
        PERFORM drop_runs(ARRAY[make_run.run]);
    ELSIF EXISTS (SELECT FROM st1_runs r WHERE r.run = make_run.run COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('the run %s already exists', make_run.run),
            HINT = 'Choose another --name, or use --replace to replace that run.';
    END IF;
    PERFORM check_name('run', make_run.run), check_name('team', make_run.team);
    INSERT INTO st1_runs (run, team, tag, family, params)
    VALUES (make_run.run, make_run.team, make_run.run, split_part(make_run.system, '-', 1),
            jsonb_strip_nulls(jsonb_build_object('system', make_run.system, 'depth', make_run.depth, 'filter',
                                                 make_run.filter,
                                                 'model', make_run.model))
            || jsonb_build_object('indexes', retrieval_indexes(make_run.system, make_run.model)))
    RETURNING id INTO run_id;
    INSERT INTO st1_rankings (run, query, doc, rank, rel_score)
    SELECT run_id, q.id, s.doc, row_number() OVER (PARTITION BY q.id
                                                   ORDER BY trec_score(s.score) DESC, d.docno DESC), s.score
      FROM st1_queries q, LATERAL system_search(
               q.text, make_run.system, make_run.depth, model => make_run.model,
               filter => CASE WHEN make_run.filter ? 'judged' AND NOT make_run.filter ? 'query'
                              THEN make_run.filter || jsonb_build_object('query', q.query) ELSE make_run.filter END) s
      JOIN dblp d ON d.id = s.doc
     WHERE q.text IS NOT NULL;
    GET DIAGNOSTICS ranked = ROW_COUNT;
    IF ranked = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = format('%s finds nothing for any query', make_run.system),
            HINT = 'Check that the queries belong to this collection.';
    END IF;
    SELECT count(DISTINCT r.query) INTO queries FROM st1_rankings r WHERE r.run = run_id;
    PERFORM record_run(run_id);
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION public.make_run(text, text, integer, text, boolean, jsonb, text) IS
'Create a run from the results of a system for every query with a text; returns the numbers of queries and '
'documents ranked';
