-- measure_column: quoted column name of a measure in document_measures.
--
-- Dynamic SQL uses this name instead of the caller's text. Raises IR108 no such measure, and suggests the nearest name.
CREATE OR REPLACE FUNCTION measure_column(measure text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    known text[];
BEGIN
    SELECT array_agg(a.attname::text ORDER BY a.attnum) INTO known FROM pg_attribute a
     WHERE a.attrelid = 'document_measures'::regclass AND a.atttypid = 'double precision'::regtype;
    IF measure_column.measure = ANY (known) THEN
        RETURN quote_ident(measure_column.measure);
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'IR108', MESSAGE = format('no document measure %L', measure_column.measure),
        HINT = concat(
        'Did you mean ' || quote_literal(nearest_name(measure_column.measure, known)) || '? ',
        'Document measures: ' || array_to_string(known, ', ') || '.');
END
$$;
COMMENT ON FUNCTION measure_column(text) IS
    'The quoted column name of a measure in document_measures; raises IR108 for an unknown measure';
