-- fusion_query_parts: the contributions of stored runs to the documents of one query, with weight 1 (fusion_part): one
-- row per document and run that contains it; place is the position of the run in run_ids. Arguments must be valid; it
-- is inlined.
CREATE OR REPLACE FUNCTION fusion_query_parts(query integer, run_ids integer[], method text, norm text,
                                              constant integer)
RETURNS TABLE (doc bigint, place bigint, part double precision)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 2000 AS $$
    SELECT s.doc, s.place,
           stc.fusion_part(fusion_query_parts.method, fusion_query_parts.norm, 1, s.rel_score, s.rank, s.lowest,
                           s.highest, s.deviation, s.n,
                       fusion_query_parts.constant)
      FROM (SELECT k.doc, u.place, k.rel_score, k.rank, min(k.rel_score) OVER ranking AS lowest,
                   max(k.rel_score) OVER ranking AS highest,
                   stddev_pop(k.rel_score) OVER ranking AS deviation, count(*) OVER ranking AS n
              FROM unnest(fusion_query_parts.run_ids) WITH ORDINALITY u (run, place)
              JOIN stc.st1_rankings k ON k.run = u.run AND k.query = fusion_query_parts.query
            WINDOW ranking AS (PARTITION BY u.place)) s
$$;
COMMENT ON FUNCTION fusion_query_parts(integer, integer[], text, text, integer) IS
'Contributions of stored runs to the documents of a query, with weight 1';
