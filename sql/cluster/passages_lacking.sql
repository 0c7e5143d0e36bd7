-- passages_lacking: the number of abstracts without passages, as vectors/passages_lacking.sql for one server. Passages
-- are not on the server of their document.
CREATE OR REPLACE FUNCTION passages_lacking()
RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    RETURN greatest(0, (SELECT count(*) FROM dblp_text t WHERE t.abstract ~ '[[:alnum:]]')
                       - (SELECT count(DISTINCT p.doc) FROM dblp_passages p));
END
$$;
COMMENT ON FUNCTION passages_lacking() IS 'Number of abstracts without passages';
