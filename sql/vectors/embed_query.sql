-- embed_query: the vector of a query text by a model: the one that is remembered in query_v, else made by the embedding
-- service ('stc serve') and then remembered. The text is taken to the letter; what of it the vector is made of says
-- query_to_embed.
--
--   SELECT * FROM dense_search(embed_query('gene editing ethics'), 10, 'abstract');
--
-- The roles of the collection may call it: it reads query_v and calls the one service that the owner has named
-- (connect_embedding_service) with its owner's rights. A vector is not remembered in a read-only transaction or a hot
-- standby, nor while another transaction is about to remember one in the same of 256 buckets: nobody waits for somebody
-- else's open transaction, and a transaction with any number of queries takes no more locks.
--
-- Safe because: text and model are data; it calls the one address that the owner has set, and what it stores is the
-- vector of that text.
--
-- Raises IR105 no such model, IR202 a blank query or one above 10,000 characters (as far as tidy_query reads), IR405 no
-- vector and no service, and what call_embedding_service raises: IR404 no pgsql-http, IR406 the service is away, slow
-- or answers nonsense.
CREATE OR REPLACE FUNCTION public.embed_query(query text, model text DEFAULT NULL)
RETURNS vector
LANGUAGE plpgsql VOLATILE SECURITY DEFINER COST 10000
SET search_path = stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(embed_query.model);
    made vector;
BEGIN
    SELECT q.v INTO made FROM query_v q
     WHERE q.model = space.model AND q.digest = md5(embed_query.query) AND q.text = embed_query.query COLLATE "C";
    IF FOUND THEN
        RETURN made;
    ELSIF embed_query.query IS NULL OR embed_query.query !~ '\S' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'a blank query has no vector', HINT = 'Give it a word.';
    ELSIF length(embed_query.query) > 10000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the query has %s characters', length(embed_query.query)),
            HINT = format('10,000 are read at most; of these %s sees the first %s tokens.', space.model,
                          coalesce(space.max_tokens::text, 'few'));
    END IF;
    made := call_embedding_service(query_to_embed(embed_query.query), space);
    IF NOT current_setting('transaction_read_only')::boolean
        AND pg_try_advisory_xact_lock(hashtext('stc query_v'), hashtext(space.model || embed_query.query) & 255)
    THEN
        -- From the registry: the default model is known also where it is not registered, and so nothing may refer to
        -- it.
        INSERT INTO query_v (model, text, v)
        SELECT m.model, embed_query.query, made FROM vector_models m WHERE m.model = space.model
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN made;
END
$$;
COMMENT ON FUNCTION public.embed_query(text, text) IS
'The vector of a query text by a model: remembered, else from the embedding service and then remembered';
