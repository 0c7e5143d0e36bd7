-- measure_set_f: weighted harmonic mean of precision and recall of all documents retrieved.
--
--   set_F = (x + 1) P R / (x P + R) of set_P and set_recall; x is beta²
--   (van Rijsbergen, Information Retrieval, Butterworths 1979)
--
-- set_F.x of trec_eval has x; SetF(beta=b) has the published beta, so x = b². ir_measures 0.4.3 passes b to trec_eval
-- as x: its SetF(beta=2) is SetF(beta=1.414) here, which is set_F.2 in both. They are equal for beta 1.
CREATE OR REPLACE FUNCTION measure_set_f(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL,
           'CASE WHEN {found} > 0 THEN ({1} + 1) * ({found} / {retrieved}::double precision) * ({found} / {R})
        / ({1} * ({found} / {retrieved}::double precision) + {found} / {R}) ELSE 0 END'
$$;
COMMENT ON FUNCTION measure_set_f(integer) IS
    'Formula of set_F: weighted harmonic mean of precision and recall of all documents retrieved';
