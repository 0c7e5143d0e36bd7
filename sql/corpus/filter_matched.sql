-- filter_matched: about how many documents of a distributed collection match a filter, for the choice of a plan. Exact
-- for up to 200,000 documents, for a condition that reads other tables, and if fewer than 3 % match. Otherwise it is
-- estimated from the documents of every hundredth page, the same at each call, because counting half of a million
-- documents takes longer than the search.
--
-- filter, condition: the filter and its condition (filter_condition). documents: about how many there are.
CREATE OR REPLACE FUNCTION filter_matched(filter jsonb, condition text, documents bigint)
RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    seen bigint;
    matched bigint;
BEGIN
    IF filter_matched.documents > 200000 AND filter_of_facts(filter_matched.condition) THEN
        EXECUTE format(
            'SELECT count(*), count(*) FILTER (WHERE %s) FROM dblp_facts d TABLESAMPLE SYSTEM (1) REPEATABLE (1)',
            filter_matched.condition) INTO seen, matched USING filter_matched.filter;
        IF matched > 200 AND matched > 0.03 * seen THEN
            RETURN matched::double precision / seen * filter_matched.documents;
        END IF;
    END IF;
    EXECUTE format('SELECT count(*) FROM dblp_facts d WHERE %s', filter_matched.condition)
       INTO matched USING filter_matched.filter;
    RETURN matched;
END
$$;
COMMENT ON FUNCTION filter_matched(jsonb, text, bigint) IS
'About how many documents of a distributed collection match a filter, for the choice of a plan';
