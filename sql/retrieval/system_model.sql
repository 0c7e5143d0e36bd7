-- system_model: the embedding model that a search by a system reads: the named one, or by default the collection's
-- first of the kind that the system needs, sparse or dense (systems.toml). Also for systems that read no vectors.
-- Raises the errors of vector_model.
CREATE OR REPLACE FUNCTION system_model(system text, model text DEFAULT NULL)
RETURNS vector_models
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT vector_model(system_model.model, EXISTS (
        SELECT FROM product_systems() b WHERE b.system = system_model.system AND 'sparse' = ANY (b.reads)))
$$;
COMMENT ON FUNCTION system_model(text, text) IS 'Row of the embedding model that a search by a system reads';
