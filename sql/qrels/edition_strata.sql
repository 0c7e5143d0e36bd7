-- edition_strata: documents in the strata of an edition, ordered by query and docno as bytes. rel is -1 if the document
-- was not drawn or is not judged. query_set: only the queries of this set (query_set).
--
-- Raises IR102 no such edition, IR103 no such query or set, IR405 the edition has no strata.
CREATE OR REPLACE FUNCTION edition_strata(edition text, query_set text DEFAULT 'all')
RETURNS TABLE (query text, docno text, stratum text, rel smallint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id CONSTANT integer := edition_key(edition_strata.edition);
BEGIN
    PERFORM refuse_unsampled(edition_id, 'this export');
    RETURN QUERY
    SELECT s.query, s.docno, s.stratum, s.rel
      FROM named_strata(edition_id, CASE WHEN edition_strata.query_set <> 'all'
                                         THEN query_set_ids(edition_strata.query_set) END) s;
END
$$;
COMMENT ON FUNCTION edition_strata(text, text) IS
    'Documents in the strata of an edition with their grades, -1 if not drawn or not judged; by query and docno';
