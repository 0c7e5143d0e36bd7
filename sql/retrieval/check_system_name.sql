-- check_system_name: raise an error if no retrieval system has this name. The names are those of system_search.
-- Raises IR107 no such system.
CREATE OR REPLACE FUNCTION check_system_name(system text)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF coalesce(
        check_system_name.system NOT IN ('boolean', 'conjunctive', 'conjunctive-passage', 'bm25', 'rm3', 'dense-title',
                                         'dense-abstract', 'dense-content', 'dense-passage', 'rocchio-title',
                                         'rocchio-abstract', 'rocchio-content', 'hybrid'), true)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'IR107',
            MESSAGE = format('there is no system %s', coalesce(check_system_name.system, 'NULL')),
            HINT = 'The systems are boolean, conjunctive, conjunctive-passage, bm25, rm3, dense-title, dense-abstract, '
                   'dense-content, dense-passage, rocchio-title, rocchio-abstract, rocchio-content and hybrid.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_system_name(text) IS 'Raise an error if no retrieval system has this name';
