-- index_vectors: builds the ivfflat index of one field's vectors, for inner product; records its lists, probes and rows.
--
--   CALL index_vectors('title');
--   CALL index_vectors('abstract', lists => 500, probes => 40);
--   CALL index_vectors('title', preset => 'published');
--
-- lists and probes are those of ivfflat_lists and ivfflat_probes if none are given; rows are those with a vector.
-- preset published: rows / 1000 lists at any size and 65 probes, as the collection's paper has them.
-- An index that is current (lists and rows are the recorded ones) is left alone unless rebuild: ivfflat takes its centres from the
-- rows there are when it is built, so one that has gained rows is built anew. Other probes alone are only recorded.
-- Searches go on meanwhile, on the old index; writes wait. One transaction: an interrupted build leaves what was there.
--
-- Raises IR105 no such model, IR106 no such field, IR202 lists, probes or preset out of range, IR405 no vectors.
CREATE OR REPLACE PROCEDURE index_vectors(
    field text,
    model text DEFAULT NULL,
    preset text DEFAULT NULL,
    rebuild boolean DEFAULT false,
    INOUT lists integer DEFAULT NULL,
    INOUT probes integer DEFAULT NULL,
    INOUT rows bigint DEFAULT NULL,
    INOUT built boolean DEFAULT NULL
)
LANGUAGE plpgsql
SET search_path = public, pg_temp
SET client_min_messages = warning
SET maintenance_work_mem = '64MB'  -- so that what is set below ends with the call
SET max_parallel_maintenance_workers = 2
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(index_vectors.model);
    column_name name := vector_column(index_vectors.field);
    index_name text := format('%s_%s_ivfflat', space.relation, index_vectors.field);
    recorded vector_indexes;
BEGIN
    IF index_vectors.lists NOT BETWEEN 1 AND 32768 OR index_vectors.probes NOT BETWEEN 1 AND 32768 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('an index of %s lists, of which %s are probed', coalesce(index_vectors.lists::text, 'the usual'),
                             coalesce(index_vectors.probes::text, 'the usual')),
            HINT = 'Both are 1 to 32,768.';
    ELSIF index_vectors.preset <> 'published' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('there is no preset %s', index_vectors.preset),
            HINT = 'The preset is published; without one lists and probes follow from the number of rows.';
    ELSIF space.dim > 2000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('the vectors of %s have %s dimensions', space.model, space.dim),
            HINT = 'pgvector indexes up to 2,000; without an index searches scan all vectors.';
    END IF;
    -- Against other writers and other builds; readers go on.
    EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', space.relation);
    EXECUTE format('SELECT count(%I) FROM %I', column_name, space.relation) INTO rows;
    IF rows = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('there are no %s vectors of %s', index_vectors.field, space.model),
            HINT = '''stc vectors embed'' makes them.';
    END IF;
    lists := coalesce(lists, ivfflat_lists(rows, preset));
    probes := least(lists, coalesce(probes, ivfflat_probes(lists, preset)));

    SELECT * INTO recorded FROM vector_indexes i WHERE i.model = space.model AND i.field = index_vectors.field COLLATE "C";
    built := rebuild OR to_regclass(quote_ident(index_name)) IS NULL
        OR (recorded.lists, recorded.rows) IS DISTINCT FROM (index_vectors.lists, index_vectors.rows);
    IF built THEN
        PERFORM set_config('maintenance_work_mem', greatest(524288, ivfflat_memory(lists, space.dim) / 1024 + 1)::text, true),
                set_config('max_parallel_maintenance_workers', current_setting('max_parallel_workers'), true);
        EXECUTE format('CREATE INDEX %I ON %I USING ivfflat (%I vector_ip_ops) WITH (lists = %s)',
                       index_name || '_new', space.relation, column_name, lists);
        EXECUTE format('DROP INDEX IF EXISTS %I', index_name);
        EXECUTE format('ALTER INDEX %I RENAME TO %I', index_name || '_new', index_name);
    END IF;
    PERFORM add_vector_model(space.model, space.name, space.dim, space.max_tokens, space.revision);  -- vectors written by hand
    INSERT INTO vector_indexes AS i (model, field, kind, lists, probes, rows)
    VALUES (space.model, index_vectors.field, 'ivfflat', lists, probes, rows)
    ON CONFLICT (model, field) DO UPDATE
       SET kind = excluded.kind, lists = excluded.lists, probes = excluded.probes, rows = excluded.rows,
           built = CASE WHEN index_vectors.built THEN excluded.built ELSE i.built END;
END
$$;
COMMENT ON PROCEDURE index_vectors(text, text, text, boolean, integer, integer, bigint, boolean) IS
'Builds the ivfflat index of a field''s vectors unless it is current, and records lists, probes and rows';
