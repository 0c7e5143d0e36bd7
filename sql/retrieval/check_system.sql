-- check_system: raise the error of a search by a system if the collection lacks documents, an index or vectors for it.
-- Nothing is searched: the state of the indexes and the existence of one vector decide. Of a system that users added,
-- only its function is known.
--
-- model: as for system_search.
-- Raises IR105 no such model, IR107 no such system, IR401 the text index is stale, IR402 no text index, or passages
-- without an index, IR405 no documents, no passages or no vectors, and the errors of own_system.
CREATE OR REPLACE FUNCTION check_system(system text, model text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    space CONSTANT vector_models := system_model(check_system.system, check_system.model);
    needs text[] := (SELECT b.needs FROM product_systems() b WHERE b.system = check_system.system);
    state text_index;
BEGIN
    PERFORM check_system_name(check_system.system);
    PERFORM check_corpus();
    IF needs IS NULL THEN
        PERFORM CASE WHEN p.system IS NOT NULL THEN check_system(p.system, coalesce((s.m).model, check_system.model))
                     WHEN p.field = 'document' THEN check_vectors(s.m, '{abstract,title}')
                     WHEN p.field IS NOT NULL THEN check_vectors(s.m, ARRAY[p.field]) END
           FROM own_system(check_system.system) o CROSS JOIN LATERAL pipeline_stages(o.stages) p
          CROSS JOIN LATERAL (SELECT pipeline_model(p.system, p.field, p.model, check_system.model)) s (m)
          WHERE o.stages IS NOT NULL;
        RETURN;
    END IF;
    IF 'index' = ANY (needs) THEN
        SELECT * INTO state FROM text_index;
        IF NOT bm25_fast(state, NULL) THEN
            PERFORM bm25_stand_in(state, NULL);
        END IF;
    ELSIF 'passages' = ANY (needs) THEN
        PERFORM check_passages(text_config());
    END IF;
    needs := array_remove(array_remove(needs, 'index'), 'passages');
    IF needs <> '{}' THEN
        PERFORM check_vectors(space, needs);
    END IF;
END
$$;
COMMENT ON FUNCTION check_system(text, text) IS
'Raise the error of a search by a system if the collection lacks documents, an index or vectors for it';
