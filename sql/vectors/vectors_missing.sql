-- vectors_missing: return true if a model has no vectors of a field, so that a search without results can report it.
--
-- estimate: for callers that ask often, because without vectors the exact answer reads the whole table. In a large
-- table, false if the field has an index, and else by vectors_estimated.
CREATE OR REPLACE FUNCTION vectors_missing(space vector_models, field text, estimate boolean DEFAULT false)
RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    relation CONSTANT name := vector_relation(vectors_missing.space, vectors_missing.field);
    estimated bigint;
    missing boolean;
BEGIN
    IF vectors_missing.estimate THEN
        estimated := vectors_estimated(space, vectors_missing.field);
        IF estimated IS NOT NULL THEN
            RETURN estimated = 0 AND NOT EXISTS (
                SELECT FROM vector_indexes i
                 WHERE i.model = space.model AND i.field = vectors_missing.field COLLATE "C");
        END IF;
    END IF;
    EXECUTE format('SELECT NOT EXISTS (SELECT 1 FROM %I WHERE %s LIMIT 1)', relation,
                   vector_rows(vectors_missing.field)) INTO missing;
    RETURN missing;
END
$$;
COMMENT ON FUNCTION vectors_missing(vector_models, text, boolean) IS 'True if a model has no vectors of a field';
