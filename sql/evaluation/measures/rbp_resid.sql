-- measure_rbp_resid: possible increase of rbp if all unjudged documents were relevant.
--
--   rbp_resid = 1 - (1 - p) sum of p^(r - 1) over the judged documents; 0 if all retrieved are judged
--   (Moffat & Zobel, ACM TOIS 27(1), 2008)
CREATE OR REPLACE FUNCTION measure_rbp_resid(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 'unnest(l.relevant || l.irrelevant) AS u (rank)', NULL,
           'CASE WHEN {judged} = {retrieved} THEN 0 ELSE 1 - (1 - {1}) * coalesce(sum({decay}), 0) END'
$$;
COMMENT ON FUNCTION measure_rbp_resid(integer) IS
    'Formula of rbp_resid: possible increase of rbp if all unjudged documents were relevant';
