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
--
-- All queries are searched in one snapshot. Their rankings are stored in parts, so that memory does not grow with the
-- number of queries. If the statement is interrupted, nothing is stored; 'stc retrieval run' continues instead.
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
    one record;
    keys integer[] := '{}';
    docs bigint[] := '{}';
    ranks integer[] := '{}';
    scores double precision[] := '{}';
BEGIN
    run_id := begin_run(make_run.run, make_run.system, make_run.depth, make_run.team, make_run.replace, make_run.filter,
                        make_run.model);
    queries := 0;
    ranked := 0;
    FOR one IN
        SELECT q.id, s.docs, s.scores, cardinality(s.docs) AS found
          FROM st1_queries q
         CROSS JOIN LATERAL query_ranking(q.query, q.text, make_run.system, make_run.depth, make_run.filter,
                                          make_run.model) s
         WHERE q.text IS NOT NULL
    LOOP
        CONTINUE WHEN one.found = 0;
        queries := queries + 1;
        keys := keys || array_fill(one.id, ARRAY[one.found]);
        docs := docs || one.docs;
        ranks := ranks || ARRAY(SELECT generate_series(1, one.found));
        scores := scores || one.scores;
        IF cardinality(docs) >= 50000 THEN
            ranked := ranked + store_rankings(run_id, keys, docs, ranks, scores);
            keys := '{}'; docs := '{}'; ranks := '{}'; scores := '{}';
        END IF;
    END LOOP;
    ranked := ranked + store_rankings(run_id, keys, docs, ranks, scores);
    IF ranked = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = format('%s finds nothing for any query', make_run.system),
            HINT = 'Check that the queries belong to this collection.';
    END IF;
    PERFORM record_run(run_id);
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION public.make_run(text, text, integer, text, boolean, jsonb, text) IS
'Create a run from the results of a system for every query with a text; returns the numbers of queries and '
'documents ranked';
