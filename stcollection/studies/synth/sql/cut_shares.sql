-- cut_shares: number and share of queries that the assessors' cut of an edition keeps, per origin; human first, a row
-- 'all' last.
--
-- queries: queries that the edition judges, and queries marked without a judgment. share = kept / queries. Queries that
-- were neither judged nor marked are not counted.
-- query_set: only the queries of a set (function query_set).
-- Raises IR102 no such edition, IR103 no such query or set.
CREATE OR REPLACE FUNCTION cut_shares(edition text, query_set text DEFAULT 'all')
RETURNS TABLE (origin text, queries bigint, unreasonable bigint, few bigint, many bigint, kept bigint,
               share double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id CONSTANT integer := edition_key(cut_shares.edition);
    members CONSTANT integer[] := query_set_ids(cut_shares.query_set);
BEGIN
    RETURN QUERY
    WITH seen AS (
        SELECT q.origin, c.reason
          FROM st1_queries q
          LEFT JOIN query_cuts c ON c.edition = edition_id AND c.query = q.id
         WHERE (c.query IS NOT NULL OR EXISTS (SELECT FROM qrels_judgments j
                                                WHERE j.edition = edition_id AND j.query = q.id))
           AND (cut_shares.query_set = 'all' OR q.id = ANY (members)))
    SELECT coalesce(s.origin, 'all'), count(*), count(*) FILTER (WHERE s.reason = 'unreasonable'),
           count(*) FILTER (WHERE s.reason = 'few'), count(*) FILTER (WHERE s.reason = 'many'),
           count(*) FILTER (WHERE s.reason IS NULL),
           count(*) FILTER (WHERE s.reason IS NULL)::double precision / nullif(count(*), 0)
      FROM seen s GROUP BY ROLLUP (s.origin)
     ORDER BY grouping(s.origin), s.origin <> 'human', s.origin COLLATE "C";
END
$$;
COMMENT ON FUNCTION cut_shares(text, text) IS
    'Number and share of queries that the cut of an edition keeps, per origin, with the reasons for the others';
