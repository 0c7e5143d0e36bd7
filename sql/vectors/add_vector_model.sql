-- add_vector_model: register an embedding model under a short name, and create the tables of its vectors. Returns its
-- row of vector_models.
--
-- The default model minilm has dblp_v, and dblp_p for passages. Each further model has its own tables of the same form,
-- dblp_v_<short name> and dblp_p_<short name>. Rows of up to 8 KB are stored inline (toast_tuple_target), because an
-- exact search reads each vector.
-- A new model's vectors are stored in half precision (halfvec) if they have more than 2,000 dimensions or the corpus
-- has more than a million documents (half_precision). convert_vectors changes the precision.
-- query_prefix, passage_prefix: text put before a query and before a document's text; NULL: the stored prefix, empty
-- for a new model.
-- storage: sparsevec for a sparse model, whose dimensions are the terms of its vocabulary (vector_terms).
-- made_by: program that computes the vectors, as 'torch bf16'; the row of vector_models lists all of them.
--
-- A registered model does not change if name, dimension, prefixes, pooling and length agree; vectors that were computed
-- in two ways must not meet in one table. Folders with the same weights (revision: their SHA-256) are the same model
-- wherever they are stored.
-- Raises IR202 an invalid short name, IR403 a model, or a way to compute vectors, that differs from the registered one.
CREATE OR REPLACE FUNCTION add_vector_model(
    model text, name text, dim integer, max_tokens integer DEFAULT NULL, revision text DEFAULT NULL,
    pooling text DEFAULT NULL,
    query_prefix text DEFAULT NULL, passage_prefix text DEFAULT NULL, made_by text DEFAULT NULL,
    storage text DEFAULT 'vector'
)
RETURNS vector_models
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning
AS $$
#variable_conflict use_column
DECLARE
    stored vector_models;
    known boolean;
    storage text := add_vector_model.storage;
    relation text := CASE add_vector_model.model WHEN 'minilm' THEN 'dblp_v'
                          ELSE 'dblp_v_' || add_vector_model.model END;
    other text;
    part record;
