-- rankings_to: ranked documents of all runs down to a rank, one row per document; all values are keys (st1_rankings).
--
-- Reads only these documents of each list, so it is faster than a condition on the ranks of st1_rankings. Written so
-- that PostgreSQL inlines it and uses conditions on run and query. Citus cannot plan it beside distributed tables: read
-- ranked_lists there.
CREATE OR REPLACE FUNCTION rankings_to(depth integer)
RETURNS TABLE (run integer, query integer, doc bigint, rank integer)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT l.run, l.query, u.doc, l.first - 1 + u.place::integer
      FROM stc.ranked_lists l
     CROSS JOIN LATERAL unnest(l.docs[:rankings_to.depth - l.first + 1]) WITH ORDINALITY AS u (doc, place)
     WHERE l.first <= rankings_to.depth
$$;
COMMENT ON FUNCTION rankings_to(integer) IS
    'Ranked documents of all runs down to a rank, one row per document; all values are keys';
