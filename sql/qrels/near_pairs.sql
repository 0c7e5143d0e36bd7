-- near_pairs: pairs of a source document and another document with a cosine of at least threshold, for one of eight
-- shares (share 1 to 8); unordered.
--
-- The caller has checked the arguments; field and space as in near_documents. OFFSET 0 makes l2_normalize detoast each
-- vector once, not once per pair. Documents are assigned to shares by hash, so that the shares have similar sizes.
--
-- walked NULL: all pairs, exactly. The function scans a share of the documents once against the sources materialised in
-- memory. Otherwise the nearest documents of a share of the sources by the index walked, fetched for each source. The
-- caller has set the effort (vector_effort), because a parallel worker cannot.
CREATE OR REPLACE FUNCTION near_pairs(share integer, sources bigint[], threshold double precision, field text,
                                      space vector_models, walked vector_indexes DEFAULT NULL,
                                      fetched integer DEFAULT NULL)
RETURNS TABLE (source bigint, doc bigint, distance double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET max_parallel_workers_per_gather = 0
SET jit = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET work_mem = '256MB'
AS $$
DECLARE
    column_name CONSTANT name := vector_column(near_pairs.field);
BEGIN
    IF (near_pairs.walked).kind IS NOT NULL THEN
        RETURN QUERY EXECUTE format(
            $sql$SELECT s.id, n.id, n.distance
                   FROM (SELECT v.id, l2_normalize(v.%1$I) AS v FROM %2$I v
                           WHERE v.id = ANY ($1) AND v.%1$I IS NOT NULL AND hashint8(v.id) & 7 = $2 - 1 OFFSET 0) s
                  CROSS JOIN LATERAL (SELECT v.id, v.%1$I <#> s.v AS distance FROM %2$I v WHERE v.%1$I IS NOT NULL
                                        ORDER BY %3$s FETCH FIRST $3 ROWS %4$s) n
                  WHERE n.id <> s.id AND n.distance <= -$4$sql$,
            column_name, (near_pairs.space).relation,
            vector_order('v.' || quote_ident(column_name), 's.v', (near_pairs.space).dim, near_pairs.walked),
            CASE WHEN (near_pairs.walked).bits THEN 'ONLY' ELSE 'WITH TIES' END)
        USING near_pairs.sources, near_pairs.share, near_pairs.fetched, near_pairs.threshold;
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format(
        $sql$SELECT s.id, o.id, s.v <#> o.v
               FROM (SELECT v.id, l2_normalize(v.%1$I) AS v FROM %2$I v
                      WHERE v.%1$I IS NOT NULL AND hashint8(v.id) & 7 = $1 - 1 OFFSET 0) o
               JOIN (SELECT v.id, l2_normalize(v.%1$I) AS v FROM %2$I v
                           WHERE v.id = ANY ($2) AND v.%1$I IS NOT NULL OFFSET 0) s
                 ON s.v <#> o.v <= -$3 AND s.id <> o.id$sql$, column_name, (near_pairs.space).relation)
    USING near_pairs.share, near_pairs.sources, near_pairs.threshold;
END
$$;
COMMENT ON FUNCTION near_pairs(integer, bigint[], double precision, text, vector_models, vector_indexes, integer) IS
    'Pairs of a source and another document with at least a given cosine, for one of eight shares';
