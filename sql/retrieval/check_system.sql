-- check_system: raise the error of a search by a system if the collection lacks documents, an index or vectors for it.
-- Nothing is searched: the state of the indexes and the existence of one vector decide.
--
-- model: as for system_search.
-- Raises IR105 no such model, IR107 no such system, IR401 the text index is stale, IR402 no text index, or passages
-- without an index, IR405 no documents, no passages or no vectors.
CREATE OR REPLACE FUNCTION check_system(system text, model text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    kind CONSTANT text := split_part(check_system.system, '-', 1);
    field CONSTANT text := split_part(check_system.system, '-', 2);
    space CONSTANT vector_models := vector_model(check_system.model);
    state text_index;
BEGIN
    PERFORM check_system_name(check_system.system);
    PERFORM check_corpus();
    IF kind IN ('bm25', 'rm3', 'hybrid') THEN
        SELECT * INTO state FROM text_index;
        IF NOT bm25_fast(state, NULL) THEN
            PERFORM bm25_stand_in(state, NULL);
        END IF;
    END IF;
    IF check_system.system = 'conjunctive-passage' THEN
        PERFORM check_passages(text_config());
    ELSIF kind IN ('dense', 'rocchio') THEN
        PERFORM check_vectors(space, ARRAY[field]);
    ELSIF kind = 'hybrid' THEN
        PERFORM check_vectors(space, '{title,abstract}');
    END IF;
END
$$;
COMMENT ON FUNCTION check_system(text, text) IS
'Raise the error of a search by a system if the collection lacks documents, an index or vectors for it';
