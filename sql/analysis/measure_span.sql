-- measure_span: number of documents that have both measures, and limits of each measure that exclude a share of the
-- documents at either end.
--
-- Used to choose the axes of figures, so that a few outliers do not dominate. Limits are values that occur
-- (percentile_disc). Returns one row; limits are NULL if no document has both measures. beyond: share excluded at each
-- end.
-- Raises IR108 no such measure, IR202 beyond outside [0, .5).
CREATE OR REPLACE FUNCTION measure_span(x text, y text, beyond double precision DEFAULT 0.005)
RETURNS TABLE (documents bigint, x_low double precision, x_high double precision, y_low double precision,
               y_high double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
DECLARE
    x_column CONSTANT text := measure_column(measure_span.x);
    y_column CONSTANT text := measure_column(measure_span.y);
BEGIN
    IF (measure_span.beyond >= 0 AND measure_span.beyond < 0.5) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the share to exclude at either end is %s', coalesce(beyond::text, 'NULL')),
            HINT = 'It must be at least 0 and below .5.';
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
    'Number of documents with both measures, and limits of each measure that exclude the share beyond at either end';
