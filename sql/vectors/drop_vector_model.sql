-- drop_vector_model: delete an embedding model: its tables with all vectors and indexes, the cached vectors of queries,
-- and its row of vector_models.
--
-- Raises IR105 no such model, IR202 the default model: its tables dblp_v and dblp_p are part of every collection.
CREATE OR REPLACE FUNCTION drop_vector_model(model text)
RETURNS void
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    space vector_models := vector_model(coalesce(drop_vector_model.model, ''), sparse => NULL);
BEGIN
    IF space.relation = 'dblp_v' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s is the default model and cannot be dropped', space.model),
            HINT = 'Its tables are part of every collection. To empty them, run ''TRUNCATE dblp_v, dblp_p''.';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('stc vector model'), hashtext(space.model));
    PERFORM drop_vector_index(space.relation, f.field) FROM unnest('{title,abstract,content}'::text[]) f (field);
    EXECUTE format('DROP TABLE %I, %I', space.relation, vector_relation(space, 'passage'));
    DELETE FROM vector_models m WHERE m.model = space.model;
    PERFORM set_search_effort();
END
$$;
COMMENT ON FUNCTION drop_vector_model(text) IS 'Delete an embedding model other than the default, with its tables';
