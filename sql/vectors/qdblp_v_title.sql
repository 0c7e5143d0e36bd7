-- qdblp_v_title: the vector of a document's title by the default model; NULL if it has none.
CREATE OR REPLACE FUNCTION public.qdblp_v_title(doc bigint)
RETURNS vector
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    RETURN (SELECT v.title_v FROM dblp_v v WHERE v.id = qdblp_v_title.doc);
END
$$;
COMMENT ON FUNCTION public.qdblp_v_title(bigint) IS
'Vector of a document''s title by the default model; NULL if it has none';
