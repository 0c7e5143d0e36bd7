-- pool_overlap: overlap between the contributions of teams to a pool, one row per ordered pair of teams, including each
-- team with itself.
--
-- common: documents that both contributed; share: common as a fraction of the first team's documents.
-- Raises IR110 no such pool.
CREATE OR REPLACE FUNCTION pool_overlap(pool text)
    RETURNS TABLE (team text, other text, common bigint, share double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH member AS MATERIALIZED (SELECT DISTINCT m.team, m.query, m.doc FROM pool_members(pool_overlap.pool) m),
    size AS (SELECT m.team, count(*) AS documents FROM member m GROUP BY m.team),
    met AS (
        SELECT a.team, b.team AS other, count(*) AS common
          FROM member a JOIN member b ON b.query = a.query AND b.doc = a.doc GROUP BY a.team, b.team)
    SELECT a.team, b.team, coalesce(m.common, 0), coalesce(m.common, 0)::double precision / a.documents
      FROM size a CROSS JOIN size b LEFT JOIN met m ON m.team = a.team AND m.other = b.team
     ORDER BY a.team COLLATE "C", b.team COLLATE "C";
END
$$;
COMMENT ON FUNCTION pool_overlap(text) IS
    'Number of documents of a pool that two teams both contributed, and its share of the first team''s documents';
