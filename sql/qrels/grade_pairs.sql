-- grade_pairs: two lists of grades paired by position, with the number of occurrences of each pair (counts; 1 by
-- default). Positions with a NULL are skipped.
--
-- There is no SET search_path, so that the function is inlined into the measures of agreement.
CREATE OR REPLACE FUNCTION grade_pairs(x integer[], y integer[], counts bigint[] DEFAULT NULL)
RETURNS TABLE (x integer, y integer, n bigint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20 AS $$
    SELECT p.x, p.y, CASE WHEN grade_pairs.counts IS NULL THEN 1 ELSE p.n END
      FROM unnest(grade_pairs.x, grade_pairs.y, grade_pairs.counts) AS p (x, y, n)
     WHERE p.x IS NOT NULL AND p.y IS NOT NULL AND (grade_pairs.counts IS NULL OR p.n > 0)
$$;
COMMENT ON FUNCTION grade_pairs(integer[], integer[], bigint[]) IS
    'Two lists of grades paired by position, with the number of occurrences of each pair';
