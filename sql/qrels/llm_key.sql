-- llm_key: key of the advisory lock that a process holds on a pair while it queries a judge.
CREATE OR REPLACE FUNCTION llm_key(judge integer, query integer, doc bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN hashtextextended('stc llm ' || llm_key.judge || ' ' || llm_key.query, llm_key.doc);
COMMENT ON FUNCTION llm_key(integer, integer, bigint) IS
    'The key of the advisory lock on a pair of query and document while a judge is queried';
