-- embed_query: the vector of a query text by a model: from the cache query_v, else from the embedding service ('stc
-- serve') and then cached. The cache distinguishes texts exactly. query_to_embed selects the part of the text to embed.
--
--   SELECT * FROM dense_search(embed_query('gene editing ethics'), 10, 'abstract');
--
-- The roles of the collection can call it. With its owner's rights it reads query_v and calls the service whose address
-- the owner has set (connect_embedding_service). A vector is not cached in a read-only transaction or on a hot standby,
-- nor while another transaction is caching one in the same of 256 buckets. Callers therefore never wait for another
-- open transaction, and a transaction with many queries does not take more locks.
--
-- Safe because: text and model are data; it calls the one address that the owner has set, and what it stores is the
-- vector of that text.
--
-- Raises IR105 no such model, IR202 a blank query or one above 10,000 characters (the limit of tidy_query), IR405 no
-- vector and no service, and the errors of call_embedding_service: IR404 no pgsql-http, IR406 the service does not
-- answer in time or returns no vector.
CREATE OR REPLACE FUNCTION public.embed_query(query text, model text DEFAULT NULL)
RETURNS vector
LANGUAGE plpgsql VOLATILE SECURITY DEFINER COST 10000
SET search_path = stc_all, stc, public, pg_temp
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
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'a blank query has no vector',
            HINT = 'Enter at least one word.';
    ELSIF length(embed_query.query) > 10000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the query has %s characters', length(embed_query.query)),
            HINT = format('Use at most 10,000 characters; %s reads the first %s tokens.', space.model,
                         coalesce(space.max_tokens::text, 'few'));
    END IF;
    made := call_embedding_service(query_to_embed(embed_query.query), space);
    IF NOT current_setting('transaction_read_only')::boolean
        AND pg_try_advisory_xact_lock(hashtext('stc query_v'), hashtext(space.model || embed_query.query) & 255)
    THEN
        -- Selected from the registry: the default model is known even if it is not registered, and then no row can
        -- reference it.
        INSERT INTO query_v (model, text, v)
        SELECT m.model, embed_query.query, made FROM vector_models m WHERE m.model = space.model
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN made;
END
$$;
COMMENT ON FUNCTION public.embed_query(text, text) IS
'Vector of a query text by a model, from the cache query_v or else from the embedding service';
