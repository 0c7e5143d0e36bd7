-- measure_rbp: rank-biased precision with graded gain, as in trec_eval 10.
--
--   rbp = (1 - p) sum of gain · p^(r - 1); the gain is the grade / max(1, the best grade of the query)
--   (Moffat & Zobel, Rank-Biased Precision for Measurement of Retrieval Effectiveness, ACM TOIS 27(1), 2008)
CREATE OR REPLACE FUNCTION measure_rbp(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{gained} u', 'greatest(r.rel, 0)::double precision',
           'coalesce((1 - {1}) * sum(u.g / greatest(s.gains_{G}[1], 1) * {decay})
        FILTER (WHERE {k} = 0 OR u.rank <= {k}), 0)'
$$;
COMMENT ON FUNCTION measure_rbp(integer) IS
    'Formula of rbp: rank-biased precision with graded gain, as in trec_eval 10';
