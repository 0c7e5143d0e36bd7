-- combine_run: create a run from a stored one by combining relevance, readability and credibility. The documents of
-- each query are ordered by
--
--   comb = Σ weight · transform(measure) / Σ weight
--          in [0, 1]
--
--   SELECT * FROM combine_run('readable', 'hybrid', '{"relevance": 0.8, "textstat_fkgl": 0.2}', '{"textstat_fkgl":
--       "linear(20,8)"}');
--
-- combine_plan describes weights and transforms, combine_parts describes missing. The new run is ranked by comb, which
-- is both its rel_score and its comb_score; combine_keep stores relevance and comb together. Passages are copied.
-- depth: maximum number of documents per query. params of the run contains the full combination and the source run with
-- its date and params.
-- Raises IR101 no such run, IR108 no such measure, IR201 depth below 1, IR202 a name that is taken (unless replace) or
-- that of the source, and the errors of combine_plan and combine_parts; IR405 nothing to combine, or a measure that no
-- document of the run has.
CREATE OR REPLACE FUNCTION public.combine_run(
    run text, source text, weights jsonb DEFAULT '{"relevance": 0.7, "textstat_fkgl": 0.2, "citation_percentile": 0.1}',
    transforms jsonb DEFAULT '{}', missing text DEFAULT 'mean', depth integer DEFAULT 1000,
    replace boolean DEFAULT false
)
RETURNS TABLE (queries bigint, ranked bigint)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    source_id CONSTANT integer := combine_source(combine_run.source);
    run_id integer;
    one record;
    keys integer[] := '{}';
    docs bigint[] := '{}';
    ranks integer[] := '{}';
    scores double precision[] := '{}';
    passages text[] := '{}';
BEGIN
    PERFORM fusion_name(combine_run.run, ARRAY[combine_run.source], combine_run.replace);
    IF combine_run.depth IS NULL OR combine_run.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('depth is %s', coalesce(combine_run.depth::text, 'NULL')),
            HINT = 'depth must be 1 or more.';
    END IF;
    PERFORM drop_runs(ARRAY[combine_run.run]);  -- the run exists only if it may be replaced
    INSERT INTO st1_runs (run, tag, family, params)
    VALUES (combine_run.run, combine_run.run, 'combination',
            jsonb_build_object('system', 'combination', 'depth', combine_run.depth, 'source', fusion_source(source_id))
            || combine_stated(combine_run.weights, combine_run.transforms, combine_run.missing))
    ON CONFLICT DO NOTHING
    RETURNING id INTO run_id;
    IF run_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('another run %s was stored at the same time', combine_run.run),
            HINT = 'Choose another --name, or use --replace to replace that run.';
    END IF;
    queries := 0;
    ranked := 0;
    FOR one IN
        SELECT s.query, array_agg(s.doc ORDER BY s.rank) AS docs, array_agg(s.score ORDER BY s.rank) AS scores,
               array_agg(s.rank ORDER BY s.rank) AS ranks, array_agg(k.passage ORDER BY s.rank) AS passages
          FROM combine_scores(source_id, combine_run.weights, combine_run.transforms, combine_run.missing) s
          JOIN (SELECT r.query, r.doc, r.passage FROM st1_rankings r WHERE r.run = source_id OFFSET 0) k
               ON k.query = s.query AND k.doc = s.doc  -- OFFSET 0 unnests each list once
         WHERE s.rank <= combine_run.depth
         GROUP BY s.query
    LOOP
        queries := queries + 1;
        keys := keys || array_fill(one.query, ARRAY[cardinality(one.docs)]);
        docs := docs || one.docs;
        ranks := ranks || one.ranks;
        scores := scores || one.scores;
        passages := passages || one.passages;
        IF cardinality(docs) >= 50000 THEN
            ranked := ranked + store_rankings(run_id, keys, docs, ranks, scores, true, passages);
            keys := '{}'; docs := '{}'; ranks := '{}'; scores := '{}'; passages := '{}';
        END IF;
    END LOOP;
    ranked := ranked + store_rankings(run_id, keys, docs, ranks, scores, true, passages);
    PERFORM record_run(run_id);
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION public.combine_run(text, text, jsonb, jsonb, text, integer, boolean) IS
'Create a run from a stored one by combining relevance, readability and credibility; returns queries and documents '
'ranked';
