-- text_words: how words of the collection are separated, in texts and in queries.
--
--   split      client/server, TCP/IP and COVID-19 are indexed by their parts and as a whole (split_words)
--   published  as PostgreSQL's parser separates them: server does not find client/server
--
-- Derived from dblp_text.tsv, so that queries are always read as the stored texts were. New collections split words;
-- collections of earlier versions keep the published rule until 'stc index --words split'.
CREATE OR REPLACE FUNCTION text_words() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT CASE WHEN EXISTS (
               SELECT FROM pg_depend d JOIN pg_attrdef e ON e.oid = d.objid
                WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = 'split_words(text,boolean)'::regprocedure
                  AND d.classid = 'pg_attrdef'::regclass AND e.adrelid = to_regclass('public.dblp_text'))
           THEN 'split' ELSE 'published' END
$$;
COMMENT ON FUNCTION text_words() IS
'How words of texts and queries are separated: split (client/server by its parts) or published';
