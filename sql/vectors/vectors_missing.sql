-- vectors_missing: return true if a model has no vectors of a field, so that a search without results can report it.
CREATE OR REPLACE FUNCTION vectors_missing(space vector_models, field text)
RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc, public, pg_temp
AS $$
DECLARE
    missing boolean;
BEGIN
    EXECUTE format('SELECT NOT EXISTS (SELECT 1 FROM %I WHERE %I IS NOT NULL LIMIT 1)',
                   vector_relation(vectors_missing.space, vectors_missing.field), vector_column(vectors_missing.field))
                       INTO missing;
    RETURN missing;
END
$$;
COMMENT ON FUNCTION vectors_missing(vector_models, text) IS 'True if a model has no vectors of a field';
