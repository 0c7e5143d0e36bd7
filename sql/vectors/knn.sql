-- knn: the k documents nearest to a vector, by the negative inner product of pgvector's <#> (minus the cosine, where both are of
-- length 1), nearest first, equal distances by docno descending as bytes.
--
-- With an index by index_vectors: its lists nearest to the query are searched, as many as its recorded probes or those given, and
-- further ones until there are k documents: fewer than k come back only where there are fewer. Without one, and with as many probes
-- as the index has lists, the search is exact, and keeps the order also at the cut. The session's own settings stay as they are.
--
-- Raises IR105 no such model, IR106 no such field, IR201 k below 1, IR202 no query or probes out of range, IR403 a query of another
-- dimension.
CREATE OR REPLACE FUNCTION knn(
    query vector, k integer DEFAULT 100, field text DEFAULT 'title', model text DEFAULT NULL, probes integer DEFAULT NULL
)
RETURNS TABLE (doc bigint, distance double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = public, pg_temp
SET jit = off
SET enable_seqscan = on
SET enable_indexscan = on
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(knn.model);
    column_name name := vector_column(knn.field);
    index_probes integer;
    -- SET on the function would do, as for the settings above; but to create such a function takes a superuser.
    before_probes text;
    before_limit text;
    before_order text;
BEGIN
    IF knn.k IS NULL OR knn.k < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('k is %s', coalesce(knn.k::text, 'NULL')), HINT = 'It is 1 or more.';
    ELSIF knn.query IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the query vector is NULL',
            HINT = 'embed_query(text) gives the vector of a query, qdblp_v_title(doc) that of a title.';
    ELSIF knn.probes NOT BETWEEN 1 AND 32768 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s probes', knn.probes), HINT = 'They are 1 to 32,768.';
    ELSIF vector_dims(knn.query) <> space.dim THEN
        RAISE EXCEPTION USING ERRCODE = 'IR403',
            MESSAGE = format('the query vector has %s dimensions, those of %s have %s',
                             vector_dims(knn.query), space.model, space.dim),
            HINT = 'Embed the query by the model of the documents.';
    END IF;

    SELECT coalesce(knn.probes, i.probes) INTO index_probes FROM vector_indexes i
     WHERE i.model = space.model AND i.field = knn.field COLLATE "C"
       AND to_regclass(quote_ident(format('%s_%s_ivfflat', space.relation, i.field))) IS NOT NULL;
    PERFORM set_config(CASE WHEN index_probes IS NULL THEN 'enable_indexscan' ELSE 'enable_seqscan' END, 'off', true);
    before_probes := current_setting('ivfflat.probes');
    before_limit := current_setting('ivfflat.max_probes');
    before_order := current_setting('ivfflat.iterative_scan');
    PERFORM set_config('ivfflat.probes', coalesce(index_probes, 1)::text, true),
            set_config('ivfflat.max_probes', '32768', true),
            set_config('ivfflat.iterative_scan', 'relaxed_order', true);
    -- Where further lists had to be searched the index scan is not in order, but the planner takes it for so: + 0 has it sort.
    -- docno is read where it decides: for documents of equal distance.
    RETURN QUERY EXECUTE format(
        $sql$SELECT o.id, o.distance, row_number() OVER (ORDER BY o.distance + 0, o.docno DESC)::integer
               FROM (SELECT n.id, n.distance, CASE WHEN n.distance IN (lag(n.distance) OVER near, lead(n.distance) OVER near)
                                                   THEN (SELECT d.docno FROM dblp d WHERE d.id = n.id) END AS docno
                       FROM (SELECT v.id, v.%1$I <#> $1 AS distance FROM %2$I v WHERE v.%1$I IS NOT NULL
                              ORDER BY v.%1$I <#> $1 FETCH FIRST $2 ROWS WITH TIES) n
                     WINDOW near AS (ORDER BY n.distance + 0)) o
              ORDER BY 3 LIMIT $2$sql$, column_name, space.relation)
    USING knn.query, knn.k;
    PERFORM set_config('ivfflat.probes', before_probes, true),
            set_config('ivfflat.max_probes', before_limit, true),
            set_config('ivfflat.iterative_scan', before_order, true);
END
$$;
COMMENT ON FUNCTION knn(vector, integer, text, text, integer) IS
'The k documents nearest to a vector by negative inner product, nearest first; by ivfflat where there is an index';
