-- measure_infap: inferred AP, estimated from a judged sample of the pool.
--
--   infAP = sum over the relevant documents retrieved of 1 / r + (p / r) (k - 1 + e) / (k - 1 + n + 2 e), divided by R,
--           where p pooled documents rank above, n of them are judged not relevant, and e is 0.00001.
--           Documents with a negative grade are pooled, not judged
--   (Yilmaz & Aslam, Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM 2006)
CREATE OR REPLACE FUNCTION measure_infap(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 'unnest({ranks}) WITH ORDINALITY AS u (rank, k)', NULL,
           'coalesce(sum(1 / u.rank::double precision + CASE WHEN u.rank = 1 THEN 0 ELSE
        (u.k - 1 + width_bucket(u.rank, {irrelevant}) + width_bucket(u.rank, l.pooled)) / u.rank::double precision
        * (u.k - 1 + 0.00001) / (u.k - 1 + width_bucket(u.rank, {irrelevant}) + 0.00002) END) / {R}, 0)'
$$;
COMMENT ON FUNCTION measure_infap(integer) IS
    'Formula of infAP: inferred AP, estimated from a judged sample of the pool';
