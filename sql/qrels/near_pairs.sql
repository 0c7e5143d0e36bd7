-- near_pairs: pairs of a source document and another document with a cosine of at least threshold, exactly, for one of
-- eight shares of the documents (share 1 to 8); unordered.
--
-- The caller has checked the arguments; field and space as in near_documents. The function scans the documents once
-- against the sources materialised in memory. OFFSET 0 makes l2_normalize detoast each vector once, not once per pair.
-- Documents are assigned to shares by hash, so that the shares have similar sizes.
CREATE OR REPLACE FUNCTION near_pairs(share integer, sources bigint[], threshold double precision, field text,
                                      space vector_models)
RETURNS TABLE (source bigint, doc bigint, distance double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc, public, pg_temp
SET max_parallel_workers_per_gather = 0
SET jit = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET work_mem = '256MB'
AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        $sql$SELECT s.id, o.id, s.v <#> o.v
               FROM (SELECT v.id, l2_normalize(v.%1$I) AS v FROM %2$I v
                      WHERE v.%1$I IS NOT NULL AND hashint8(v.id) & 7 = $1 - 1 OFFSET 0) o
               JOIN (SELECT v.id, l2_normalize(v.%1$I) AS v FROM %2$I v
                           WHERE v.id = ANY ($2) AND v.%1$I IS NOT NULL OFFSET 0) s
                 ON s.v <#> o.v <= -$3 AND s.id <> o.id$sql$, vector_column(near_pairs.field),
                 (near_pairs.space).relation)
    USING near_pairs.share, near_pairs.sources, near_pairs.threshold;
END
$$;
COMMENT ON FUNCTION near_pairs(integer, bigint[], double precision, text, vector_models) IS
    'Pairs of a source and another document with at least a given cosine, for one of eight shares of the documents';
