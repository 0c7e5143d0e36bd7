-- check_passages: raise an error if there are no passages, or if their words are not indexed in a configuration.
-- Raises IR402 passages without an index, IR405 no passages.
CREATE OR REPLACE FUNCTION check_passages(config regconfig)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF passages_indexed(check_passages.config) THEN
        RETURN;
    ELSIF EXISTS (SELECT 1 FROM dblp_passages LIMIT 1) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR402', MESSAGE = 'the words of passages are not indexed',
            HINT = 'Index them: stc vectors passages --no-embed --by '
                   || (SELECT regexp_replace(s.value, '^window (\d+) (\d+)$', 'window --size \1 --step \2')
                         FROM stc_settings s WHERE s.name = 'passages') || '.';
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'there are no passages',
        HINT = 'Create them with ''stc vectors passages --no-embed''; this system uses no vectors.';
END
$$;
COMMENT ON FUNCTION check_passages(regconfig) IS 'Raise an error if the words of passages are not indexed';
