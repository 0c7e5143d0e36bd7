-- vectors_missing: whether a model has no vector of a field at all: then a search that found nothing is to say so.
CREATE OR REPLACE FUNCTION vectors_missing(space vector_models, field text)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = stc, public, pg_temp
AS $$
DECLARE
    missing boolean;
BEGIN
    EXECUTE format('SELECT NOT EXISTS (SELECT FROM %I WHERE %I IS NOT NULL)',
                   vector_relation(vectors_missing.space, vectors_missing.field), vector_column(vectors_missing.field))
                       INTO missing;
    RETURN missing;
END
$$;
COMMENT ON FUNCTION vectors_missing(vector_models, text) IS 'Whether a model has no vector of a field';
