-- check_text_index: raise an error if a text index cannot be built with these parameters.
--
-- The bounds of k1 and b are those of pg_textsearch. The portable BM25 uses the same bounds, so that an index can
-- change its engine.
-- Raises IR202 and IR404, see index_text.
CREATE OR REPLACE FUNCTION check_text_index(k1 double precision, b double precision, engine text, words text)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF check_text_index.k1 IS NULL OR check_text_index.k1 NOT BETWEEN 0.1 AND 10 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('k1 is %s', coalesce(check_text_index.k1::text, 'NULL')),
            HINT = 'k1 must be from 0.1 to 10; 1.2 is usual.';
    ELSIF check_text_index.b IS NULL OR check_text_index.b NOT BETWEEN 0 AND 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('b is %s', coalesce(check_text_index.b::text, 'NULL')),
            HINT = 'b must be from 0 to 1; 0.75 is usual.';
    ELSIF check_text_index.engine NOT IN ('pg_textsearch', 'portable') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('unknown BM25 engine %L', check_text_index.engine),
            HINT = 'Use pg_textsearch or portable.';
    ELSIF check_text_index.words NOT IN ('split', 'published') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('unknown separation of words %L', check_text_index.words),
            HINT = 'Use split or published; NULL keeps the present one.';
    ELSIF check_text_index.engine = 'pg_textsearch' AND NOT pg_textsearch_ready() THEN
        RAISE EXCEPTION USING ERRCODE = 'IR404', MESSAGE = 'this server has no pg_textsearch',
            HINT = 'Install it, add it to shared_preload_libraries and let a superuser create the extension, '
                'or use the portable engine.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_text_index(double precision, double precision, text, text) IS
'Raise an error if a text index cannot be built with these parameters';
