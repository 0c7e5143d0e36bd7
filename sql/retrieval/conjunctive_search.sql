-- conjunctive_search: the documents that contain all words of the query, as in the published boolean run.
--
-- Every token is required, however long the query is, and operators are not read: the query is plainto_tsquery of the
-- text index's configuration, PostgreSQL's english by default, with words separated as in the texts (required_words).
-- Score and order are those of boolean_search. A query of stop words alone returns no rows. filter: only documents that
-- match it (filter_condition).
-- Raises IR201 k below 1, IR202 an invalid filter.
CREATE OR REPLACE FUNCTION conjunctive_search(query text, k integer DEFAULT 100, filter jsonb DEFAULT NULL)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning
SET jit = off
AS $$
DECLARE
    wanted tsquery := plainto_tsquery(text_config(), required_words(text_config(), conjunctive_search.query));
BEGIN
    PERFORM filter_condition(conjunctive_search.filter);  -- an invalid filter is an error for every query
    PERFORM check_k(conjunctive_search.k);
    IF numnode(wanted) = 0 THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT * FROM matching_search(wanted, conjunctive_search.k, conjunctive_search.filter);
END
$$;
COMMENT ON FUNCTION conjunctive_search(text, integer, jsonb) IS
'Documents that contain all words of a query, without operators, as in the published boolean run';
