-- add_fusion: store a fusion of runs with its weights as a system, which searches as hybrid_search does with the
-- rankers that made the runs. Names, rights and replacement are those of add_system.
--
-- weights   by run; method, norm, constant: as for fuse_runs
-- tuned     what the weights were tuned on; edition names the judgments
--
-- The title has the rankers, because others may not know the runs.
--
-- A run must be the whole result of a ranker: 1,000 documents deep, for all queries, without filter. A system of the
-- product that ranks by a field is its ranker: dense-title is title. A run of another model than the default one names
-- it, as title:mpnet.
-- Raises IR101 no such run, IR202 a run that no ranker made as above, and the errors of check_training and add_system.
CREATE OR REPLACE FUNCTION add_fusion(
    system text, runs text[], weights jsonb, method text, norm text, constant integer, tuned jsonb
)
RETURNS void
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    one record;
    ranker text;
    fused jsonb := '{}';
    vector boolean := false;
BEGIN
    PERFORM check_training(add_fusion.tuned ->> 'edition');
    PERFORM fusion_runs(add_fusion.runs);
    FOR one IN
        SELECT r.run, r.params, r.params ->> 'system' AS made_by
          FROM unnest(add_fusion.runs) WITH ORDINALITY u (run, place) JOIN st1_runs r ON r.run = u.run COLLATE "C"
         ORDER BY u.place
    LOOP
        ranker := CASE WHEN one.made_by IN ('bm25', 'boolean', 'rm3', 'sparse') THEN one.made_by
                       WHEN one.made_by IN ('dense-title', 'dense-abstract', 'dense-content', 'dense-document')
                       THEN split_part(one.made_by, '-', 2)
                       ELSE (SELECT o.system FROM own_systems o
                              WHERE o.system = one.made_by AND o.fusion IS NULL
                                AND o.function !~ '>>\s*cross-encoder:'  -- SQL cannot run it
                                AND (o.maker IS NULL OR o.maker = current_user) LIMIT 1) END;
        IF ranker IS NULL OR one.params ?| '{filter,queries,query_from}'
            OR coalesce((one.params ->> 'depth')::numeric < 1000, true)
        THEN
            RAISE EXCEPTION USING ERRCODE = 'IR202',
                MESSAGE = format('the run %s is not the whole result of a ranker of hybrid_search', one.run),
                HINT = 'Use runs of bm25, boolean, rm3, sparse, dense-document, dense-title, dense-abstract, '
                       'dense-content or your own systems, made with ''stc run'' for all queries and without filter.';
        END IF;
        IF one.made_by ~ '^(dense-|sparse$)' AND one.params ->> 'model' <> (system_model(one.made_by)).model THEN
            ranker := concat_ws(':', ranker, one.params ->> 'model');
        END IF;
        IF fused ? ranker THEN
            RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('two runs are by the ranker %s', ranker),
                HINT = 'Name one run for each ranker.';
        END IF;
        fused := fused || jsonb_build_object(ranker, add_fusion.weights -> one.run);
    END LOOP;
    -- false: the system needs no vector of the query
    vector := EXISTS (SELECT FROM jsonb_object_keys(fused) r (name)
                       WHERE split_part(r.name, ':', 1) NOT IN ('bm25', 'boolean', 'rm3'));
    PERFORM add_system(
        add_fusion.system, 'stc.fused_search(text, integer, vector, jsonb, text, text)',
        left('tuned fusion of ' || (SELECT string_agg(r.name, ', ') FROM jsonb_object_keys(fused) r (name)), 200),
        jsonb_build_object('weights', fused, 'method', add_fusion.method, 'norm', add_fusion.norm,
                           'constant', add_fusion.constant, 'vector', vector, 'tuned', add_fusion.tuned));
END
$$;
COMMENT ON FUNCTION add_fusion(text, text[], jsonb, text, text, integer, jsonb) IS
'Store a fusion of runs with tuned weights as a system';
