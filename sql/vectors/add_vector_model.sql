-- add_vector_model: registers an embedding model under a short name, and makes the table of its vectors. Returns its registry row.
--
-- The default model minilm has dblp_v, and dblp_p for passages; each further one has tables of its own, dblp_v_<short name> and
-- dblp_p_<short name>, of the same shape. Vectors of more than 2,000 dimensions are stored in half precision (halfvec).
-- A model that is registered already is left as it is, if name and dimension agree: vectors of two models must not meet in one
-- table.
-- Raises IR202 a short name that cannot be one of a table, IR403 another model or dimension than the registered one.
CREATE OR REPLACE FUNCTION add_vector_model(
    model text, name text, dim integer, max_tokens integer DEFAULT NULL, revision text DEFAULT NULL
)
RETURNS vector_models
LANGUAGE plpgsql
SET search_path = public, pg_temp
SET client_min_messages = warning
AS $$
#variable_conflict use_column
DECLARE
    stored vector_models;
    storage text := CASE WHEN add_vector_model.dim > 2000 THEN 'halfvec' ELSE 'vector' END;
    relation text := CASE add_vector_model.model WHEN 'minilm' THEN 'dblp_v' ELSE 'dblp_v_' || add_vector_model.model END;
BEGIN
    IF add_vector_model.model IS NULL OR add_vector_model.model !~ '^[a-z0-9][a-z0-9_]{0,39}$' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%L cannot be the short name of a model', add_vector_model.model),
            HINT = 'Take up to 40 lower-case letters, digits and underscores.';
    ELSIF add_vector_model.dim IS NULL OR add_vector_model.dim NOT BETWEEN 1 AND 16000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('vectors of %s dimensions cannot be stored', add_vector_model.dim),
            HINT = 'pgvector holds 1 to 16,000 dimensions.';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('stc vector model'), hashtext(add_vector_model.model));
    SELECT * INTO stored FROM vector_models m WHERE m.model = add_vector_model.model COLLATE "C";
    IF stored.model IS NULL AND add_vector_model.model = 'minilm' THEN
        stored := vector_model('minilm');
        stored.name := add_vector_model.name;
    END IF;
    IF stored.dim <> add_vector_model.dim THEN
        RAISE EXCEPTION USING ERRCODE = 'IR403',
            MESSAGE = format('vectors of %s dimensions do not fit to those of %s, which have %s',
                             add_vector_model.dim, stored.model, stored.dim),
            HINT = 'Another model gets a short name, and so a table, of its own.';
    ELSIF stored.name <> add_vector_model.name THEN
        RAISE EXCEPTION USING ERRCODE = 'IR403',
            MESSAGE = format('the vectors of %s are by %s, not by %s', stored.model, stored.name, add_vector_model.name),
            HINT = 'Another model gets a short name, and so a table, of its own.';
    END IF;
    EXECUTE format(
        $sql$CREATE TABLE IF NOT EXISTS %1$I (
            id bigint PRIMARY KEY REFERENCES dblp (id) ON DELETE CASCADE, title_v %2$s(%3$s), abstract_v %2$s(%3$s), content_v %2$s(%3$s))$sql$,
        relation, storage, add_vector_model.dim);
    EXECUTE format(
        'CREATE TABLE IF NOT EXISTS %I (id bigint PRIMARY KEY REFERENCES dblp_passages (id) ON DELETE CASCADE, passage_v %s(%s))',
        regexp_replace(relation, '^dblp_v', 'dblp_p'), storage, add_vector_model.dim);
    INSERT INTO vector_models (model, name, revision, dim, max_tokens, relation, storage)
    VALUES (add_vector_model.model, add_vector_model.name, add_vector_model.revision, add_vector_model.dim,
            add_vector_model.max_tokens, relation, storage)
    ON CONFLICT (model) DO NOTHING;
    RETURN vector_model(add_vector_model.model);
END
$$;
COMMENT ON FUNCTION add_vector_model(text, text, integer, integer, text) IS
'Registers an embedding model and makes the table of its vectors; refuses another model under a known name';
