-- near_ranked: the neighbours of each source document, as near_documents describes. space: the model's row.
CREATE OR REPLACE FUNCTION near_ranked(
    sources bigint[], neighbours integer, threshold double precision, field text, space vector_models, effort integer)
RETURNS TABLE (source bigint, doc bigint, similarity double precision, place bigint)
LANGUAGE plpgsql STABLE
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    walked vector_indexes;
    wanted CONSTANT integer := near_ranked.neighbours + 1;  -- a document finds itself
    before jsonb;
BEGIN
    IF near_ranked.effort IS DISTINCT FROM 0 THEN
        SELECT * INTO walked FROM vector_indexes i
         WHERE i.model = space.model AND i.field = near_ranked.field COLLATE "C"
           AND to_regclass(quote_ident(vector_index_name(space.relation, i.field, i.kind))) IS NOT NULL;
    END IF;
    IF walked.kind IS NOT NULL THEN
        before := vector_effort(walked.kind, coalesce(near_ranked.effort, walked.effort), wanted)
            || jsonb_build_object('enable_seqscan', current_setting('enable_seqscan'));
        PERFORM set_everywhere('{"enable_seqscan": "off"}');
    END IF;
    RETURN QUERY
    SELECT n.source, n.doc, least(1, -n.distance), n.place
      FROM (SELECT p.source, p.doc, p.distance,
                   row_number() OVER (PARTITION BY p.source ORDER BY p.distance, d.docno DESC) AS place
              FROM near_shares(near_ranked.sources, near_ranked.threshold, near_ranked.field, space, walked,
                               vector_fetched(walked, space.storage, wanted, false)) p
              JOIN dblp d ON d.id = p.doc) n
     WHERE n.place <= near_ranked.neighbours;
    IF before <> '{}' THEN
        PERFORM set_everywhere(before);
    END IF;
END
$$;
COMMENT ON FUNCTION near_ranked(bigint[], integer, double precision, text, vector_models, integer) IS
    'Part of near_documents: the neighbours of each source document, ranked';
