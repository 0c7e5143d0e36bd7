-- filter_docs: the ids of documents that match a filter (see filter_condition), in no order: all, or at most at_most.
-- NULL if no document matches.
--
--   SELECT cardinality(filter_docs('{"year": [2015, null], "text": "privacy"}'));
--
-- The cost is that of a search, so that in WHERE id = ANY (filter_docs(…)) the planner uses the index on id, which
-- needs the ids once, and not a scan, which would find them for each row.
--
-- Raises the errors of filter_condition, and IR202 for an empty filter.
CREATE OR REPLACE FUNCTION public.filter_docs(filter jsonb, at_most bigint DEFAULT NULL)
RETURNS bigint[]
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
SET enable_seqscan = on  -- bm25_search may have turned it off
AS $$
DECLARE
    condition text := filter_condition(filter_docs.filter);
    docs bigint[];
BEGIN
    IF condition IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the filter is empty',
            HINT = 'Add a key: {"year": [2015, null]}.';
    END IF;
    EXECUTE format('SELECT array_agg(f.id) FROM (SELECT d.id FROM dblp_facts d WHERE %s LIMIT $2) f', condition)
       INTO docs USING filter_docs.filter, filter_docs.at_most;
    RETURN docs;
END
$$;
COMMENT ON FUNCTION public.filter_docs(jsonb, bigint) IS
'Ids (dblp.id) of the documents that match a filter, in no order; NULL if none match';
