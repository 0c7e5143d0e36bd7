-- own_search: the k best documents of a query by a system that users added. Arguments as in system_search.
--
-- The function of the system runs with the rights of the caller, in a subtransaction that is rolled back: its changes
-- to rows and to settings of the session do not outlast the search, because others may use the connection next.
-- Its rows are ranked again, by score descending, equal scores by docno descending ("C"), and limited to k.
-- Raises the errors of own_system, IR107 no such system, IR202 a filter for a function that takes none, or rows that
-- are no ranking: a NULL, a document twice, or an unknown document.
CREATE OR REPLACE FUNCTION own_search(
    system text, query text, k integer, query_vector vector, filter jsonb, model text
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    known CONSTANT record := own_system(own_search.system);
    asked vector := own_search.query_vector;
    docs bigint[];
    scores double precision[];
    searched boolean := false;
    wrong text;
BEGIN
    PERFORM check_k(own_search.k);
    IF known.call IS NULL THEN
        PERFORM check_system_name(own_search.system);
    ELSIF own_search.filter <> '{}' AND NOT known.filter THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the system %s takes no filter', own_search.system),
            HINT = 'Search without a filter, or give its function an argument of type jsonb.';
    ELSIF known.vector AND asked IS NULL AND known.stages IS NULL THEN
        asked := embed_query(own_search.query, own_search.model);
    END IF;
    BEGIN
        EXECUTE format('SELECT array_agg(r.doc::bigint), array_agg(r.score::double precision) FROM %s r', known.call)
           INTO docs, scores
          USING own_search.query, own_search.k, asked, own_search.filter, own_search.model;
        searched := true;
        RAISE transaction_rollback;
    EXCEPTION WHEN transaction_rollback THEN
        IF NOT searched THEN
            RAISE;  -- an error of the function
        END IF;
    END;
    SELECT CASE WHEN u.doc IS NULL OR bool_or(u.score IS NULL OR u.score = 'NaN') THEN 'a row without doc or score'
                WHEN count(*) > 1 THEN format('the document %s twice', u.doc)
                ELSE format('the document %s, which does not exist', u.doc) END INTO wrong
      FROM unnest(docs, scores) u (doc, score)
     GROUP BY u.doc
    HAVING u.doc IS NULL OR bool_or(u.score IS NULL OR u.score = 'NaN') OR count(*) > 1
        OR u.doc <> ALL (ARRAY(SELECT d.id FROM dblp d WHERE d.id = ANY (docs)))
     LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the system %s returns %s', own_search.system, wrong),
            HINT = format('Correct the function %s: each row is a document and its score.',
                          known.routine::regprocedure);
    END IF;
    RETURN QUERY SELECT r.* FROM rank_documents(docs, scores, own_search.k) r;
END
$$;
COMMENT ON FUNCTION own_search(text, text, integer, vector, jsonb, text) IS
'The k best documents of a query by a system that users added';
