-- store_audit: makes an effort that of an index, which searches (knn) take by default, with what an audit found there:
-- recall of the first k. A run made with the index has all three among its parameters (retrieval_indexes).
-- Raises IR105 no such model, IR106 no such field, IR202 an effort out of range, IR402 no index.
CREATE OR REPLACE FUNCTION store_audit(field text, effort integer, recall double precision, k integer,
                                       model text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql
SET search_path = stc, public, pg_temp
AS $$
DECLARE
    space vector_models := vector_model(store_audit.model);
BEGIN
    PERFORM vector_column(store_audit.field);
    IF store_audit.effort IS NULL OR store_audit.effort NOT BETWEEN 1 AND 32768 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('an effort of %s', coalesce(store_audit.effort::text, 'NULL')),
            HINT = 'It is 1 to 32,768: probes, ef_search or search_list_size.';
    END IF;
    UPDATE vector_indexes i
       SET effort = store_audit.effort, recall = store_audit.recall, recall_k = store_audit.k,
           audited = clock_timestamp()
     WHERE i.model = space.model AND i.field = store_audit.field COLLATE "C";
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR402',
            MESSAGE = format('the %s vectors of %s have no index', store_audit.field, space.model),
            HINT = format('''stc vectors index --field %s'' builds one.', store_audit.field);
    END IF;
END
$$;
COMMENT ON FUNCTION store_audit(text, integer, double precision, integer, text) IS
'Makes an effort the default of an index, with the recall that an audit found there';