BEGIN
    IF add_vector_model.model IS NULL OR add_vector_model.model !~ '^[a-z0-9][a-z0-9_]{0,39}$' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L cannot be the short name of a model', add_vector_model.model),
            HINT = 'Use up to 40 lower-case letters, digits and underscores.';
    ELSIF add_vector_model.model = 'minilm' AND storage = 'sparsevec' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = 'minilm is the default model, which is dense',
            HINT = 'Give the sparse model another short name: ''stc vectors embed --as SHORT'' or '
                   '''stc load --as vectors --model SHORT''.';
    ELSIF add_vector_model.dim IS NULL
        OR add_vector_model.dim NOT BETWEEN 1 AND (CASE storage WHEN 'sparsevec' THEN 16777216 ELSE 16000 END)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('vectors of %s cannot be stored', counted(add_vector_model.dim, 'dimension')),
            HINT = 'pgvector stores 1 to 16,000 dimensions; sparse vectors have up to 2^24.';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('stc vector model'), hashtext(add_vector_model.model));
    SELECT * INTO stored FROM vector_models m WHERE m.model = add_vector_model.model COLLATE "C";
    known := FOUND;
    IF stored.model IS NULL AND add_vector_model.model = 'minilm' THEN
        stored := vector_model('minilm');  -- known even if not registered; its prefixes are not
        stored.name := add_vector_model.name;
        stored.query_prefix := NULL;
        stored.passage_prefix := NULL;
    END IF;
    other := CASE
        WHEN (stored.storage = 'sparsevec') <> (storage = 'sparsevec')
        THEN format('the vectors of %s are %s', stored.model,
                    CASE stored.storage WHEN 'sparsevec' THEN 'sparse' ELSE 'dense' END)
        WHEN stored.dim <> add_vector_model.dim
        THEN format('vectors of %s do not match those of %s, which have %s',
                    counted(add_vector_model.dim, 'dimension'), stored.model, stored.dim)
        WHEN stored.revision LIKE 'sha256 %' AND add_vector_model.revision LIKE 'sha256 %'
        THEN CASE WHEN stored.revision <> add_vector_model.revision
                  THEN format('the vectors of %s are by weights with %s, not %s', stored.model, stored.revision,
                              add_vector_model.revision)
             END
        WHEN stored.name <> add_vector_model.name
        THEN format('the vectors of %s were computed by %s, not by %s', stored.model, stored.name,
                    add_vector_model.name)
        END;
    other := coalesce(other, CASE
        WHEN stored.query_prefix <> add_vector_model.query_prefix
        THEN format('queries of %s have the prefix %L, not %L', stored.model, stored.query_prefix,
                    add_vector_model.query_prefix)
        WHEN stored.passage_prefix <> add_vector_model.passage_prefix
        THEN format('documents of %s have the prefix %L, not %L', stored.model, stored.passage_prefix,
                    add_vector_model.passage_prefix)
        WHEN known AND stored.pooling <> add_vector_model.pooling
        THEN format('the vectors of %s have the pooling %s, not %s', stored.model, stored.pooling,
                    add_vector_model.pooling)
        WHEN known AND stored.max_tokens <> add_vector_model.max_tokens
        THEN format('texts of %s are read up to %s, not %s', stored.model, counted(stored.max_tokens, 'token'),
                    add_vector_model.max_tokens)
        END);
    IF other IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR403', MESSAGE = other,
            HINT = 'Give vectors that are computed like this another short name: ''stc vectors embed --as SHORT'' or '
                   '''stc load --as vectors --model SHORT''. To replace them, drop them first: '
                   '''stc drop vectors SHORT''.';
    END IF;
    PERFORM change_servers_in_turn();
    IF storage <> 'sparsevec' AND (add_vector_model.dim > 2000 OR half_precision(documents_expected())) THEN
        storage := 'halfvec';
    END IF;
    FOR part IN
        SELECT n.relation, n.parent, n.columns
          FROM (VALUES (relation, 'dblp', 'title_v %2$s(%3$s), abstract_v %2$s(%3$s), content_v %2$s(%3$s)'),
                       (regexp_replace(relation, '^dblp_v', 'dblp_p'), 'dblp_passages', 'passage_v %2$s(%3$s)'))
               n (relation, parent, columns)
         WHERE to_regclass(format('public.%I', n.relation)) IS NULL
    LOOP
        EXECUTE format('CREATE TABLE public.%1$I (id bigint PRIMARY KEY, ' || part.columns
                       || ') WITH (toast_tuple_target = 8160)',
                       part.relation, storage, add_vector_model.dim);
        PERFORM distribute_table(to_regclass(format('public.%I', part.relation)));
        EXECUTE format('ALTER TABLE public.%I ADD FOREIGN KEY (id) REFERENCES %I (id) ON DELETE CASCADE',
                       part.relation, part.parent);
    END LOOP;
    INSERT INTO vector_models AS m (
        model, name, revision, dim, max_tokens, relation, storage, pooling, query_prefix, passage_prefix, made_by,
        normalised)
    VALUES (add_vector_model.model, add_vector_model.name, add_vector_model.revision, add_vector_model.dim,
            coalesce(add_vector_model.max_tokens, stored.max_tokens), relation,
            CASE relation WHEN 'dblp_v' THEN stored.storage ELSE storage END,
            coalesce(add_vector_model.pooling, stored.pooling),
            coalesce(add_vector_model.query_prefix, ''), coalesce(add_vector_model.passage_prefix, ''),
            array_remove(ARRAY[add_vector_model.made_by], NULL), storage <> 'sparsevec')
    ON CONFLICT (model) DO UPDATE
       SET revision = coalesce(m.revision, excluded.revision), max_tokens = coalesce(m.max_tokens, excluded.max_tokens),
           pooling = coalesce(m.pooling, excluded.pooling),
           made_by = CASE WHEN excluded.made_by <@ m.made_by THEN m.made_by ELSE m.made_by || excluded.made_by END
     WHERE NOT excluded.made_by <@ m.made_by OR m.revision IS NULL AND excluded.revision IS NOT NULL
        OR m.max_tokens IS NULL AND excluded.max_tokens IS NOT NULL
        OR m.pooling IS NULL AND excluded.pooling IS NOT NULL;
    IF relation = 'dblp_v' AND NOT known AND NOT EXISTS (SELECT 1 FROM dblp_v) THEN
        PERFORM convert_vectors(add_vector_model.model, storage = 'halfvec');
    END IF;
    PERFORM copy_comments();
    IF to_regrole('stc_owner') IS NOT NULL AND pg_has_role('stc_owner', 'USAGE') THEN
        PERFORM own_objects(), grant_rights();
    END IF;
    RETURN vector_model(add_vector_model.model, sparse => NULL);
END
$$;
COMMENT ON FUNCTION add_vector_model(text, text, integer, integer, text, text, text, text, text, text) IS
'Register an embedding model and create the tables of its vectors; IR403 if the short name belongs to another model';
