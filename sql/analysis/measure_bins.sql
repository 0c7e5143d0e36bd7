-- measure_bins: two-dimensional histogram of two document measures: number of documents per pair of bins. Empty pairs
-- have no row.
--
-- x_edges, y_edges: at least two increasing numbers each. Bin b contains values from edge b up to but excluding edge b
-- + 1; the last bin includes its upper edge (as numpy.histogram2d). Bin 0 contains values below the first edge, bin
-- cardinality(edges) values above the last.
-- Raises IR108 no such measure, IR202 fewer than two edges, or edges that do not increase.
CREATE OR REPLACE FUNCTION measure_bins(x text, y text, x_edges double precision[], y_edges double precision[])
RETURNS TABLE (x_bin integer, y_bin integer, documents bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
DECLARE
    x_column CONSTANT text := measure_column(measure_bins.x);
    y_column CONSTANT text := measure_column(measure_bins.y);
    edges double precision[];
BEGIN
    FOR edges IN VALUES (measure_bins.x_edges), (measure_bins.y_edges) LOOP
        IF coalesce(cardinality(edges), 0) < 2 OR EXISTS (
            SELECT FROM generate_subscripts(edges, 1) AS i
             WHERE edges[i] IS NULL OR edges[i] = 'NaN' OR edges[i] >= edges[i + 1])
        THEN
            RAISE EXCEPTION USING ERRCODE = 'IR202',
                MESSAGE = format('invalid bin edges: %s', left(coalesce(edges::text, 'NULL'), 80)),
                HINT = 'Give two or more numbers in increasing order.';
        END IF;
    END LOOP;
    RETURN QUERY EXECUTE format(
        'SELECT width_bucket(d.%1$s, $1) - (d.%1$s = $3)::integer, width_bucket(d.%2$s, $2) - (d.%2$s = $4)::integer, '
        'count(*)'
        '  FROM document_measures d WHERE d.%1$s IS NOT NULL AND d.%2$s IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2',
        x_column, y_column)
        USING measure_bins.x_edges, measure_bins.y_edges, x_edges[cardinality(x_edges)], y_edges[cardinality(y_edges)];
END
$$;
COMMENT ON FUNCTION measure_bins(text, text, double precision[], double precision[]) IS
    'Two-dimensional histogram of two document measures: number of documents per pair of bins; bin 0 is below the '
    'first edge';
