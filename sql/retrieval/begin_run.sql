-- begin_run: create the row of a run that a system makes, without rankings, and return its key. Reserves the name for
-- this transaction (claim_run). Parameters as in make_run. exact: a dense system compares all vectors and reads no
-- index; params then contains search: exact, as without an index. A system that users added: params contains its
-- function, with the definition and its MD5; or its stages (pipeline_described), with scored_by; and the weights of a
-- tuned fusion (add_fusion).
-- Raises IR103 no such query or set, IR107 no such system, IR201 depth below 1, IR202 a name that is taken (unless
-- replace), query_from or chunk, IR405 no documents, no query with a text, or no article.
CREATE OR REPLACE FUNCTION begin_run(
    run text, system text, depth integer, team text, replace boolean, filter jsonb, model text,
    query_set text, query_from text, chunk integer, exact boolean DEFAULT false, scored_by jsonb DEFAULT NULL
)
RETURNS integer
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    run_id integer;
    of_articles jsonb := '{}';
    indexes jsonb;
    added CONSTANT record := own_system(begin_run.system);
BEGIN
    PERFORM claim_run(begin_run.run);
    IF coalesce(begin_run.run, '') !~ '\S' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the run is empty', HINT = 'Enter a name.';
    ELSIF begin_run.depth IS NULL OR begin_run.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('depth is %s', coalesce(begin_run.depth::text, 'NULL')),
            HINT = 'depth must be 1 or more.';
    END IF;
    PERFORM check_corpus();
    IF NOT EXISTS (SELECT FROM run_queries(begin_run.query_set, 'query')) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = 'there is no query with a text'
                      || CASE WHEN begin_run.query_set <> 'all' THEN ' in the set ' || shown_name(begin_run.query_set)
                              ELSE '' END,
            HINT = 'Load queries with ''stc load --as topics''.';
    ELSIF coalesce(begin_run.query_from NOT IN ('query', 'article'), true) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('query_from is %s', coalesce(begin_run.query_from, 'NULL')),
            HINT = 'Search the texts of the queries (query) or the articles of their topics (article).';
    ELSIF NOT EXISTS (SELECT FROM run_queries(begin_run.query_set, begin_run.query_from)) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'no query belongs to a topic with an article',
            HINT = 'Load articles with ''stc load --as articles''.';
    ELSIF begin_run.replace THEN
        PERFORM drop_runs(ARRAY[begin_run.run]);
    ELSIF EXISTS (SELECT FROM st1_runs r WHERE r.run = begin_run.run COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('the run %s already exists', begin_run.run),
            HINT = 'Choose another --name, or use --replace to replace that run.';
    END IF;
    PERFORM check_name('run', begin_run.run), check_name('team', begin_run.team);
    IF begin_run.query_from = 'article' THEN
        PERFORM article_chunks('', begin_run.chunk);  -- raises IR202
        of_articles := jsonb_build_object('query_from', 'article', 'chunk', begin_run.chunk, 'fusion', 'rrf',
                                          'constant', 60);
    END IF;
    indexes := retrieval_indexes(begin_run.system, begin_run.model);
    IF begin_run.exact THEN
        SELECT jsonb_object_agg(i.field, NULL) INTO indexes FROM jsonb_object_keys(indexes) i (field);
    END IF;
    INSERT INTO st1_runs AS n (run, team, tag, family, params)
    VALUES (begin_run.run, begin_run.team, begin_run.run, split_part(begin_run.system, '-', 1),
            jsonb_strip_nulls(jsonb_build_object('system', begin_run.system, 'depth', begin_run.depth,
                                                 'filter', begin_run.filter,
                                                 'model', CASE WHEN begin_run.system = 'sparse' THEN (system_model(
                                                     begin_run.system, begin_run.model)).model ELSE begin_run.model END,
                                                 'queries', nullif(begin_run.query_set, 'all')))
            || of_articles || jsonb_build_object('indexes', indexes)
            || CASE WHEN added.routine IS NULL THEN '{}' ELSE jsonb_build_object('function', jsonb_build_object(
                   'name', added.routine::regprocedure, 'definition', pg_get_functiondef(added.routine),
                   'md5', md5(pg_get_functiondef(added.routine)))) END
            || CASE WHEN added.fusion IS NULL THEN '{}' ELSE jsonb_build_object('fusion', added.fusion) END
            || CASE WHEN added.stages IS NULL THEN '{}' ELSE jsonb_build_object('stages', pipeline_described(
                   added.stages, begin_run.model, begin_run.scored_by)) END
            || CASE WHEN begin_run.system ~ '^(dense-|sparse$)' AND jsonb_strip_nulls(indexes) = '{}'
                    THEN '{"search": "exact"}' ELSE '{}' END::jsonb)
    RETURNING n.id INTO run_id;
    RETURN run_id;
END
$$;
COMMENT ON FUNCTION begin_run(text, text, integer, text, boolean, jsonb, text, text, text, integer, boolean, jsonb) IS
'Create the row of a run that a system makes, without rankings, and return its key';
