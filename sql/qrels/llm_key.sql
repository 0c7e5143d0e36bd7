-- llm_key: the key of the advisory lock that a process holds on a pair while its judge is asked.
CREATE OR REPLACE FUNCTION llm_key(judge integer, query integer, doc bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT
RETURN hashtextextended('stc llm ' || llm_key.judge || ' ' || llm_key.query, llm_key.doc);
COMMENT ON FUNCTION llm_key(integer, integer, bigint) IS 'The key of the lock on a pair while its judge is asked';
