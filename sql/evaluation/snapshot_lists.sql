-- snapshot_lists: judged_lists as if runs ranked only the documents of a snapshot: ranks count these documents only, in
-- the stored order. One row per run and query; the lists are empty if the run ranks no such document for the query.
--
-- day: the date of the snapshot (snapshot_at), as text. by_subtopic: subtopic judgments, and grades are the numbers of
-- groups (subtopic_groups), as in subtopic_lists. counted is ignored; it gives the function the same signature as
-- judged_lists.
CREATE OR REPLACE FUNCTION snapshot_lists(edition integer, queries integer[], runs integer[], day text, counted boolean,
                                          by_subtopic boolean DEFAULT false)
RETURNS TABLE (run integer, query integer, retrieved integer, relevant integer[], grades smallint[],
               irrelevant integer[], pooled integer[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    snapshot CONSTANT date := snapshot_lists.day;
BEGIN
    RETURN QUERY
    SELECT r.run, q.query, coalesce(i.retrieved, 0),
           coalesce(i.relevant, '{}'), coalesce(i.grades, '{}'), coalesce(i.irrelevant, '{}'), coalesce(i.pooled, '{}')
      FROM unnest(snapshot_lists.runs) AS r (run)
     CROSS JOIN unnest(snapshot_lists.queries) AS q (query)
      LEFT JOIN (
           SELECT k.run, k.query, count(*)::integer AS retrieved,
                  array_agg(k.place ORDER BY k.place) FILTER (WHERE k.rel > 0) AS relevant,
                  array_agg(k.rel ORDER BY k.place) FILTER (WHERE k.rel > 0) AS grades,
                  array_agg(k.place ORDER BY k.place) FILTER (WHERE k.rel = 0) AS irrelevant,
                  array_agg(k.place ORDER BY k.place) FILTER (WHERE k.rel < 0) AS pooled
             FROM (SELECT s.run, s.query, j.rel::smallint AS rel,
                          row_number() OVER (PARTITION BY s.run, s.query ORDER BY s.rank)::integer AS place
                     FROM st1_rankings s
                     JOIN dblp_facts f ON f.id = s.doc
                      AND in_snapshot(f.first_date, f.last_date, f.absent, snapshot)
                     LEFT JOIN (SELECT g.query, g.doc, g.rel FROM qrels g
                                 WHERE NOT snapshot_lists.by_subtopic AND g.edition = snapshot_lists.edition
                                 UNION ALL
                                SELECT q.query, m.doc, g.number FROM unnest(snapshot_lists.queries) AS q (query)
                                 CROSS JOIN LATERAL subtopic_groups(snapshot_lists.edition, q.query, true, snapshot) g
                                 CROSS JOIN LATERAL unnest(g.docs) AS m (doc)
                                 WHERE snapshot_lists.by_subtopic) j ON j.query = s.query AND j.doc = s.doc
                    WHERE s.run = ANY (snapshot_lists.runs) AND s.query = ANY (snapshot_lists.queries)) k
            GROUP BY k.run, k.query) i ON i.run = r.run AND i.query = q.query;
END
$$;
COMMENT ON FUNCTION snapshot_lists(integer, integer[], integer[], text, boolean, boolean) IS
'Ranks and grades of judged documents in runs that rank only the documents of a snapshot, one row per run and query';
