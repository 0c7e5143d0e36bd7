-- measure_bins: a histogram of two measures: how many documents have both within each pair of bins; pairs without a
-- document have no row.
--
-- x_edges, y_edges: rising, at least two each. Bin b is from edge b to below edge b + 1, the last one with its upper
-- edge (as numpy's histogram2d has it); bin 0 is what lies below the first edge, bin cardinality(edges) what lies above
-- the last.
-- Raises IR108 no such measure, IR202 edges that are not two or more, rising.
CREATE OR REPLACE FUNCTION measure_bins(x text, y text, x_edges double precision[], y_edges double precision[])
RETURNS TABLE (x_bin integer, y_bin integer, documents bigint)
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp SET jit = off AS $$
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
                MESSAGE = format('the edges %s', left(coalesce(edges::text, 'NULL'), 80)),
                HINT = 'Edges of bins are two or more numbers, each above the one before.';
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
    'A histogram of two measures of documents, by edges of bins';
