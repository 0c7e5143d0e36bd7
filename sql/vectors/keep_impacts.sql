-- keep_impacts: trigger on a table of sparse vectors that keeps the texts of a field's index of impacts up to date
-- (build_impacts). Arguments: the field, and the scale of impact_text.
CREATE OR REPLACE FUNCTION keep_impacts()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    vectors CONSTANT name := vector_column(TG_ARGV[0]);
    texts CONSTANT text := format('stc.%I', vector_index_name(TG_TABLE_NAME, TG_ARGV[0], 'impacts'));
    changed boolean := true;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        EXECUTE format('SELECT $1.%1$I IS DISTINCT FROM $2.%1$I', vectors) INTO changed USING old, new;
    END IF;
    IF NOT changed THEN
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        EXECUTE format('DELETE FROM %s WHERE id = $1', texts) USING old.id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        EXECUTE format('INSERT INTO %s SELECT $1.id, impact_text($1.%2$I, %3$L::real) WHERE $1.%2$I IS NOT NULL',
                       texts, vectors, TG_ARGV[1]) USING new;
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION keep_impacts() IS 'Trigger on a table of sparse vectors: update the texts of its index of impacts';
