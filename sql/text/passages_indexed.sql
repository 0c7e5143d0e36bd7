-- passages_indexed: true if the words of passages are indexed with this configuration (index_passages).
CREATE OR REPLACE FUNCTION passages_indexed(config regconfig)
RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT coalesce(strpos(pg_get_indexdef(to_regclass('dblp_passages_words')), format('%L::regconfig', config)) > 0,
                    false)
$$;
COMMENT ON FUNCTION passages_indexed(regconfig) IS 'True if the words of passages are indexed with this configuration';
