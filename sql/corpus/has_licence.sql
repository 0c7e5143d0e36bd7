-- has_licence: whether a document has one of some licences, as check_licences returns them; false for stubs and for
-- documents that are not stored.
CREATE OR REPLACE FUNCTION has_licence(docno text, licences text[])
RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    RETURN EXISTS (SELECT FROM dblp_facts f
                    WHERE f.id = (SELECT d.id FROM dblp d WHERE d.docno = has_licence.docno COLLATE "C")
                      AND coalesce(f.licence, 'none') = ANY (has_licence.licences));
END
$$;
COMMENT ON FUNCTION has_licence(text, text[]) IS
'Whether a document has one of some licences; none means no licence';
