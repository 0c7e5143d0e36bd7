-- bounds_ap: lowest and highest average precision a ranking can have, depending on which of its unjudged documents are
-- relevant.
--
-- Both bounds are attained by some assignment. Unjudged documents outside the ranking count as not relevant.
--
--   ranks     ranks of the relevant documents in the ranking
--   open      ranks of its unjudged documents
--   relevant  number of known relevant documents of the query
--
-- If m of the unjudged documents are relevant, R = relevant + m. The sum of precisions is largest if they are the m
-- best ranked and smallest if they are the m worst ranked. The bounds are the maximum and minimum over all m. Each
-- document that becomes relevant adds its own precision, and 1 / rank for each relevant document below it.
CREATE OR REPLACE FUNCTION bounds_ap(
    ranks integer[], open integer[], relevant integer, OUT worst double precision, OUT best double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH places AS (
        SELECT r AS rank, true AS known FROM unnest(bounds_ap.ranks) AS r
         UNION ALL SELECT r, false FROM unnest(bounds_ap.open) AS r),
    counted AS (
        SELECT rank, known, count(*) FILTER (WHERE known) OVER up AS above,
               count(*) FILTER (WHERE NOT known) OVER up AS i, count(*) FILTER (WHERE NOT known) OVER down AS j,
               coalesce(sum(1 / rank::double precision) FILTER (WHERE known) OVER down, 0) AS below,
               -- includes this document
               coalesce(sum(1 / rank::double precision) FILTER (WHERE NOT known) OVER down, 0) AS open_below
          FROM places WINDOW up AS (ORDER BY rank), down AS (ORDER BY rank DESC)),
    base AS (SELECT coalesce(sum(above / rank::double precision) FILTER (WHERE known), 0) AS precisions FROM counted),
    sums AS (
        SELECT 0 AS m, 0::double precision AS highest, 0::double precision AS lowest
         UNION ALL
        SELECT i, sum((above + i) / rank::double precision + below) OVER (ORDER BY rank), NULL FROM counted
         WHERE NOT known
         UNION ALL
        SELECT j, NULL, sum(above / rank::double precision + below + open_below) OVER (ORDER BY rank DESC) FROM counted
         WHERE NOT known)
    SELECT min((b.precisions + s.lowest) / greatest(bounds_ap.relevant + s.m, 1)),
           max((b.precisions + s.highest) / greatest(bounds_ap.relevant + s.m, 1))
      FROM sums s CROSS JOIN base b
$$;
COMMENT ON FUNCTION bounds_ap(integer[], integer[], integer) IS
    'The lowest and highest average precision a ranking can have, depending on which of its unjudged documents are '
    'relevant';
