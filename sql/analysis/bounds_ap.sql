-- bounds_ap: between which values the average precision of a ranking lies, whichever of its unjudged documents are
-- relevant. Both ends are reached. No other unjudged document is taken for relevant.
--
-- ranks: of the relevant documents the ranking holds. open: of its unjudged ones. relevant: how many relevant ones are
-- known. With m of the unjudged ones relevant, R is relevant + m, and the sum of precisions is largest where they are
-- the m best ranked and smallest where they are the m worst; the bounds are the largest and the smallest over all m.
-- Taking one more for relevant adds its own precision, and 1 / rank for each relevant one below it.
CREATE OR REPLACE FUNCTION bounds_ap(
    ranks integer[], open integer[], relevant integer, OUT worst double precision, OUT best double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
    WITH places AS (
        SELECT r AS rank, true AS known FROM unnest(bounds_ap.ranks) AS r
         UNION ALL SELECT r, false FROM unnest(bounds_ap.open) AS r),
    counted AS (
        SELECT rank, known, count(*) FILTER (WHERE known) OVER up AS above,
               count(*) FILTER (WHERE NOT known) OVER up AS i, count(*) FILTER (WHERE NOT known) OVER down AS j,
               coalesce(sum(1 / rank::double precision) FILTER (WHERE known) OVER down, 0) AS below,
               -- with itself
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
'The smallest and the largest average precision a ranking can have, whichever of its unjudged documents are relevant';
