-- text_index_outdated: the reason why the stored text index does not fit this server; NULL if it fits or if no index
-- exists.
--
-- Stemmers differ between major versions of PostgreSQL, which update Snowball. An index built on 17 and read on 18
-- therefore misses words without an error. The same happens after ALTER TEXT SEARCH DICTIONARY.
CREATE OR REPLACE FUNCTION text_index_outdated() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT CASE
           WHEN i.server_major IS NULL THEN 'the PostgreSQL version that built it is unknown'
           WHEN i.server_major <> s.major THEN format('built by PostgreSQL %s, read by %s: their stemmers differ',
                                                      i.server_major, s.major)
           WHEN i.dictionaries IS DISTINCT FROM text_config_dictionaries(i.config) THEN
                format('the dictionaries of %s have changed since the build', i.config)
           END
      FROM text_index i, (SELECT current_setting('server_version_num')::integer / 10000) AS s (major)
$$;
COMMENT ON FUNCTION text_index_outdated() IS
'Reason why the text index does not fit this server''s version or dictionaries; NULL if it fits';
