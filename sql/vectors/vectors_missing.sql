-- vectors_missing: return true if a model has no vectors of a field, so that a search without results can report it.
--
-- estimate: for callers that ask often, because without vectors the exact answer reads the whole table. In a table of
-- more than 100,000 rows, false if the field has an index, and else what ANALYZE found in a sample of 30,000 rows: if
-- very few documents have a vector, the answer is wrong until the field has an index. Without statistics it is exact.
CREATE OR REPLACE FUNCTION vectors_missing(space vector_models, field text, estimate boolean DEFAULT false)
RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc, public, pg_temp
AS $$
DECLARE
    relation CONSTANT name := vector_relation(vectors_missing.space, vectors_missing.field);
    column_name CONSTANT name := vector_column(vectors_missing.field);
    missing boolean;
BEGIN
    IF vectors_missing.estimate THEN
        SELECT i.rows IS NULL AND s.null_frac = 1 INTO missing
          FROM pg_class c
          JOIN pg_stats s ON s.schemaname = c.relnamespace::regnamespace::name AND s.tablename = c.relname
           AND s.attname = column_name
          LEFT JOIN vector_indexes i ON i.model = space.model AND i.field = vectors_missing.field COLLATE "C"
         WHERE c.oid = to_regclass(quote_ident(relation)) AND c.reltuples > 100000;
        IF missing IS NOT NULL THEN
            RETURN missing;
        END IF;
    END IF;
    EXECUTE format('SELECT NOT EXISTS (SELECT 1 FROM %I WHERE %I IS NOT NULL LIMIT 1)', relation, column_name)
       INTO missing;
    RETURN missing;
END
$$;
COMMENT ON FUNCTION vectors_missing(vector_models, text, boolean) IS 'True if a model has no vectors of a field';
