-- pack_lists: store the ranked lists of a run, query and part (list_part) as one row, as if they had been stored by one
-- statement.
CREATE OR REPLACE FUNCTION pack_lists(run integer, query integer, part bigint) RETURNS void
LANGUAGE sql VOLATILE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH packed AS MATERIALIZED (
        SELECT min(r.rank) AS first, array_agg(r.doc ORDER BY r.rank) AS docs,
               array_agg(r.rel_score ORDER BY r.rank) AS rel_scores,
               CASE WHEN count(r.comb_score) > 0 THEN array_agg(r.comb_score ORDER BY r.rank) END AS comb_scores,
               CASE WHEN count(r.file_rank) > 0 AND bool_and(r.file_rank IS NOT DISTINCT FROM r.rank) THEN '{}'
                    WHEN count(r.file_rank) > 0 THEN array_agg(r.file_rank ORDER BY r.rank) END AS file_ranks,
               CASE WHEN count(r.passage) > 0 THEN array_agg(r.passage ORDER BY r.rank) END AS passages
          FROM st1_rankings r
         WHERE r.run = pack_lists.run AND r.query = pack_lists.query AND list_part(r.first) = pack_lists.part),
    gone AS (
        DELETE FROM ranked_lists l USING packed p
         WHERE l.run = pack_lists.run AND l.query = pack_lists.query AND list_part(l.first) = pack_lists.part
           AND l.first > p.first)
    UPDATE ranked_lists l
       SET docs = p.docs, rel_scores = p.rel_scores, comb_scores = p.comb_scores, file_ranks = p.file_ranks,
           passages = p.passages
      FROM packed p WHERE l.run = pack_lists.run AND l.query = pack_lists.query AND l.first = p.first
$$;
COMMENT ON FUNCTION pack_lists(integer, integer, bigint) IS
    'Store the ranked lists of a run, query and part as one row';
