-- passages_lacking: the number of abstracts without passages. Abstracts without a letter or digit are not counted,
-- because they have no passages.
CREATE OR REPLACE FUNCTION passages_lacking()
RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    RETURN (SELECT count(*) FROM dblp_text t
             WHERE t.abstract ~ '[[:alnum:]]' AND NOT EXISTS (SELECT FROM dblp_passages p WHERE p.doc = t.id));
END
$$;
COMMENT ON FUNCTION passages_lacking() IS 'Number of abstracts without passages';
