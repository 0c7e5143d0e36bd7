-- allow_index_summary: lets the owner of text_index_touched look into the index of pg_textsearch, which is a superuser's to allow.
-- Called when the text index is built and when objects get their owner; does nothing where that is so, or for who may not.
CREATE OR REPLACE FUNCTION allow_index_summary()
RETURNS void
LANGUAGE plpgsql
SET search_path = public, pg_temp
AS $$
DECLARE
    summary oid := to_regprocedure('bm25_summarize_index(text)');
    looker regrole := (SELECT p.proowner FROM pg_proc p WHERE p.oid = 'text_index_touched()'::regprocedure);
BEGIN
    IF summary IS NOT NULL AND NOT has_function_privilege(looker, summary, 'EXECUTE')
        AND (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = current_user)
    THEN
        EXECUTE format('GRANT EXECUTE ON FUNCTION bm25_summarize_index(text) TO %s', looker);
    END IF;
END
$$;
COMMENT ON FUNCTION allow_index_summary() IS 'Lets the owner of text_index_touched look into the index of pg_textsearch';
