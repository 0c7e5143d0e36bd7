-- query_vector: part of embed_query: read the vector of a query from query_v, or request it from the embedding service
-- and cache it. It runs with the rights of its caller, who needs those of call_embedding_service and INSERT on query_v.
--
-- A vector is not cached in a read-only transaction or on a hot standby, nor while another transaction is caching one
-- in the same of 256 buckets. Callers therefore never wait for another open transaction, and a transaction with many
-- queries does not take more locks. The last vector is also kept in a setting until the end of the transaction, so that
-- a statement over many rows calls the service once even then. Any role can change the setting of its own session;
-- nothing is stored from it.
--
-- Raises IR105 no such model, IR202 a blank query or one above 10,000 characters (the limit of tidy_query), IR405 no
-- vector and no service, and the errors of call_embedding_service: IR404 no pgsql-http, IR406 the service does not
-- answer in time or returns no vector.
CREATE OR REPLACE FUNCTION query_vector(query text, model text DEFAULT NULL)
RETURNS vector
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(query_vector.model, sparse => NULL);
    made vector;
    this text;
BEGIN
    SELECT q.v INTO made FROM query_v q
     WHERE q.model = space.model AND q.digest = md5(query_vector.query) AND q.text = query_vector.query COLLATE "C";
    IF FOUND THEN
        RETURN made;
    ELSIF query_vector.query IS NULL OR query_vector.query !~ '\S' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'a blank query has no vector',
            HINT = 'Enter at least one word.';
    ELSIF length(query_vector.query) > 10000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = 'the query has ' || counted(length(query_vector.query), 'character'),
            HINT = format('Use at most 10,000 characters; %s reads the first %s.', space.model,
                          CASE WHEN space.max_tokens IS NULL THEN 'few tokens'
                               ELSE counted(space.max_tokens, 'token') END);
    END IF;
    this := space.model || E'\n' || query_vector.query;
    IF current_setting('stc.embedded_query', true) = this THEN
        RETURN current_setting('stc.embedded_vector')::vector;
    END IF;
    made := call_embedding_service(query_to_embed(query_vector.query), space);
    IF NOT current_setting('transaction_read_only')::boolean
        AND pg_try_advisory_xact_lock(hashtext('stc query_v'), hashtext(space.model || query_vector.query) & 255)
    THEN
        -- Selected from the registry: the default model is known even if it is not registered, and then no row can
        -- reference it.
        INSERT INTO query_v (model, text, v)
        SELECT m.model, query_vector.query, made FROM vector_models m WHERE m.model = space.model
        ON CONFLICT DO NOTHING;
    END IF;
    PERFORM set_config('stc.embedded_query', this, true), set_config('stc.embedded_vector', made::text, true);
    RETURN made;
END
$$;
COMMENT ON FUNCTION query_vector(text, text) IS
'Part of embed_query: read the vector of a query from the cache, or request and cache it';
