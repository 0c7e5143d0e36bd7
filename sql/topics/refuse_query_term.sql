-- refuse_query_term: raise IR103 for a term of a set of queries that names nothing, with the nearest name.
CREATE OR REPLACE FUNCTION refuse_query_term(term text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    kind CONSTANT text := substring(refuse_query_term.term FROM '^(?:origin|type|topic):');
    name CONSTANT text := ltrim(substr(refuse_query_term.term, coalesce(length(kind), 0) + 1));
    near CONSTANT text := nearest_name(name, ARRAY(
        SELECT DISTINCT n.name
          FROM (SELECT t.topic, 'topic:' FROM st1_topics t
                UNION ALL SELECT q.origin, 'origin:' FROM st1_queries q
                UNION ALL SELECT t.name, 'type:' FROM unnest(query_types()) AS t (name)
                UNION ALL SELECT s.name, NULL FROM query_sets s
                UNION ALL SELECT q.query, NULL FROM st1_queries q
                UNION ALL SELECT w.name, NULL FROM unnest('{all,synthetic}'::text[]) AS w (name)) n (name, of)
         WHERE CASE WHEN kind IS NULL THEN n.of IS DISTINCT FROM 'topic:' ELSE n.of = kind END));
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'IR103',
        MESSAGE = format('there is no query or set of queries %s', shown_name(refuse_query_term.term)),
        HINT = CASE WHEN refuse_query_term.term LIKE '@%'
                    THEN 'Only the command line and Python read files: @FILE.'
                    ELSE concat('Did you mean ' || quote_literal(coalesce(kind, '') || near) || '? ',
                                'A set is all, origin:…, type:…, topic:…, query names, or a stored set: ',
                                '''stc show sets''.') END;
END
$$;
COMMENT ON FUNCTION refuse_query_term(text) IS 'Raise IR103 for a term that names no query, with the nearest name';
