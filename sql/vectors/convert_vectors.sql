-- convert_vectors: store a model's vectors in half precision (halfvec, 2 bytes per value) or in full precision (vector,
-- 4 bytes). Returns false if they already are.
--
--   SELECT convert_vectors('minilm', half => true);
--
-- Half precision takes half the space, and a search that compares all vectors is faster, because it reads less. A value
-- keeps 11 significant bits, and converting back does not restore the others.
-- The tables are rewritten, so readers wait. Indexes are dropped but stay recorded: index_vectors builds them again,
-- and until then searches compare all vectors. A view on one of the columns prevents the conversion.
--
-- Raises IR105 no such model, IR202 half is NULL, full precision above 2,000 dimensions, or a diskann index, which has
-- no half precision.
CREATE OR REPLACE FUNCTION convert_vectors(model text, half boolean)
RETURNS boolean
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(convert_vectors.model);
    storage text := CASE WHEN convert_vectors.half THEN 'halfvec' ELSE 'vector' END;
    place record;
BEGIN
    IF convert_vectors.half IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'half is NULL',
            HINT = 'half is true for half precision, false for full precision.';
    ELSIF space.storage = storage THEN
        RETURN false;
    ELSIF space.dim > 2000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the vectors of %s have %s', space.model, counted(space.dim, 'dimension')),
            HINT = 'Vectors of more than 2,000 dimensions are stored in half precision.';
    ELSIF EXISTS (SELECT FROM vector_indexes i WHERE i.model = space.model AND i.kind = 'diskann') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s has a diskann index, which does not support vectors in half precision', space.model),
            HINT = 'Build an index of another kind first: ''stc vectors index --kind hnsw''.';
    END IF;
    FOR place IN
        SELECT vector_relation(space, f.field) AS relation, f.field
          FROM unnest('{title,title_only,abstract,content,passage}'::text[]) f (field)
    LOOP
        PERFORM drop_vector_index(place.relation, place.field);
    END LOOP;
    EXECUTE format('ALTER TABLE public.%1$I ALTER title_v TYPE %2$s(%3$s), ALTER abstract_v TYPE %2$s(%3$s), '
                   'ALTER content_v TYPE %2$s(%3$s)', space.relation, storage, space.dim);
    EXECUTE format('ALTER TABLE public.%I ALTER passage_v TYPE %s(%s)', vector_relation(space, 'passage'), storage,
                   space.dim);
    INSERT INTO vector_models AS m (model, name, revision, dim, max_tokens, relation, storage)
    VALUES (space.model, space.name, space.revision, space.dim, space.max_tokens, space.relation, storage)
    ON CONFLICT (model) DO UPDATE SET storage = excluded.storage;
    UPDATE vector_indexes i SET halfvec = false, recall = NULL, recall_k = NULL, audited = NULL
     WHERE i.model = space.model;
    RETURN true;
END
$$;
COMMENT ON FUNCTION convert_vectors(text, boolean) IS
'Store a model''s vectors in half or full precision; false if they already are';
