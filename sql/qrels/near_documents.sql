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
    space CONSTANT vector_models := vector_model(near_documents.model);
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
    RETURN QUERY SELECT * FROM near_ranked(near_documents.sources, near_documents.neighbours, near_documents.threshold,
                                           near_documents.field, space, near_documents.effort);
END
$$;
COMMENT ON FUNCTION near_documents(bigint[], integer, double precision, text, text, integer) IS
    'Nearest neighbours of each source document by the vectors of a field, with at least a given cosine; exact, or '
    'by the index';
