-- measure_column: a measure's column in document_measures, quoted: what statements are built with, in place of what a
-- caller wrote.
-- Raises IR108 no such measure, which names the nearest one there is.
CREATE OR REPLACE FUNCTION measure_column(measure text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp AS $$
DECLARE
    known text[];
BEGIN
    SELECT array_agg(a.attname::text ORDER BY a.attnum) INTO known FROM pg_attribute a
     WHERE a.attrelid = 'document_measures'::regclass AND a.atttypid = 'double precision'::regtype;
    IF measure_column.measure = ANY (known) THEN
        RETURN quote_ident(measure_column.measure);
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'IR108', MESSAGE = format('documents have no measure %L', measure_column.measure),
        HINT = concat(
        'Did you mean ' || quote_literal(nearest_name(measure_column.measure, known)) || '? ',
        'There are ' || array_to_string(known, ', ') || '.');
END
$$;
COMMENT ON FUNCTION measure_column(text) IS 'The column of document_measures that a measure is in, quoted';
