-- measure_span: over the documents that have both of two measures, how many there are, and the limits between which
-- each measure lies but for a share of them at either end: what a figure shows when a few documents lie far off. Limits
-- are values that there are (percentile_disc). One row; limits NULL where no document has both.
-- Raises IR108 no such measure, IR202 a share that is not from 0 to below .5.
CREATE OR REPLACE FUNCTION measure_span(x text, y text, beyond double precision DEFAULT 0.005)
RETURNS TABLE (documents bigint, x_low double precision, x_high double precision, y_low double precision,
               y_high double precision)
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp SET jit = off AS $$
DECLARE
    x_column CONSTANT text := measure_column(measure_span.x);
    y_column CONSTANT text := measure_column(measure_span.y);
BEGIN
    IF (measure_span.beyond >= 0 AND measure_span.beyond < 0.5) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('a share of %s at either end', coalesce(beyond::text, 'NULL')),
            HINT = 'It is from 0 to below .5.';
    END IF;
    RETURN QUERY EXECUTE format(
        'SELECT q.n, q.x[1], q.x[2], q.y[1], q.y[2]'
        '  FROM (SELECT count(*) AS n, percentile_disc($1) WITHIN GROUP (ORDER BY d.%1$s) AS x,'
        '               percentile_disc($1) WITHIN GROUP (ORDER BY d.%2$s) AS y'
        '          FROM document_measures d WHERE d.%1$s IS NOT NULL AND d.%2$s IS NOT NULL) q', x_column, y_column)
        USING ARRAY[measure_span.beyond, 1 - measure_span.beyond];
END
$$;
COMMENT ON FUNCTION measure_span(text, text, double precision) IS
'Between what limits two measures of documents lie but for a share';
