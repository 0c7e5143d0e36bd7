-- query_terms: the terms of an expression (query_set) in order, each with its sign, + or -, and what it names
-- (query_term).
--
-- A term ends before a comma, +, - or the end. If it can end at several, the longest that names something is taken, so
-- that names may contain + and -. A term in double quotes ends with them.
-- Raises IR103 a term names nothing, IR202 a name or an operator is missing.
CREATE OR REPLACE FUNCTION query_terms(spec text)
RETURNS TABLE (sign text, term text, ids integer[], expression text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    blanks CONSTANT text := E' \t\r\n';
    whole CONSTANT text := btrim(query_terms.spec, blanks);
    longest CONSTANT integer := 220;  -- characters of a term: a name (is_name) with its kind
    token text;
    rest text;
    ends integer;
BEGIN
    sign := '+';
    term := whole;
    SELECT q.ids, q.expression INTO ids, expression FROM query_term(term) q;
    IF ids <> '{}' OR expression IS NOT NULL OR term = 'all' THEN
        RETURN NEXT;
        RETURN;
    END IF;
    term := NULL;  -- NULL: a term must follow
    FOR token IN SELECT m.part[1] FROM regexp_matches(whole, '"(?:[^"]|"")+"|[^,"]+|.', 'g') AS m (part) LOOP
        rest := btrim(token, blanks);
        WHILE rest <> '' LOOP
            IF term IS NOT NULL THEN
                EXIT WHEN left(rest, 1) NOT IN (',', '+', '-');
                term := NULL;
                sign := CASE WHEN rest = ',' THEN sign ELSE left(rest, 1) END;
                rest := ltrim(substr(rest, 2), blanks);
                CONTINUE;
            ELSIF rest ~ '^".+"$' THEN
                term := replace(substr(rest, 2, length(rest) - 2), '""', '"');
                SELECT q.ids, q.expression INTO ids, expression FROM query_term(term) q;
                rest := '';
            ELSE
                SELECT p.i, btrim(left(rest, p.i), blanks), q.ids, q.expression INTO ends, term, ids, expression
                  FROM generate_series(least(length(rest), longest), 1, -1) AS p (i)
                 CROSS JOIN query_term(btrim(left(rest, p.i), blanks)) q
                 WHERE substr(rest, p.i + 1, 1) IN ('', '+', '-') AND (q.ids <> '{}' OR q.expression IS NOT NULL)
                 LIMIT 1;
                IF NOT FOUND THEN
                    EXIT WHEN left(rest, 1) IN (',', '+', '-', '"');
                    -- up to an operator that a name follows, or to the end
                    SELECT btrim(left(rest, p.i - 1), blanks), '{}' INTO term, ids
                      FROM generate_series(2, least(length(rest), longest)) AS p (i)
                     CROSS JOIN query_term(btrim(substring(substr(rest, p.i + 1) FROM '^[^+-]*'), blanks)) q
                     WHERE substr(rest, p.i, 1) IN ('+', '-') AND (q.ids <> '{}' OR q.expression IS NOT NULL)
                     LIMIT 1;
                    term := coalesce(term, rest);
                    ids := '{}';
                END IF;
                rest := ltrim(substr(rest, ends + 1), blanks);
            END IF;
            IF ids = '{}' THEN
                PERFORM refuse_query_term(term);
            END IF;
            RETURN NEXT;
        END LOOP;
        EXIT WHEN rest <> '';
    END LOOP;
    IF rest <> '' OR term IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = CASE WHEN whole = '' OR whole IS NULL THEN 'the set of queries is empty'
                           ELSE format('%s is not a set of queries: %s', shown_name(whole),
                                       CASE WHEN term IS NULL THEN 'a name is missing'
                                            ELSE format('an operator is missing before %s', shown_name(rest)) END) END,
            HINT = 'Combine names with + and - or commas: all-type:long. Put a name that contains them into double '
                   'quotes.';
    END IF;
END
$$;
COMMENT ON FUNCTION query_terms(text) IS 'Terms of a set of queries in order, with their signs and queries';
