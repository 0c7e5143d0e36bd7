-- filter_docs: documents that a filter lets through (filter_condition says what it can hold): all of them, or the first
-- at_most that are met, in no order. NULL where there is none.
--
--   SELECT cardinality(filter_docs('{"year": [2015, null], "text": "privacy"}'));
--
-- Raises what filter_condition raises, and IR202 for a filter that asks for nothing.
CREATE OR REPLACE FUNCTION public.filter_docs(filter jsonb, at_most bigint DEFAULT NULL)
RETURNS bigint[]
LANGUAGE plpgsql STABLE
SET search_path = stc, public, pg_temp
SET jit = off
SET enable_seqscan = on  -- whatever bm25_search set
AS $$
DECLARE
    condition text := filter_condition(filter_docs.filter);
    docs bigint[];
BEGIN
    IF condition IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'a filter that asks for nothing',
            HINT = 'As {"year": [2015, null]}.';
    END IF;
    EXECUTE format('SELECT array_agg(f.id) FROM (SELECT d.id FROM dblp_facts d WHERE %s LIMIT $2) f', condition)
       INTO docs USING filter_docs.filter, filter_docs.at_most;
    RETURN docs;
END
$$;
COMMENT ON FUNCTION public.filter_docs(jsonb, bigint) IS 'The documents that a filter lets through';
