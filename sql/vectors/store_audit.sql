-- store_audit: set the default effort of an index, which searches (knn) use, with the recall of the first k documents
-- that an audit measured for it. Runs made with the index store all three in their parameters (retrieval_indexes).
-- Raises IR105 no such model, IR106 no such field, IR202 an effort out of range, IR402 no index.
CREATE OR REPLACE FUNCTION store_audit(field text, effort integer, recall double precision, k integer,
                                       model text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    space vector_models := vector_model(store_audit.model, sparse => NULL);
BEGIN
    PERFORM vector_column(store_audit.field);
    IF store_audit.effort IS NULL OR store_audit.effort NOT BETWEEN 1 AND 32768 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('effort is %s', coalesce(store_audit.effort::text, 'NULL')),
            HINT = 'Use 1 to 32,768: probes, ef_search or search_list_size.';
    END IF;
    UPDATE vector_indexes i
       SET effort = store_audit.effort, recall = store_audit.recall, recall_k = store_audit.k,
           audited = clock_timestamp()
     WHERE i.model = space.model AND i.field = store_audit.field COLLATE "C";
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR402',
            MESSAGE = format('the %s vectors of %s have no index', store_audit.field, space.model),
            HINT = format('Build one with ''stc vectors index --field %s''.', store_audit.field);
    END IF;
    PERFORM set_search_effort();
END
$$;
COMMENT ON FUNCTION store_audit(text, integer, double precision, integer, text) IS
'Set the default effort of an index, with the recall that an audit measured for it';
