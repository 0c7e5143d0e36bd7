-- make_run: create a run from the results of a system (see system_search) for every query with a text, in one
-- statement. Ranked by trec_eval 9's rule: score in single precision descending, equal scores by docno descending as
-- bytes.
--
--   SELECT * FROM make_run('bm25', 'bm25');
--   SELECT * FROM make_run('recent', 'hybrid', filter => '{"year": [2015, null]}');
--   SELECT * FROM make_run('judged', 'bm25', filter => '{"judged": "train"}');  -- for each query its judged documents
--   SELECT * FROM make_run('hybrid-article', 'hybrid', query_from => 'article');
--
-- depth: maximum number of documents per query; TREC uses 1,000. filter: only documents that match it
-- (filter_condition), and that many if they exist. query_set: only the queries of a set (query_set). model: short name
-- of an embedding model; NULL is the default model.
-- query_from: query searches the text of each query. article searches the article of its topic instead, in chunks of at
-- most chunk words (0: sentences) whose rankings are fused (article_search); queries without an article have no rows.
-- params of the run contains system, depth, filter, model, queries, query_from with chunk and fusion if it is article,
-- the indexes used, with their recall if audited, and the definition of the function of a system that users added.
-- Queries without results have no rows. Dense systems and hybrid need the vectors of the queries (stc vectors embed).
--
-- All queries are searched in one snapshot. Their rankings are stored in parts, so that memory does not grow with the
-- number of queries. If the statement is interrupted, nothing is stored; 'stc run' continues instead.
-- Raises IR103 no such query or set, IR107 no such system, IR201 depth below 1, IR202 a name that is taken (unless
-- replace), query_from or chunk, IR405 no documents, no query with a text, no article or no results (refuse_empty_run),
-- and the errors of the system's function.
CREATE OR REPLACE FUNCTION public.make_run(
    run text, system text, depth integer DEFAULT 1000, team text DEFAULT NULL, replace boolean DEFAULT false,
    filter jsonb DEFAULT NULL,
    model text DEFAULT NULL, query_set text DEFAULT 'all', query_from text DEFAULT 'query', chunk integer DEFAULT 64
)
RETURNS TABLE (queries bigint, ranked bigint)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
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
                        make_run.model, make_run.query_set, make_run.query_from, make_run.chunk);
    queries := 0;
    ranked := 0;
    FOR one IN
        SELECT q.id, s.docs, s.scores, cardinality(s.docs) AS found
          FROM run_queries(make_run.query_set, make_run.query_from) q
         CROSS JOIN LATERAL query_ranking(q.query, q.text, make_run.system, make_run.depth, make_run.filter,
                                          make_run.model,
                                          CASE make_run.query_from WHEN 'article' THEN make_run.chunk END) s
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
        PERFORM refuse_empty_run(make_run.system, make_run.filter);
    END IF;
    PERFORM record_run(run_id);
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION public.make_run(text, text, integer, text, boolean, jsonb, text, text, text, integer) IS
'Create a run from the results of a system for every query with a text, or those of a set; returns the numbers of '
'queries and documents ranked';
