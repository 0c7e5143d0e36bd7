-- rbo: rank-biased overlap of two rankings, extrapolated; in [0, 1]. The rankings may differ in length and in content.
--
--   RBO_ext = (1 - p) / p · (sum over d = 1 … l of X_d / d · p^d
--             +  sum over d = s + 1 … l of X_s (d - s) / (s d) · p^d)
--             + ((X_l - X_s) / l + X_s / s) · p^l
--
-- X_d is the number of items that the first d of both rankings share; s is the shorter length, l the longer. p is the
-- persistence of the reader: at .9 the first ten ranks have 86 % of the weight (Webber, Moffat & Zobel, ACM TOIS 28(4),
-- 2010, equation 32). NULL if either ranking is empty.
-- Raises IR202 if p is outside (0, 1) or a name occurs twice in one ranking.
CREATE OR REPLACE FUNCTION rbo(x text[], y text[], p double precision DEFAULT 0.9) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    s integer := least(cardinality(rbo.x), cardinality(rbo.y));
    l integer := greatest(cardinality(rbo.x), cardinality(rbo.y));
    value double precision;
BEGIN
    IF rbo.p IS NULL OR rbo.p <= 0 OR rbo.p >= 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('p is %s', coalesce(rbo.p::text, 'NULL')),
            HINT = 'p must be between 0 and 1, exclusive; .9 gives the first ten ranks 86 % of the weight.';
    ELSIF EXISTS (SELECT FROM unnest(rbo.x) AS n GROUP BY n HAVING count(*) > 1)
       OR EXISTS (SELECT FROM unnest(rbo.y) AS n GROUP BY n HAVING count(*) > 1) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'a name occurs twice in one ranking',
            HINT = 'Remove the duplicate: each name may occur once per ranking.';
    END IF;
    IF coalesce(s, 0) = 0 THEN
        RETURN NULL;
    END IF;
    WITH met AS (  -- the depth at which each common name has been seen in both
        SELECT greatest(a.place, b.place) AS d
          FROM unnest(rbo.x) WITH ORDINALITY AS a (name, place)
          JOIN unnest(rbo.y) WITH ORDINALITY AS b (name, place) USING (name)),
    overlap AS (
        SELECT d, coalesce(sum(m.n) OVER (ORDER BY d), 0)::double precision AS common
          FROM generate_series(1, l) AS d LEFT JOIN (SELECT met.d, count(*) AS n FROM met GROUP BY met.d) m USING (d))
    SELECT (1 - rbo.p) / rbo.p * sum(rbo.p ^ o.d * (o.common / o.d
                                     + CASE WHEN o.d > s THEN short.common * (o.d - s) / (s::double precision * o.d)
                                            ELSE 0 END))
           + rbo.p ^ l * (max(o.common) / l - short.common / l + short.common / s)
      INTO value
      FROM overlap o CROSS JOIN (SELECT common FROM overlap WHERE d = s) short
     GROUP BY short.common;
    RETURN value;
END
$$;
COMMENT ON FUNCTION rbo(text[], text[], double precision) IS
    'Rank-biased overlap of two rankings, extrapolated (RBO_ext); in [0, 1]; NULL if either is empty';
