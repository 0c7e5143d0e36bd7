-- knn_among: knn, with the documents that match the filter if the caller knows them. It also searches title_only: the
-- titles of documents that have no vector of the abstract, by their own index; without it by the index of all titles,
-- and exactly if they are few (titles_indexed).
--
-- matching: as returned by filter_matching; NULL if the caller does not know it.
CREATE OR REPLACE FUNCTION knn_among(
    query vector, k integer DEFAULT 100, field text DEFAULT 'title', model text DEFAULT NULL, filter jsonb DEFAULT NULL,
    effort integer DEFAULT NULL, matching bigint[] DEFAULT NULL
)
RETURNS TABLE (doc bigint, distance double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
SET enable_seqscan = on
SET enable_indexscan = on
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(knn_among.model, sparse => NULL);
    column_name name := vector_column(knn_among.field);
    sparse CONSTANT boolean := space.storage = 'sparsevec';
    query_sql CONSTANT text := CASE WHEN sparse THEN '$5' ELSE vector_compared('$2', space) END;
    terms sparsevec;
    has_vector text := vector_rows(knn_among.field);
    relation name := vector_relation(space, knn_among.field);
    condition text := CASE WHEN knn_among.filter IS NOT NULL THEN filter_condition(knn_among.filter) END;
    most bigint;
    matched bigint;
    few bigint[];
    candidate_sql text;
    walked vector_indexes;
    distance_sql text;
    order_sql text;
    source_sql text;
    complete boolean := false;
    wanted_effort integer;
    fetched integer;
    before jsonb;
    docs bigint[];
    distances double precision[];
    names text[];
BEGIN
    IF knn_among.k IS NULL OR knn_among.k < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('k is %s', coalesce(knn_among.k::text, 'NULL')), HINT = 'k must be 1 or more.';
    END IF;
    PERFORM check_effort(knn_among.effort);
    IF sparse AND knn_among.query IS NOT NULL THEN
        terms := sparse_vector(knn_among.query, space.dim);  -- checks it, too
    ELSE
        PERFORM check_query_vector(knn_among.query, space);
    END IF;

    IF knn_among.effort IS DISTINCT FROM 0 THEN
        SELECT * INTO walked FROM vector_indexes i
         WHERE i.model = space.model
           AND (i.field = knn_among.field COLLATE "C"
                OR knn_among.field = 'title_only' AND i.field = 'title' AND titles_indexed(titles_only(relation)))
           AND to_regclass(quote_ident(vector_index_name(relation, i.field, i.kind))) IS NOT NULL
           -- The document of a passage that an index returns cannot be looked up on another server.
           AND NOT (condition IS NOT NULL AND knn_among.field = 'passage' AND NOT documents_here())
         ORDER BY i.field = knn_among.field COLLATE "C" DESC LIMIT 1;
    END IF;
    walked.idf := NULL;  -- large: impact_nearest reads it
    IF walked.kind = 'impact' THEN
        SELECT n.docs, n.distances, n.complete INTO docs, distances, complete
          FROM impact_nearest(knn_among.query, terms, knn_among.k, walked, relation,
                              coalesce(knn_among.effort, walked.effort), knn_among.filter, condition,
                              knn_among.matching) n;
        walked := NULL;
    END IF;
    distance_sql := format('v.%I <#> %s', column_name, query_sql);
    order_sql := CASE WHEN walked.kind IS NULL THEN format('(%s) + 0', distance_sql)  -- keeps the planner from an index
                      ELSE vector_order('v.' || quote_ident(column_name), query_sql, space.dim, walked) END;
    source_sql := format('%I v WHERE %s', relation, has_vector);
    IF condition IS NOT NULL AND walked.kind IS NULL THEN
        source_sql := format(
            CASE knn_among.field WHEN 'passage' THEN 'dblp_facts d JOIN dblp_passages p ON p.doc = d.id '
                                                     'JOIN %I v ON v.id = p.id'
                           ELSE 'dblp_facts d JOIN %I v ON v.id = d.id' END || ' WHERE %s AND %s',
            relation, has_vector, condition);
    ELSIF condition IS NOT NULL THEN
        SELECT filter_few(knn_among.k, CASE WHEN c.reltuples > 0 THEN c.reltuples ELSE walked.rows END) INTO most
          FROM pg_class c
         WHERE c.oid = to_regclass(quote_ident(relation));
        IF walked.kind = 'ivfflat' THEN
            most := least(50000, most + walked.rows * coalesce(knn_among.effort, walked.effort) / walked.lists);
        END IF;
        few := coalesce(knn_among.matching, filter_matching(knn_among.filter, knn_among.k, most));
        matched := CASE WHEN few IS NULL THEN filter_matched(knn_among.filter, condition, walked.rows)
                        WHEN few = '{NULL}' THEN most + 1 ELSE cardinality(few) END;
        few := nullif(few, '{NULL}');
        candidate_sql := CASE knn_among.field
            WHEN 'passage' THEN '(SELECT p.doc FROM dblp_passages p WHERE p.id = v.id)' ELSE 'v.id' END;
        IF matched = 0 THEN
            RETURN;
        ELSIF matched <= most THEN
            walked := NULL;
            order_sql := format('(%s) + 0', distance_sql);
            -- (SELECT …): the planner would otherwise estimate = ANY for each element of a long array.
            source_sql := format(
                CASE WHEN knn_among.field = 'passage' THEN 'unnest($4) f (id) JOIN dblp_passages p ON p.doc = f.id '
                                                           'JOIN %I v ON v.id = p.id WHERE %s'
                     WHEN few IS NULL THEN 'dblp_facts d JOIN %I v ON v.id = d.id WHERE %s AND %s'
                     ELSE '%I v WHERE v.id = ANY ((SELECT $4)::bigint[]) AND %s' END,
                relation, has_vector, condition);
        ELSIF few IS NOT NULL THEN
            -- CASE, for the same reason.
            source_sql := source_sql || format(' AND CASE WHEN %s = ANY ($4) THEN true END', candidate_sql);
        ELSE
            -- A subquery on the row: the planner cannot turn it into a join, which would lose the order of the index.
            -- The condition is in its WHERE, where the planner looks up the row in other tables; in its SELECT list it
            -- would first hash all their rows that match.
            source_sql := source_sql || format(' AND (SELECT true FROM dblp_facts d WHERE d.id = %s AND %s)',
                                               candidate_sql, condition);
        END IF;
    END IF;

    wanted_effort := coalesce(knn_among.effort, walked.effort) * CASE WHEN condition IS NULL THEN 1 ELSE 2 END;
    IF walked.field = knn_among.field COLLATE "C" THEN
        SELECT * INTO docs, distances, complete
          FROM knn_elsewhere(knn_among.query, knn_among.k, walked, space, relation, wanted_effort, knn_among.filter,
                             condition);
    END IF;
    -- SET on the function would work as well, but only a superuser could create such a function.
    before := CASE WHEN complete THEN '{}'
                   ELSE vector_effort(walked.kind, wanted_effort,
                                      CASE WHEN condition IS NULL THEN knn_among.k
                                           ELSE 5 * least(knn_among.k, 10000) END) END;
    fetched := vector_fetched(walked, space.storage, knn_among.k, condition IS NOT NULL);
    IF walked.kind IS NOT NULL AND NOT complete THEN
        PERFORM set_everywhere('{"enable_seqscan": "off"}');
        before := before || '{"enable_seqscan": "on"}';
    ELSIF walked.kind IS NULL AND condition IS NULL AND NOT complete THEN
        PERFORM set_config('enable_indexscan', 'off', true);
    END IF;
    IF sparse AND (walked.kind IS NOT NULL OR NOT documents_here()) THEN
        source_sql := source_sql || format(' AND %s < 0', distance_sql);
    END IF;
    FOR attempt IN 1..2 LOOP
        EXIT WHEN complete;
        -- Documents without a common term are not near. OFFSET: each distance is computed once; other servers would
        -- send all of them.
        IF sparse AND walked.kind IS NULL AND documents_here() THEN
            source_sql := format('(SELECT v.id, %s AS distance FROM %s OFFSET 0) v WHERE v.distance < 0', distance_sql,
                                 source_sql);
            distance_sql := 'v.distance';
            order_sql := distance_sql;
        END IF;
        -- After an index search the rows are not sorted, but the planner assumes so: + 0 makes it sort them.
        EXECUTE format(
            $sql$SELECT array_agg(n.id ORDER BY n.distance + 0), array_agg(n.distance ORDER BY n.distance + 0)
                   FROM (SELECT v.id, %1$s AS distance FROM %2$s ORDER BY %3$s FETCH FIRST $3 ROWS %4$s) n$sql$,
            distance_sql, source_sql, order_sql, CASE WHEN walked.bits THEN 'ONLY' ELSE 'WITH TIES' END)
           INTO docs, distances USING knn_among.filter, knn_among.query, fetched, few, terms;
        -- The scan of a graph may not reach all rows; a scan of lists does.
        EXIT WHEN walked.kind IS NULL OR walked.kind = 'ivfflat' OR cardinality(docs) >= knn_among.k;
        PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_indexscan', 'off', true);
        order_sql := format('(%s) + 0', distance_sql);
        walked := NULL;
    END LOOP;
    IF before <> '{}' THEN
        PERFORM set_everywhere(before);
    END IF;
    -- docno is read only for documents of equal distance.
    few := ARRAY(SELECT u.doc FROM unnest(docs, distances) WITH ORDINALITY u (doc, distance, place)
                  WHERE u.distance IN (distances[u.place - 1], distances[u.place + 1])
                    AND knn_among.field <> 'passage');
    IF few <> '{}' THEN
        names := docnos(few);
    END IF;
    RETURN QUERY
    SELECT u.doc, u.distance,
           (row_number() OVER (ORDER BY u.distance, t.docno COLLATE "C" DESC, u.doc DESC))::integer
      FROM unnest(docs, distances) u (doc, distance) LEFT JOIN unnest(few, names) t (id, docno) ON t.id = u.doc
     ORDER BY 3 LIMIT knn_among.k;
END
$$;
COMMENT ON FUNCTION knn_among(vector, integer, text, text, jsonb, integer, bigint[]) IS
'Part of knn: the search, with the documents that match the filter if they are known';
