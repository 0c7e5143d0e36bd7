-- measure_iprec_at_recall: interpolated precision at a share x of recall.
--
--   iprec_at_recall_x = largest k / r over the relevant documents retrieved from the one on that reaches x R:
--                       trunc(x R + 0.9) in trec_eval 9, x R rounded in trec_eval 10
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_iprec_at_recall(numbers integer)
    RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 'unnest({ranks}) WITH ORDINALITY AS u (rank, k)', NULL,
           'coalesce(max(u.k / u.rank::double precision) FILTER (WHERE u.k >= floor({1} * coalesce({R}, 0) + '
           '{slack})), 0)'
$$;
COMMENT ON FUNCTION measure_iprec_at_recall(integer) IS
    'Formula of iprec_at_recall: interpolated precision at a share of recall';
