-- ideal_discount: sum of the discounts 1 / log2(r + 1) of the ranks from start to start + number, of the first depth.
--
-- start and number are estimates, so that they need not be integers. A share of a rank counts as that share of its
-- discount. whole: count whole steps only, at the ranks start + 1, start + 2, …, as NIST's sample_eval does. The first
-- of them counts even below the depth.
CREATE OR REPLACE FUNCTION ideal_discount(
    start double precision, number double precision, depth integer, whole boolean) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(CASE WHEN ideal_discount.whole THEN (
        SELECT sum(ln(2::double precision) / ln(ideal_discount.start + i + 1))
          FROM generate_series(1, floor(ideal_discount.number)::integer + 1) AS i
         WHERE ideal_discount.start + i <= ideal_discount.start + ideal_discount.number
           AND (i = 1 OR ideal_discount.start + i - 1 < ideal_discount.depth))
    ELSE (
        SELECT sum(greatest(least(i, ideal_discount.start + ideal_discount.number)
                            - greatest(i - 1, ideal_discount.start), 0)
                   * ln(2::double precision) / ln(i + 1::double precision))
          FROM generate_series(floor(ideal_discount.start)::integer + 1,
                               least(ceil(ideal_discount.start + ideal_discount.number)::integer,
                                     ideal_discount.depth)) AS i)
    END, 0)
$$;
COMMENT ON FUNCTION ideal_discount(double precision, double precision, integer, boolean) IS
    'Sum of the discounts of nDCG over a range of ranks whose ends are estimates';
