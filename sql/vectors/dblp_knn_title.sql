-- dblp_knn_title: of the nb documents with the titles nearest to a vector, those with a negative inner product of at
-- most sc (−0.8 is a cosine of at least 0.8), nearest first, equal distances by docno descending.
--
-- As published, except that the order is defined and settings end with the call. A document's own title is the nearest
-- to itself.
--
--   SELECT * FROM dblp_knn_title(qdblp_v_title(123), 10, -0.8);
--
-- No rows for a NULL vector (a document without one). Raises IR201 nb below 1, IR403 a vector of another dimension.
CREATE OR REPLACE FUNCTION public.dblp_knn_title(v_query vector, nb numeric, sc float)
RETURNS TABLE (id bigint)
LANGUAGE plpgsql STABLE STRICT ROWS 10
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT n.doc FROM knn(dblp_knn_title.v_query, least(dblp_knn_title.nb, 2147483647)::integer, 'title') n
     WHERE n.distance <= dblp_knn_title.sc ORDER BY n.rank;
END
$$;
COMMENT ON FUNCTION public.dblp_knn_title(vector, numeric, double precision) IS
'Documents among the nb with the nearest titles whose negative inner product is at most sc, nearest first';
