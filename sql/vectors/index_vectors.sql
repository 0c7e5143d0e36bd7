-- index_vectors: build the index on one field's vectors, for inner product, and record its parameters, its rows, and
-- the default effort of searches (see knn), also of plain statements (set_search_effort).
--
--   CALL index_vectors('title');
--   CALL index_vectors('abstract', lists => 500, effort => 40);
--   CALL index_vectors('title', preset => 'published');
--   CALL index_vectors('content', kind => 'hnsw', half => true);
--
--   CALL index_vectors('abstract', kind => 'hnsw', bits => true);
--
-- kind: ivfflat, hnsw, or diskann, which requires vectorscale. NULL: ivfflat if lists or the preset are given, hnsw if
-- m or ef_construction are; else as the index that the field has. For a first one vector_index_kind chooses, and reason
-- says why; if the collection is distributed, it is ivfflat.
-- half: store half precision in the index, which halves its size. bits: store one bit per value, its sign, which takes
-- a 32nd; a search compares many more documents by the vectors themselves (knn). Neither is available for diskann.
-- NULL: as the index of this kind that the field has; for a first one and for other kinds half follows half_precision.
-- The preset uses full precision.
-- ivfflat: the defaults of lists and effort (probes) are ivfflat_lists and ivfflat_probes of the number of vectors.
-- preset published: rows / 1000 lists at any size and 65 probes, as in the collection's paper.
-- Sparse vectors have impact, an index by pg_textsearch (impact_nearest), effort 150 · (n / 120,000)^0.2, between 150
-- and 225: about twice the time of BM25 at most (docs/howto/vectors.md). On several servers and without
-- pg_textsearch they have hnsw, of at most 1,000 terms each.
-- hnsw: m links per vector (16), ef_construction candidates during the build (64), effort (ef_search) 100; the build
-- uses hnsw_workers() workers. diskann: effort 100.
--
-- A field has one index. A current index (same kind, parameters and number of rows) is not rebuilt unless rebuild is
-- true. ivfflat computes its centres from the rows present at the build, so it is rebuilt if rows were added. A change
-- of effort alone is only recorded. Without effort, a current index keeps its own, which an audit may have set
-- (store_audit).
-- Searches continue on the old index during the build, and writes wait. The build is one transaction: an interrupted
-- build changes nothing.
--
-- An index of title or abstract also creates <relation>_title_only, an index of the documents that have a vector of the
-- title but none of the abstract: dense_document_search searches titles only if there are any. If there are many
-- (titles_indexed), an index of abstracts also builds one of their titles' vectors, of the same kind: field title_only,
-- which has its own row in vector_indexes.
--
-- If the collection is distributed, each shard has a separate index: lists is divided by the number of shards, the
-- default is the square root of the vectors of a shard, and effort applies to each shard: by default the square root
-- of its lists, but at least the share of lists that one server would scan, both rounded up. Many small lists compare
-- fewer vectors for the same recall, because a shard's part of the nearest vectors is in few of them. Records the
-- lists of a shard, and an id of each (anchors).
--
-- Raises IR105 no such model, IR106 no such field, IR202 a kind or parameter out of range, IR404 no vectorscale or
-- pg_textsearch, IR405 no vectors, IR415 diskann or impact and the collection is distributed.
CREATE OR REPLACE PROCEDURE index_vectors(
    field text,
    model text DEFAULT NULL,
    preset text DEFAULT NULL,
    rebuild boolean DEFAULT false,
    INOUT kind text DEFAULT NULL,
    INOUT half boolean DEFAULT NULL,
    INOUT bits boolean DEFAULT NULL,
    INOUT lists integer DEFAULT NULL,
    INOUT effort integer DEFAULT NULL,
    INOUT m integer DEFAULT NULL,
    INOUT ef_construction integer DEFAULT NULL,
    INOUT rows bigint DEFAULT NULL,
    INOUT built boolean DEFAULT NULL,
    INOUT reason text DEFAULT NULL
)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning
SET maintenance_work_mem = '64MB'  -- so that the values set below end with the call
SET max_parallel_maintenance_workers = 2
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(index_vectors.model, sparse => NULL);
    column_name name := vector_column(index_vectors.field);
    relation name := vector_relation(space, index_vectors.field);
    index_name text;
    wanted_effort integer := index_vectors.effort;
    recorded vector_indexes;
    parts CONSTANT integer := shards(quote_ident(relation)::regclass);
    per_shard bigint;
    lone bigint;
    together integer;  -- lists of all shards
    anchors bigint[];
    idf real[];  -- of an index of impacts
    first_choice record;
    width integer := space.dim;  -- numbers of 4 bytes of a vector
    terms integer;
