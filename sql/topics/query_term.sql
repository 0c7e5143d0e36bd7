-- query_term: the queries that one term of an expression (query_set) names.
--
--   ids         st1_queries.id; empty if the term names nothing, NULL if it is a stored set
--   expression  expression of the stored set with this name
--
-- A term is the first of: the name of a query, a stored set, origin:…, type:…, topic:…, all, synthetic (every origin
-- but human), an origin, a type, or a pattern of query names. * matches any characters.
CREATE OR REPLACE FUNCTION query_term(term text, OUT ids integer[], OUT expression text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    kind CONSTANT text := substring(query_term.term FROM '^(origin|type|topic):');
    name CONSTANT text := ltrim(substr(query_term.term, coalesce(length(kind) + 2, 1)));
    pattern CONSTANT text := replace(regexp_replace(name, '([\\%_])', '\\\1', 'g'), '*', '%');
BEGIN
    ids := ARRAY(SELECT q.id FROM st1_queries q WHERE q.query = query_term.term COLLATE "C");
    IF ids <> '{}' THEN
        RETURN;
    END IF;
    SELECT NULL, s.expression INTO ids, expression FROM query_sets s WHERE s.name = query_term.term COLLATE "C";
    IF FOUND THEN
        RETURN;
    END IF;
    IF kind IS NULL AND name IN ('all', 'synthetic') THEN
        ids := ARRAY(SELECT q.id FROM st1_queries q WHERE name = 'all' OR q.origin <> 'human');
        RETURN;
    END IF;
    IF kind = 'topic' THEN
        ids := ARRAY(SELECT q.id FROM st1_queries q JOIN st1_topics t ON t.id = q.topic WHERE t.topic LIKE pattern);
    ELSIF kind = 'origin' OR (kind IS NULL AND strpos(name, '*') = 0) THEN
        ids := ARRAY(SELECT q.id FROM st1_queries q WHERE q.origin LIKE pattern);
    ELSIF kind IS NULL THEN
        ids := ARRAY(SELECT q.id FROM st1_queries q WHERE q.query LIKE pattern);
    END IF;
    IF kind = 'type' OR (kind IS NULL AND ids = '{}' AND name = ANY (query_types())) THEN
        ids := CASE WHEN name = 'long' THEN ARRAY(SELECT l.id FROM long_queries() l)
                    ELSE ARRAY(SELECT q.id FROM st1_queries q WHERE query_type(q.text) LIKE pattern) END;
    END IF;
END
$$;
COMMENT ON FUNCTION query_term(text) IS
    'Queries that one term of a set names: a query, origin, type, topic or pattern; for a stored set its expression';
