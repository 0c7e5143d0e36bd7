-- measure_utility: weighted sum of document counts.
--
--   utility = a · relevant retrieved + b · not relevant retrieved + c · relevant not retrieved
--             + d · not relevant not retrieved; the collection size counts as 0, as in trec_eval
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_utility(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL,
           '{1} * {found} + {2} * ({retrieved} - {found}) + {3} * (coalesce({R}, 0) - {found})
        + {4} * ({found} - {retrieved} - coalesce({R}, 0))'
$$;
COMMENT ON FUNCTION measure_utility(integer) IS
    'Formula of utility: weighted sum of the numbers of relevant and other documents, retrieved or not';
