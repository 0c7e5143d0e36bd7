-- combine_shares: the percentile in the corpus, from 0 to 1, of each value of a measure (document_measures), by
-- mid-ranks:
--
--   share = (documents below it + half of those equal to it) / documents that have a value
--
-- The middle of the corpus is .5, and equal values get the middle of their range. It reads the corpus once.
CREATE OR REPLACE FUNCTION combine_shares(measure text)
RETURNS TABLE (measured double precision, share double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10000
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        $sql$
        SELECT s.x, ((sum(s.n) OVER (ORDER BY s.x) - s.n / 2.0) / sum(s.n) OVER ())::double precision
          FROM (SELECT m.%1$I AS x, count(*) AS n FROM document_measures m
                  WHERE m.%1$I IS NOT NULL AND m.%1$I <> 'NaN' GROUP BY 1) s
        $sql$, combine_shares.measure);
END
$$;
COMMENT ON FUNCTION combine_shares(text) IS
'Percentile in the corpus, from 0 to 1, of each value of a measure, by mid-ranks';
