-- measure_sdcg: scaled DCG: DCG divided by that of k documents with the highest grade.
--
--   SDCG@k = sum over the first k of gain / log2(r + 1), divided by the sum of 1 / log2(r + 1) over the same ranks
--   At most 1,000 ranks count. The gain of a grade is min(grade, max_rel) / max_rel.
--   (Järvelin & Kekäläinen, ACM TOIS 20(4), 2002; Moffat et al., ACM TOIS 35(3), 2017; equal to cwl_eval)
CREATE OR REPLACE FUNCTION measure_sdcg(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{gained} u',
           'least(greatest(r.rel, 0), {1}) / {1}',
           'coalesce(sum(u.d) FILTER (WHERE u.rank <= least({k}, 1000)), 0)
        / (SELECT sum(ln(2) / ln(i + 1::double precision)) FROM generate_series(1, least({k}, 1000)) i)'
$$;
COMMENT ON FUNCTION measure_sdcg(integer) IS
    'Formula of SDCG: DCG divided by that of k documents with the highest grade';
