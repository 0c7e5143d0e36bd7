-- passages_lacking: how many abstracts have no passages yet. Those without a letter or digit have none ever, and do not
-- count.
CREATE OR REPLACE FUNCTION passages_lacking()
RETURNS bigint
LANGUAGE plpgsql STABLE
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    RETURN (SELECT count(*) FROM dblp_text t
             WHERE t.abstract ~ '[[:alnum:]]' AND NOT EXISTS (SELECT FROM dblp_passages p WHERE p.doc = t.id));
END
$$;
COMMENT ON FUNCTION passages_lacking() IS 'How many abstracts have no passages yet';
