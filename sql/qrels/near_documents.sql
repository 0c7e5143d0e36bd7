-- near_documents: nearest neighbours of each source document, at most neighbours of them, with a cosine of at least
-- threshold; unordered.
--
--   place   1 for the nearest; ties by descending docno
--   field   title, abstract or content
--   model   model of the vectors; NULL for the default model
--   effort  0 compares with all documents, exactly; NULL uses the vector index with its default effort, a number sets
--           the effort, as in knn. The index is faster on millions of documents but may miss a few neighbours
--
-- A source without a vector has no neighbours, and no document is its own neighbour. Stubs have no vectors.
--
-- Raises IR105 no such model, IR106 no such field, IR201 neighbours below 1, IR202 a threshold outside [-1, 1].
CREATE OR REPLACE FUNCTION near_documents(
    sources bigint[], neighbours integer DEFAULT 10, threshold double precision DEFAULT 0.8, field text DEFAULT 'title',
    model text DEFAULT NULL, effort integer DEFAULT 0)
RETURNS TABLE (source bigint, doc bigint, similarity double precision, place bigint)
LANGUAGE plpgsql STABLE
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
SET parallel_setup_cost = 0
SET parallel_tuple_cost = 0
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(near_documents.model);
    walked vector_indexes;
    wanted integer;
    before jsonb;
BEGIN
    PERFORM vector_fields(ARRAY[near_documents.field]);
    IF near_documents.neighbours IS NULL OR near_documents.neighbours < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('the number of neighbours is %s', coalesce(near_documents.neighbours::text, 'NULL')),
            HINT = 'The number of neighbours must be 1 or more; 10 is usual.';
    ELSIF near_documents.threshold IS NULL OR near_documents.threshold NOT BETWEEN -1 AND 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the threshold is %s', coalesce(near_documents.threshold::text, 'NULL')),
            HINT = 'The threshold is a cosine and must be from -1 to 1; 0.8 is usual.';
    END IF;
    PERFORM check_effort(near_documents.effort);
    IF near_documents.effort IS DISTINCT FROM 0 AND distributed() THEN
        -- Citus cannot join the sources with their neighbours on the shards.
        RETURN QUERY EXECUTE format(
            $sql$SELECT s.id, n.doc, least(1, -n.distance), n.place
                   FROM (SELECT v.id, l2_normalize(v.%1$I::vector) AS v FROM %2$I v
                           WHERE v.id = ANY ($1) AND v.%1$I IS NOT NULL OFFSET 0) s
                  CROSS JOIN LATERAL (SELECT k.doc, k.distance, row_number() OVER (ORDER BY k.rank) AS place
                                        FROM knn(s.v, $2 + 1, $3, $4, NULL, $5) k
                                         WHERE k.doc <> s.id AND k.distance <= -$6) n
                  WHERE n.place <= $2$sql$, vector_column(near_documents.field), space.relation)
        USING near_documents.sources, near_documents.neighbours, near_documents.field, near_documents.model,
        near_documents.effort,
              near_documents.threshold;
        RETURN;
    ELSIF near_documents.effort IS DISTINCT FROM 0 THEN
        SELECT * INTO walked FROM vector_indexes i
         WHERE i.model = space.model AND i.field = near_documents.field COLLATE "C"
           AND to_regclass(quote_ident(vector_index_name(space.relation, i.field, i.kind))) IS NOT NULL;
    END IF;
    wanted := near_documents.neighbours + 1;  -- a document finds itself
    IF walked.kind IS NOT NULL THEN
        before := vector_effort(walked.kind, coalesce(near_documents.effort, walked.effort), wanted)
            || jsonb_build_object('enable_seqscan', current_setting('enable_seqscan'));
        PERFORM set_everywhere('{"enable_seqscan": "off"}');
    END IF;
    RETURN QUERY
    SELECT n.source, n.doc, least(1, -n.distance), n.place
      FROM (SELECT p.source, p.doc, p.distance,
                   row_number() OVER (PARTITION BY p.source ORDER BY p.distance, d.docno DESC) AS place
              FROM near_shares(near_documents.sources, near_documents.threshold, near_documents.field, space, walked,
                               vector_fetched(walked, space.storage, wanted, false)) p
              JOIN dblp d ON d.id = p.doc) n
     WHERE n.place <= near_documents.neighbours;
    IF before <> '{}' THEN
        PERFORM set_everywhere(before);
    END IF;
END
$$;
COMMENT ON FUNCTION near_documents(bigint[], integer, double precision, text, text, integer) IS
    'Nearest neighbours of each source document by the vectors of a field, with at least a given cosine; exact, or '
    'by the index';
