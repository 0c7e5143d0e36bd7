-- lucene_count: the number of documents that match a Lucene query (see lucene_search). Counting stops at at_most; NULL
-- counts all.
-- Raises IR202 an invalid query or filter.
CREATE OR REPLACE FUNCTION lucene_count(query jsonb, at_most bigint DEFAULT NULL, filter jsonb DEFAULT NULL)
RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
DECLARE
    condition text := lucene_condition(lucene_count.query);
    n bigint;
BEGIN
    IF condition IS NULL THEN
        RETURN 0;
    END IF;
    EXECUTE format(
        'SELECT count(*) FROM (SELECT 1 FROM dblp_text t LEFT JOIN dblp_facts d ON d.id = t.id
        LEFT JOIN dblp b ON b.id = t.id
                                WHERE %s LIMIT $3) f',
        concat_ws(' AND ', '(' || condition || ')', filter_condition(lucene_count.filter)))
       INTO n USING lucene_count.filter, lucene_count.query, lucene_count.at_most;
    RETURN n;
END
$$;
COMMENT ON FUNCTION lucene_count(jsonb, bigint, jsonb) IS
'Number of documents that match a Lucene query, counted up to at_most';
