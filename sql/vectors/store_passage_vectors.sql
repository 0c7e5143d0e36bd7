-- store_passage_vectors: store the vectors of the temporary table incoming_vectors (stage_vectors; id is that of a
-- passage) in the table of a model's passages; returns the number stored. Stored vectors do not change. Vectors of
-- passages that were deleted meanwhile are skipped.
-- Raises IR105 no such model, IR403 a vector of another dimension.
CREATE OR REPLACE FUNCTION store_passage_vectors(model text)
RETURNS bigint
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    space vector_models := vector_model(store_passage_vectors.model);
    stored bigint;
    bad record;
BEGIN
    SELECT i.id, vector_dims(i.v) AS dim INTO bad FROM pg_temp.incoming_vectors i
     WHERE vector_dims(i.v) <> space.dim LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR403',
            MESSAGE = format('the vector of passage %s has %s, those of %s have %s', bad.id,
                             counted(bad.dim, 'dimension'), space.model, space.dim),
            HINT = 'Give the other model a different short name, which has its own table.';
    END IF;
    PERFORM skip_absent_passages();
    EXECUTE format(
        $sql$INSERT INTO %1$I AS s (id, passage_v)
             SELECT i.id, i.v::%2$s FROM pg_temp.incoming_vectors i ORDER BY i.id
             ON CONFLICT (id) DO UPDATE SET passage_v = excluded.passage_v WHERE s.passage_v IS NULL$sql$,
        vector_relation(space, 'passage'), space.storage);  -- the cast as in store_vectors
    GET DIAGNOSTICS stored = ROW_COUNT;
    DROP TABLE pg_temp.incoming_vectors;
    RETURN stored;
END
$$;
COMMENT ON FUNCTION store_passage_vectors(text) IS
'Store incoming_vectors in the table of a model''s passages; returns the number stored';
