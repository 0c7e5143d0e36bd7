-- passages_indexed: true if the words of passages are indexed with this configuration, and separated as those of
-- documents (index_passages).
CREATE OR REPLACE FUNCTION passages_indexed(config regconfig)
RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT coalesce(strpos(d.definition, format('%L::regconfig', config)) > 0
                    AND (strpos(d.definition, 'split_words') > 0) = (text_words() = 'split'), false)
      FROM pg_get_indexdef(to_regclass('dblp_passages_words')) d (definition)
$$;
COMMENT ON FUNCTION passages_indexed(regconfig) IS 'True if the words of passages are indexed with this configuration';
