-- query_set: the queries of an edition that belong to a set: those it judges, and of these
--
--   all          every one
--   human        those that people asked; or another origin of st1_queries: t5, gpt-4, …
--   synthetic    those of any other origin than human
--   a+b          those of a and of b
--
-- Raises IR102 no such edition, IR202 an origin that none of its queries has, with those there are.
CREATE OR REPLACE FUNCTION query_set(edition text, which text DEFAULT 'all') RETURNS integer[]
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp AS $$
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
            MESSAGE = format('edition %s judges no queries of the origin %s', query_set.edition,
                             coalesce(quote_literal(wrong), 'NULL')),
            HINT = format('It has %s; all and synthetic are names for several, a+b is both.',
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
'The judged queries of an edition by origin: all, human, synthetic, t5, gpt-4, a+b';
