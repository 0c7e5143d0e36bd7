-- index_vectors: builds the index of one field's vectors, for inner product; records how it was built, its rows, and
-- the effort that searches take by default (see knn).
--
--   CALL index_vectors('title');
--   CALL index_vectors('abstract', lists => 500, effort => 40);
--   CALL index_vectors('title', preset => 'published');
--   CALL index_vectors('content', kind => 'hnsw', half => true);
--
-- kind: ivfflat, hnsw, or diskann, which takes vectorscale. half: the index holds half precision, in half the space;
-- not of diskann.
-- ivfflat: lists and effort (probes) are those of ivfflat_lists and ivfflat_probes if none are given; rows are those
-- with a vector. preset published: rows / 1000 lists at any size and 65 probes, as the collection's paper has them.
-- hnsw: m links a vector (16), ef_construction candidates while building (64), effort (ef_search) 100. diskann: effort
-- 100.
--
-- A field has one index. One that is current (the same kind, parameters and rows) is left alone unless rebuild: ivfflat
-- takes its centres from the rows there are when it is built, so one that has gained rows is built anew. Another effort
-- alone is only recorded; none given leaves a current index the one it has, which an audit may have found
-- (store_audit).
-- Searches go on meanwhile, on the old index; writes wait. One transaction: an interrupted build leaves what was there.
--
-- Raises IR105 no such model, IR106 no such field, IR202 a kind or parameter out of range, IR404 no vectorscale, IR405
-- no vectors.
CREATE OR REPLACE PROCEDURE index_vectors(
    field text,
    model text DEFAULT NULL,
    preset text DEFAULT NULL,
    rebuild boolean DEFAULT false,
    kind text DEFAULT 'ivfflat',
    half boolean DEFAULT false,
    INOUT lists integer DEFAULT NULL,
    INOUT effort integer DEFAULT NULL,
    INOUT m integer DEFAULT NULL,
    INOUT ef_construction integer DEFAULT NULL,
    INOUT rows bigint DEFAULT NULL,
    INOUT built boolean DEFAULT NULL
)
LANGUAGE plpgsql
SET search_path = stc, public, pg_temp
SET client_min_messages = warning
SET maintenance_work_mem = '64MB'  -- so that what is set below ends with the call
SET max_parallel_maintenance_workers = 2
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(index_vectors.model);
    column_name name := vector_column(index_vectors.field);
    relation name := vector_relation(space, index_vectors.field);
    index_name text := vector_index_name(relation, index_vectors.field, index_vectors.kind);
    wanted_effort integer := index_vectors.effort;
    old text;
    recorded vector_indexes;
BEGIN
    PERFORM check_vector_index(space, index_vectors.kind, index_vectors.half, index_vectors.preset, index_vectors.lists,
                               index_vectors.effort, index_vectors.m, index_vectors.ef_construction);
    -- Against other writers and other builds; readers go on.
    EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', relation);
    EXECUTE format('SELECT count(%I) FROM %I', column_name, relation) INTO rows;
    IF rows = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('there are no %s vectors of %s', index_vectors.field, space.model),
            HINT = '''stc vectors embed'' makes them.';
    END IF;
    IF index_vectors.kind = 'ivfflat' THEN
        lists := coalesce(lists, ivfflat_lists(rows, preset));
        effort := least(lists, coalesce(effort, ivfflat_probes(lists, preset)));
    ELSIF index_vectors.kind = 'hnsw' THEN
        m := coalesce(m, 16);
        ef_construction := coalesce(ef_construction, greatest(64, 2 * m));
        effort := coalesce(effort, 100);
    ELSE
        effort := coalesce(effort, 100);
    END IF;

    SELECT * INTO recorded FROM vector_indexes i
     WHERE i.model = space.model AND i.field = index_vectors.field COLLATE "C";
    built := rebuild OR NOT EXISTS (SELECT FROM pg_index x
                                     WHERE x.indexrelid = to_regclass(quote_ident(index_name)) AND x.indisvalid)
        OR (recorded.kind, recorded.halfvec, recorded.lists, recorded.m, recorded.ef_construction, recorded.rows)
           IS DISTINCT FROM (index_vectors.kind, index_vectors.half, index_vectors.lists, index_vectors.m,
                             index_vectors.ef_construction, index_vectors.rows);
    IF NOT built AND wanted_effort IS NULL AND preset IS NULL THEN
        effort := coalesce(recorded.effort, effort);
    END IF;
    IF built THEN
        -- A graph is built in memory as far as that goes, and many times slower beyond.
        PERFORM set_config('maintenance_work_mem', greatest(524288, CASE index_vectors.kind
                    WHEN 'ivfflat' THEN ivfflat_memory(lists, space.dim) / 1024 + 1
                    ELSE least(2097152, rows * (4 * space.dim + 100 + 16 * coalesce(m, 50)) / 1024) END)::text, true),
                set_config('max_parallel_maintenance_workers', current_setting('max_parallel_workers'), true);
        IF index_vectors.kind = 'diskann' THEN
            CREATE EXTENSION IF NOT EXISTS vectorscale SCHEMA public;
        END IF;
        EXECUTE format(
            'CREATE INDEX %I ON %I USING %s ((%I%s) %s_ip_ops)%s', index_name || '_new', relation, index_vectors.kind,
            column_name,
            CASE WHEN index_vectors.half AND space.storage = 'vector' THEN format('::halfvec(%s)', space.dim) END,
            CASE WHEN index_vectors.half THEN 'halfvec' ELSE space.storage END,
            CASE index_vectors.kind WHEN 'ivfflat' THEN format(' WITH (lists = %s)', lists)
                                    WHEN 'hnsw' THEN format(' WITH (m = %s, ef_construction = %s)', m,
                                                            ef_construction) END);
        FOREACH old IN ARRAY '{ivfflat,hnsw,diskann}'::text[] LOOP
            EXECUTE format('DROP INDEX IF EXISTS %I', vector_index_name(relation, index_vectors.field, old));
        END LOOP;
        EXECUTE format('ALTER INDEX %I RENAME TO %I', index_name || '_new', index_name);
    END IF;
    -- vectors written by hand
    PERFORM add_vector_model(space.model, space.name, space.dim, space.max_tokens, space.revision);
    INSERT INTO vector_indexes AS i (model, field, kind, halfvec, lists, m, ef_construction, effort, rows)
    VALUES (space.model, index_vectors.field, index_vectors.kind, index_vectors.half, lists, m, ef_construction,
            effort, rows)
    ON CONFLICT (model, field) DO UPDATE
       SET kind = excluded.kind, halfvec = excluded.halfvec, lists = excluded.lists, m = excluded.m,
           ef_construction = excluded.ef_construction, effort = excluded.effort, rows = excluded.rows,
           built = CASE WHEN index_vectors.built THEN excluded.built ELSE i.built END,
           -- what an audit found holds for the index and the effort it looked at
           recall = CASE WHEN NOT index_vectors.built AND i.effort = excluded.effort THEN i.recall END,
           recall_k = CASE WHEN NOT index_vectors.built AND i.effort = excluded.effort THEN i.recall_k END,
           audited = CASE WHEN NOT index_vectors.built AND i.effort = excluded.effort THEN i.audited END;
END
$$;
COMMENT ON PROCEDURE index_vectors(text, text, text, boolean, text, boolean, integer, integer, integer, integer, bigint,
                                   boolean) IS
'Builds the index of a field''s vectors (ivfflat, hnsw, diskann) unless it is current, and records how';
