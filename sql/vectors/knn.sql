-- knn: the k documents nearest to a vector, by the negative inner product of pgvector's <#> (minus the cosine if both
-- vectors have length 1), nearest first, equal distances by docno descending as bytes. Field passage returns the k
-- nearest passages (dblp_passages.id).
--
-- The index built by index_vectors is used and searched until k documents are found: fewer than k are returned only if
-- fewer exist. effort: number of lists scanned for ivfflat (probes), of candidates for hnsw (ef_search) or diskann
-- (search_list_size). NULL is the effort recorded for the index (audit_vectors helps to choose it). 0 scans all
-- vectors, like a search without an index: this is exact and keeps the order of ties also at rank k. hnsw uses at most
-- 1,000, diskann 10,000.
--
-- Distances are exact even if the index stores less than the vector: half precision or bits. From such an index more
-- than k candidates are read, and the nearest k are returned: k + k/10 + 10 from half precision, 500 + 20 k from bits.
--
-- filter: only documents that match it (filter_condition), and k of them if there are that many. All of them are
-- compared, which is exact, if there is no index or if few documents match: filter_few, or a third of the number that a
-- search of the lists scans, because reading a vector by its id costs more. Otherwise the index is searched past the
-- documents that do not match, at twice the effort, because near documents are farther apart among fewer.
-- The session's settings do not change.
--
-- Raises IR105 no such model, IR106 no such field, IR201 k below 1, IR202 no query vector, effort out of range or an
-- invalid filter, IR403 a query vector of another dimension.
CREATE OR REPLACE FUNCTION public.knn(
    query vector, k integer DEFAULT 100, field text DEFAULT 'title', model text DEFAULT NULL, filter jsonb DEFAULT NULL,
    effort integer DEFAULT NULL
)
RETURNS TABLE (doc bigint, distance double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc, public, pg_temp
SET jit = off
SET enable_seqscan = on
SET enable_indexscan = on
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(knn.model);
    column_name name := vector_column(knn.field);
    relation name := vector_relation(space, knn.field);
    condition text := CASE WHEN knn.filter IS NOT NULL THEN filter_condition(knn.filter) END;
    most bigint;
    matched bigint;
    few bigint[];
    walked vector_indexes;
    distance_sql text;
    order_sql text;
    source_sql text;
    fetched integer;
    before jsonb;
    docs bigint[];
    distances double precision[];
    names text[];
BEGIN
    IF knn.k IS NULL OR knn.k < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('k is %s', coalesce(knn.k::text, 'NULL')), HINT = 'k must be 1 or more.';
    ELSIF knn.effort NOT BETWEEN 0 AND 32768 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('effort is %s', knn.effort),
            HINT = 'Use 1 to 32,768 (probes, ef_search, search_list_size), or 0 for an exact search.';
    END IF;
    PERFORM check_query_vector(knn.query, space);

    IF knn.effort IS DISTINCT FROM 0 THEN
        SELECT * INTO walked FROM vector_indexes i
         WHERE i.model = space.model AND i.field = knn.field COLLATE "C"
           AND to_regclass(quote_ident(vector_index_name(relation, i.field, i.kind))) IS NOT NULL
           -- Citus cannot look up the document of a passage that an index returns.
           AND NOT (condition IS NOT NULL AND knn.field = 'passage' AND distributed());
    END IF;
    distance_sql := format('v.%I <#> $2', column_name);
    order_sql := CASE WHEN walked.kind IS NULL THEN format('(%s) + 0', distance_sql)  -- keeps the planner from an index
                      ELSE format('%s %s %s', indexed_vector('v.' || quote_ident(column_name), space.dim,
                                                             walked.halfvec, walked.bits),
                                  CASE WHEN walked.bits THEN '<~>' ELSE '<#>' END,
                                  indexed_vector('$2', space.dim, walked.halfvec, walked.bits)) END;
    source_sql := format('%I v WHERE v.%I IS NOT NULL', relation, column_name);
    IF condition IS NOT NULL AND walked.kind IS NULL THEN
        source_sql := format(
            CASE knn.field WHEN 'passage' THEN 'dblp_facts d JOIN dblp_passages p ON p.doc = d.id JOIN %I v ON v.id = '
                                               'p.id'
                           ELSE 'dblp_facts d JOIN %I v ON v.id = d.id' END || ' WHERE v.%I IS NOT NULL AND %s',
            relation, column_name, condition);
    ELSIF condition IS NOT NULL THEN
        SELECT filter_few(knn.k, CASE WHEN c.reltuples > 0 THEN c.reltuples ELSE walked.rows END) INTO most
          FROM pg_class c
         WHERE c.oid = to_regclass(quote_ident(relation));
        IF walked.kind = 'ivfflat' THEN
            most := greatest(most, least(50000, walked.rows * coalesce(knn.effort, walked.effort) / walked.lists / 3));
        END IF;
        IF distributed() THEN
            -- Their ids stay on the shards.
            EXECUTE format('SELECT count(*) FROM dblp_facts d WHERE %s', condition) INTO matched USING knn.filter;
        ELSE
            few := filter_docs(knn.filter, 1 + most);
            matched := coalesce(cardinality(few), 0);
        END IF;
        IF matched = 0 THEN
            RETURN;
        ELSIF matched <= most THEN
            walked := NULL;
            order_sql := format('(%s) + 0', distance_sql);
            source_sql := format(
                CASE WHEN knn.field = 'passage' THEN 'unnest($4) f (id) JOIN dblp_passages p ON p.doc = f.id JOIN %I v '
                                                     'ON v.id = p.id WHERE v.%I IS NOT NULL'
                     WHEN few IS NULL THEN 'dblp_facts d JOIN %I v ON v.id = d.id WHERE v.%I IS NOT NULL AND %s'
                     ELSE 'unnest($4) f (id) JOIN %I v ON v.id = f.id WHERE v.%I IS NOT NULL' END,
                relation, column_name, condition);
        ELSE
            -- A subquery on the row: the planner cannot turn it into a join, which would lose the order of the index.
            -- The condition is in its WHERE, where the planner looks up the row in other tables; in its SELECT list it
            -- would first hash all their rows that match.
            source_sql := source_sql || format(' AND (SELECT true FROM dblp_facts d WHERE d.id = %s AND %s)',
                CASE knn.field WHEN 'passage' THEN '(SELECT p.doc FROM dblp_passages p WHERE p.id = v.id)'
                     ELSE 'v.id' END, condition);
        END IF;
    END IF;

    -- SET on the function would work as well, but only a superuser could create such a function.
    before := CASE WHEN condition IS NULL THEN vector_effort(walked.kind, coalesce(knn.effort, walked.effort), knn.k)
                   ELSE vector_effort(walked.kind, 2 * coalesce(knn.effort, walked.effort),
                                      5 * least(knn.k, 10000)) END;
    fetched := least(2147483647, CASE WHEN walked.kind = 'diskann'
                                      THEN knn.k::bigint * CASE WHEN condition IS NULL THEN 3 ELSE 8 END
                                      WHEN walked.bits THEN 500 + 20 * knn.k::bigint
                                      WHEN walked.halfvec THEN knn.k + 10 + knn.k / 10 ELSE knn.k END);
    IF walked.kind IS NOT NULL THEN
        PERFORM set_everywhere('{"enable_seqscan": "off"}');
        before := before || '{"enable_seqscan": "on"}';
    ELSIF condition IS NULL THEN
        PERFORM set_config('enable_indexscan', 'off', true);
    END IF;
    FOR attempt IN 1..2 LOOP
        -- After an index search the rows are not sorted, but the planner assumes so: + 0 makes it sort them.
        EXECUTE format(
            $sql$SELECT array_agg(n.id ORDER BY n.distance + 0), array_agg(n.distance ORDER BY n.distance + 0)
                   FROM (SELECT v.id, %1$s AS distance FROM %2$s ORDER BY %3$s FETCH FIRST $3 ROWS %4$s) n$sql$,
            distance_sql, source_sql, order_sql, CASE WHEN walked.bits THEN 'ONLY' ELSE 'WITH TIES' END)
           INTO docs, distances USING knn.filter, knn.query, fetched, few;
        -- The scan of a graph may not reach all rows; a scan of lists does.
        EXIT WHEN walked.kind IS NULL OR walked.kind = 'ivfflat' OR cardinality(docs) >= knn.k;
        PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_indexscan', 'off', true);
        order_sql := format('(%s) + 0', distance_sql);
        walked := NULL;
    END LOOP;
    IF before <> '{}' THEN
        PERFORM set_everywhere(before);
    END IF;
    -- docno is read only for documents of equal distance.
    few := ARRAY(SELECT u.doc FROM unnest(docs, distances) WITH ORDINALITY u (doc, distance, place)
                  WHERE u.distance IN (distances[u.place - 1], distances[u.place + 1]) AND knn.field <> 'passage');
    IF few <> '{}' THEN
        names := docnos(few);
    END IF;
    RETURN QUERY
    SELECT u.doc, u.distance,
           (row_number() OVER (ORDER BY u.distance, t.docno COLLATE "C" DESC, u.doc DESC))::integer
      FROM unnest(docs, distances) u (doc, distance) LEFT JOIN unnest(few, names) t (id, docno) ON t.id = u.doc
     ORDER BY 3 LIMIT knn.k;
END
$$;
COMMENT ON FUNCTION public.knn(vector, integer, text, text, jsonb, integer) IS
'The k documents nearest to a vector by negative inner product, nearest first; filter restricts the documents';

-- The same for a vector written as a quoted literal; raises IR202 for words.
CREATE OR REPLACE FUNCTION public.knn(
    query text, k integer DEFAULT 100, field text DEFAULT 'title', model text DEFAULT NULL, filter jsonb DEFAULT NULL,
    effort integer DEFAULT NULL
)
RETURNS TABLE (doc bigint, distance double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT s.doc, s.distance, s.rank
      FROM knn(
             typed_vector(knn.query, 'knn'), knn.k, knn.field, knn.model, knn.filter, knn.effort) s;
END
$$;
COMMENT ON FUNCTION public.knn(text, integer, text, text, jsonb, integer) IS
'knn for a vector written as a quoted literal; raises IR202 for words, which embed_query converts';
