-- query_set: ids of the judged queries of an edition that belong to a set, ordered by query name.
--
--   all          all judged queries
--   human        queries written by people; likewise any other origin in st1_queries: t5, gpt-4, …
--   synthetic    queries of any origin except human
--   a+b          queries of a and of b
--
-- Raises IR102 no such edition, IR202 an origin that none of its queries has.
CREATE OR REPLACE FUNCTION query_set(edition text, which text DEFAULT 'all') RETURNS integer[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
DECLARE
    judged CONSTANT integer[] := (evaluation_keys('{}', query_set.edition, '{1}')).query_ids;
    origins CONSTANT text[] := ARRAY(SELECT DISTINCT q.origin FROM st1_queries q WHERE q.id = ANY (judged)
                                      ORDER BY q.origin);
    names CONSTANT text[] := string_to_array(query_set.which, '+');
    wrong text;
BEGIN
    SELECT n.name INTO wrong FROM unnest(coalesce(names, '{NULL}')) n (name)
     WHERE n.name IS NULL OR n.name NOT IN ('all', 'synthetic') AND n.name <> ALL (origins) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('edition %s has no judged queries of origin %s', query_set.edition,
                             coalesce(quote_literal(wrong), 'NULL')),
            HINT = format('Available origins: %s. all and synthetic select several; combine origins as a+b.',
                          array_to_string(origins, ', '));
    END IF;
    RETURN ARRAY(
        SELECT q.id FROM st1_queries q
         WHERE q.id = ANY (judged)
           AND ('all' = ANY (names) OR q.origin = ANY (names) OR 'synthetic' = ANY (names) AND q.origin <> 'human')
         ORDER BY q.query COLLATE "C");
END
$$;
COMMENT ON FUNCTION query_set(text, text) IS
    'Ids of the judged queries of an edition in a set: all, human, synthetic, an origin such as t5, or a '
    'combination a+b';