BEGIN
    kind := coalesce(kind, CASE WHEN space.storage = 'sparsevec'
                                     THEN CASE WHEN parts = 1 AND pg_textsearch_ready() THEN 'impact' ELSE 'hnsw' END
                                WHEN lists IS NOT NULL OR preset IS NOT NULL THEN 'ivfflat'
                                WHEN m IS NOT NULL OR ef_construction IS NOT NULL THEN 'hnsw' END);
    reason := NULL;
    IF index_vectors.kind IN ('diskann', 'impact') THEN
        PERFORM refuse_distributed(format('building an index of kind %s', kind));
    END IF;
    PERFORM check_vector_index(space, coalesce(kind, 'ivfflat'), half, bits, preset, lists, effort, m, ef_construction);
    -- Excludes other writers and other builds, but not readers.
    EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', relation);
    EXECUTE format('SELECT count(*) FROM %I WHERE %s', relation, vector_rows(index_vectors.field)) INTO rows;
    IF rows = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('there are no %s vectors of %s', index_vectors.field, space.model),
            HINT = 'Compute them with ''stc vectors embed''.';
    END IF;
    IF index_vectors.kind = 'hnsw' AND space.storage = 'sparsevec' THEN
        EXECUTE format('SELECT avg(s.bytes) / 4, (max(s.bytes) - 12) / 8
                          FROM (SELECT length(sparsevec_send(v.%I)) AS bytes FROM %I v) s', column_name, relation)
           INTO width, terms;
        IF terms > 1000 THEN
            RAISE EXCEPTION USING ERRCODE = 'IR202',
                MESSAGE = format('a %s vector of %s has %s; hnsw indexes at most 1,000', index_vectors.field,
                                 space.model, counted(terms, 'term')),
                HINT = 'Searches without an index compare all vectors, exactly. For an index, encode the documents '
                       'with fewer terms.';
        END IF;
    END IF;
    per_shard := ceil(rows / parts::numeric);
    SELECT * INTO recorded FROM vector_indexes i
     WHERE i.model = space.model AND i.field = index_vectors.field COLLATE "C";
    IF kind IS NULL AND parts > 1 THEN
        kind := coalesce(recorded.kind, 'ivfflat');
    ELSIF kind IS NULL THEN
        SELECT * INTO first_choice
          FROM vector_index_kind(rows, graph_memory(rows, space.dim, 16, space.storage = 'halfvec'
                                                    OR coalesce(half, half_precision(rows)), bits), graph_limit(),
                                 coalesce(vector_version() >= '{0,8,4}', false));
        kind := coalesce(recorded.kind, first_choice.kind);
        reason := CASE WHEN recorded.kind IS NULL THEN first_choice.reason
                       WHEN kind <> first_choice.kind
                           THEN format('kept from the index before; a first index of %s would be %s',
                                       counted(rows, 'vector'), first_choice.kind) END;
        PERFORM check_vector_index(space, kind, half, bits, preset, lists, effort, m, ef_construction);
    END IF;
    index_name := vector_index_name(relation, index_vectors.field, kind);
    bits := coalesce(bits, half IS NULL AND preset IS NULL AND recorded.kind = index_vectors.kind AND recorded.bits,
                     false);
    half := coalesce(half, CASE WHEN bits OR preset IS NOT NULL THEN false
                                WHEN recorded.kind = index_vectors.kind THEN recorded.halfvec END,
                     half_precision(rows) AND kind <> 'diskann' AND space.storage = 'vector');
    IF index_vectors.kind = 'ivfflat' THEN
        together := coalesce(lists, ivfflat_lists(rows));
        lists := coalesce(ceil(lists::numeric / parts)::integer,
                          CASE WHEN parts = 1 OR preset IS NOT NULL THEN ivfflat_lists(per_shard, preset)
                               ELSE round(sqrt(per_shard))::integer END);
        effort := least(lists, coalesce(effort, CASE WHEN parts = 1 OR preset IS NOT NULL
                                                     THEN ivfflat_probes(lists, preset)
                                                     ELSE ceil(greatest(
                                                         sqrt(lists),
                                                         lists * ivfflat_probes(together) / together::float8))
                                                END))::integer;
    ELSIF index_vectors.kind = 'hnsw' THEN
        m := coalesce(m, 16);
        ef_construction := coalesce(ef_construction, greatest(64, 2 * m));
        effort := coalesce(effort, 100);
    ELSE
        effort := coalesce(effort, CASE index_vectors.kind
                                   WHEN 'impact' THEN least(225, greatest(150, 150 * (rows / 120000.0) ^ 0.2))
                                   ELSE 100 END)::integer;
    END IF;

    built := rebuild OR NOT EXISTS (SELECT FROM pg_index x
                                     WHERE x.indexrelid = to_regclass(quote_ident(index_name)) AND x.indisvalid)
        OR (recorded.kind, recorded.halfvec, recorded.bits, recorded.lists, recorded.m, recorded.ef_construction,
            recorded.rows)
           IS DISTINCT FROM (index_vectors.kind, index_vectors.half, index_vectors.bits, index_vectors.lists,
                             index_vectors.m, index_vectors.ef_construction, index_vectors.rows);
    IF NOT built AND wanted_effort IS NULL AND preset IS NULL THEN
        effort := coalesce(recorded.effort, effort);
    END IF;
    IF built THEN
        PERFORM set_everywhere(jsonb_build_object(
            'maintenance_work_mem', greatest(524288, CASE index_vectors.kind
                    WHEN 'ivfflat' THEN ivfflat_memory(lists, space.dim) / 1024 + 1
                    ELSE least(graph_limit(), graph_memory(
                             per_shard, width, coalesce(m, 16), index_vectors.half OR space.storage = 'halfvec',
                             index_vectors.bits)) / 1024 + 1 END)::text,
            'max_parallel_maintenance_workers', CASE index_vectors.kind WHEN 'hnsw'
                    THEN hnsw_workers()::text WHEN 'impact' THEN '0' ELSE current_setting('max_parallel_workers') END));
        IF index_vectors.kind = 'impact' THEN
            CREATE EXTENSION IF NOT EXISTS pg_textsearch SCHEMA public;
            idf := build_impacts(relation, index_vectors.field);
        ELSE
            IF index_vectors.kind = 'diskann' THEN
                CREATE EXTENSION IF NOT EXISTS vectorscale SCHEMA public;
            END IF;
            EXECUTE format(
                'CREATE INDEX %I ON %I USING %s ((%s) %s)%s%s', index_name || '_new', relation, index_vectors.kind,
                indexed_vector(quote_ident(column_name), space.dim, index_vectors.half, index_vectors.bits),
                CASE WHEN index_vectors.bits THEN 'bit_hamming_ops' WHEN index_vectors.half THEN 'halfvec_ip_ops'
                     ELSE space.storage || '_ip_ops' END,
                CASE index_vectors.kind WHEN 'ivfflat' THEN format(' WITH (lists = %s)', lists)
                                        WHEN 'hnsw' THEN format(' WITH (m = %s, ef_construction = %s)', m,
                                                                ef_construction) END,
                CASE index_vectors.field WHEN 'title_only' THEN ' WHERE ' || vector_rows('title_only') END);
            PERFORM drop_vector_index(relation, index_vectors.field);
            EXECUTE format('ALTER INDEX %I RENAME TO %I', index_name || '_new', index_name);
        END IF;
    END IF;
    IF NOT EXISTS (SELECT FROM vector_models m WHERE m.model = space.model) THEN  -- its vectors were written by hand
        PERFORM add_vector_model(space.model, space.name, space.dim, space.max_tokens, space.revision);
    END IF;
    IF parts > 1 THEN
        EXECUTE format(
            'SELECT array_agg(s.anchor)
               FROM (SELECT v.tableoid::regclass::text, min(v.id) AS anchor FROM %I v GROUP BY 1) s',
            relation) INTO anchors;
    END IF;
    INSERT INTO vector_indexes AS i (model, field, kind, halfvec, bits, lists, m, ef_construction, effort, rows,
                                     anchors, idf)
    VALUES (space.model, index_vectors.field, index_vectors.kind, index_vectors.half, index_vectors.bits, lists, m,
            ef_construction, effort, rows, anchors, idf)
    ON CONFLICT (model, field) DO UPDATE
       SET kind = excluded.kind, halfvec = excluded.halfvec, bits = excluded.bits, lists = excluded.lists,
           m = excluded.m, ef_construction = excluded.ef_construction, effort = excluded.effort, rows = excluded.rows,
           anchors = excluded.anchors,
           idf = CASE WHEN index_vectors.built THEN excluded.idf ELSE i.idf END,
           built = CASE WHEN index_vectors.built THEN excluded.built ELSE i.built END,
           -- audit results apply to the index and effort that were audited
           recall = CASE WHEN NOT index_vectors.built AND i.effort = excluded.effort THEN i.recall END,
           recall_k = CASE WHEN NOT index_vectors.built AND i.effort = excluded.effort THEN i.recall_k END,
           audited = CASE WHEN NOT index_vectors.built AND i.effort = excluded.effort THEN i.audited END;
    IF index_vectors.field IN ('title', 'abstract') THEN
        EXECUTE format(
            'CREATE INDEX IF NOT EXISTS %I ON %I (id) WHERE %s', relation || '_title_only', relation,
            vector_rows('title_only'));
    END IF;
    IF index_vectors.field = 'abstract' THEN
        EXECUTE format('SELECT count(*) FROM %I WHERE %s', relation, vector_rows('title_only')) INTO lone;
        IF titles_indexed(lone) THEN
            EXECUTE 'CALL index_vectors(''title_only'', $1, $2, $3, $4, $5, $6, m => $7, ef_construction => $8)'
              USING space.model, index_vectors.preset, index_vectors.rebuild, index_vectors.kind, index_vectors.half,
                    index_vectors.bits, index_vectors.m, index_vectors.ef_construction;
        ELSE
            PERFORM drop_vector_index(relation, 'title_only');
            DELETE FROM vector_indexes i WHERE i.model = space.model AND i.field = 'title_only';
        END IF;
    END IF;
    IF idf IS NOT NULL AND to_regrole('stc_owner') IS NOT NULL AND pg_has_role('stc_owner', 'USAGE') THEN
        PERFORM own_objects(), grant_rights();  -- of the new table
    END IF;
    PERFORM set_search_effort();
END
$$;
COMMENT ON PROCEDURE index_vectors(text, text, text, boolean, text, boolean, boolean, integer, integer, integer,
                                   integer, bigint, boolean, text) IS
'Build the index on a field''s vectors (ivfflat, hnsw, diskann, impact) unless it is current; record its parameters';
