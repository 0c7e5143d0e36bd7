-- store_vectors: store the vectors of the temporary table incoming_vectors (stage_vectors), each (id, field) once, in
-- the table of a model.
--
-- Stored vectors do not change unless replace is true, so that two processes can embed the same documents. Vectors of
-- documents that are stubs or not in the corpus are counted as unknown and skipped.
-- Raises IR105 no such model, IR106 an invalid field, IR403 a vector of another dimension.
CREATE OR REPLACE FUNCTION store_vectors(model text, replace boolean DEFAULT false, OUT stored bigint,
                                         OUT unknown bigint)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    space vector_models := vector_model(store_vectors.model, sparse => NULL);
    known bigint[];
    bad record;
BEGIN
    PERFORM vector_fields(ARRAY(SELECT DISTINCT i.field FROM pg_temp.incoming_vectors i));
    -- The table of a sparse model checks the dimensions itself.
    EXECUTE CASE space.storage WHEN 'sparsevec' THEN 'SELECT NULL::bigint AS id, NULL AS field, NULL::integer AS dim'
            ELSE 'SELECT i.id, i.field, vector_dims(i.v) AS dim FROM pg_temp.incoming_vectors i
                   WHERE vector_dims(i.v) <> $1 LIMIT 1' END INTO bad USING space.dim;
    IF bad.id IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR403',
            MESSAGE = format('the %s vector of document %s has %s, those of %s have %s',
                             bad.field, bad.id, counted(bad.dim, 'dimension'), space.model, space.dim),
            HINT = 'Give the other model a different short name, which has its own table.';
    END IF;
    known := ARRAY(SELECT d.id FROM dblp d
                    WHERE d.id = ANY (ARRAY(SELECT i.id FROM pg_temp.incoming_vectors i)) AND NOT d.stub);
    -- The casts are for a model in half precision; Citus fails to add them itself.
    EXECUTE format(
        $sql$INSERT INTO %1$I AS v (id, title_v, abstract_v, content_v)
             SELECT id, t.v::%5$s, a.v::%5$s, c.v::%5$s
               FROM (SELECT i.id, i.v FROM pg_temp.incoming_vectors i WHERE i.field = 'title') t
               FULL JOIN (SELECT i.id, i.v FROM pg_temp.incoming_vectors i WHERE i.field = 'abstract') a USING (id)
               FULL JOIN (SELECT i.id, i.v FROM pg_temp.incoming_vectors i WHERE i.field = 'content') c USING (id)
              WHERE id = ANY ($1)
              ORDER BY id
             ON CONFLICT (id) DO UPDATE
                SET title_v = coalesce(%2$s), abstract_v = coalesce(%3$s), content_v = coalesce(%4$s)$sql$,
        space.relation,
        CASE WHEN store_vectors.replace THEN 'excluded.title_v, v.title_v' ELSE 'v.title_v, excluded.title_v' END,
        CASE WHEN store_vectors.replace THEN 'excluded.abstract_v, v.abstract_v'
             ELSE 'v.abstract_v, excluded.abstract_v' END,
        CASE WHEN store_vectors.replace THEN 'excluded.content_v, v.content_v'
             ELSE 'v.content_v, excluded.content_v' END,
        space.storage)
    USING known;
    GET DIAGNOSTICS stored = ROW_COUNT;
    SELECT count(DISTINCT i.id) - stored INTO unknown FROM pg_temp.incoming_vectors i;
    DROP TABLE pg_temp.incoming_vectors;
END
$$;
COMMENT ON FUNCTION store_vectors(text, boolean) IS
'Store incoming_vectors in the table of a model; stored vectors do not change unless replace is true';
