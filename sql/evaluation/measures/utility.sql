-- measure_utility: a weighted count of documents.
--
--   utility = a · relevant retrieved + b · not relevant retrieved + c · relevant not retrieved
--             + d · not relevant not retrieved, of a collection without documents
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_utility(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE AS $$
    SELECT NULL, NULL,
           '{1} * {found} + {2} * ({retrieved} - {found}) + {3} * (coalesce({R}, 0) - {found})
        + {4} * ({found} - {retrieved} - coalesce({R}, 0))'
$$;
COMMENT ON FUNCTION measure_utility(integer) IS 'The formula of utility: a weighted count of documents';
