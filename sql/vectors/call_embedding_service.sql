-- call_embedding_service: request the vector of a query from the embedding service at stc_settings.embedding_url, with
-- one POST to /v1/embeddings in OpenAI's format. embed_query calls it. It runs with the rights of its caller, who needs
-- EXECUTE on the functions of pgsql-http.
--
-- The request states how the model's stored vectors were computed (recipe). The service returns it if it embeds in this
-- way, and otherwise refuses with status 409. Other services, which ignore it, are used for models without a prefix.
--
-- The call may take stc_settings.embedding_timeout_ms (default 5,000), of which connecting may take 1,000.
-- statement_timeout and a cancel end it earlier.
--
-- pgsql-http reads curl's options, including a proxy, from settings that any role can SET, and follows redirects.
-- Therefore all options are emptied during the call, and the service is set as its own proxy: every request, including
-- one after a redirect, goes to that host and port. A response after a redirect is refused.
--
-- Raises IR202 an invalid setting, IR404 no pgsql-http, IR405 no service is set, IR406 the service does not answer,
-- returns an error, or returns something that is not a vector of the model.
CREATE OR REPLACE FUNCTION call_embedding_service(query text, space vector_models)
RETURNS vector
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    wanted jsonb := (SELECT coalesce(jsonb_object_agg(s.name, s.value), '{}') FROM stc_settings s
                      WHERE s.name LIKE 'embedding\_%');
    patience text := coalesce(wanted ->> 'embedding_timeout_ms', '5000');
    address text;
    web name := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
                  WHERE e.extname = 'http');
    options jsonb;
    before jsonb;
    status integer;
    redirected boolean;
    body bytea;
    answer jsonb;
    said text;
    made vector;
    recipe CONSTANT jsonb := jsonb_build_object('model', space.model, 'dim', space.dim, 'revision', space.revision,
        'query_prefix', space.query_prefix, 'passage_prefix', space.passage_prefix, 'pooling', space.pooling,
        'max_tokens', space.max_tokens);
BEGIN
    IF wanted -> 'embedding_url' IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('no vector of the query %L by %s is stored', left(call_embedding_service.query, 80),
                             space.model),
            HINT = 'Run ''stc vectors embed'' for queries of the topics, or ''stc serve embeddings'' to embed any '
                   'other.';
    ELSIF patience !~ '^[1-9][0-9]{0,5}$' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('embedding_timeout_ms is %L in stc_settings', patience),
            HINT = 'Set it to 1 to 999,999 milliseconds.';
    END IF;
    address := embedding_address(wanted ->> 'embedding_url');
    IF web IS NOT NULL THEN
        -- This also loads the library, which defines its settings.
        EXECUTE format('SELECT coalesce(jsonb_object_agg(lower(''http.'' || o.curlopt), ''''), ''{}'') FROM '
                       '%I.http_list_curlopt() o', web)
           INTO options;
    END IF;
    IF web IS NULL OR current_setting('http.curlopt_proxy', true) IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR404',
            MESSAGE = 'the extension http 1.7 (pgsql-http) is not in this database',
            HINT = '''stc serve embeddings'' creates it if the server provides it and the role is allowed to.';
    END IF;
    options := options || jsonb_build_object(
        'http.curlopt_proxy', substring(address FROM '^http://[^/]+'),
        'http.curlopt_timeout_ms', patience, 'http.curlopt_connecttimeout_ms', least(patience::integer, 1000)::text,
        'http.timeout_msec', '', 'http.keepalive', 'off');
    before := (SELECT jsonb_object_agg(o.key, nullif(current_setting(o.key, true), '')) FROM jsonb_each(options) o);
    BEGIN
        PERFORM set_config(o.key, o.value, true) FROM jsonb_each_text(options) o;
        -- As bytes: pgsql-http does not check the encoding.
        EXECUTE format(
            $sql$SELECT a.status, %1$I.text_to_bytea(a.content),
                   EXISTS (SELECT FROM unnest(a.headers) h WHERE h.field ILIKE 'location')
                   FROM %1$I.http(('POST', $1, NULL, 'application/json', $2)::%1$I.http_request) a$sql$, web)
           INTO status, body, redirected
          USING address || '/v1/embeddings',
                jsonb_build_object('model', space.name, 'input', call_embedding_service.query, 'input_type', 'query',
                                   'encoding_format', 'float', 'recipe', recipe)::text;
        PERFORM set_config(b.key, b.value, true) FROM jsonb_each_text(before) b;
    EXCEPTION
        WHEN insufficient_privilege THEN
            RAISE;
        WHEN OTHERS THEN  -- does not include a cancel
            RAISE EXCEPTION USING ERRCODE = 'IR406',
                MESSAGE = format('the embedding service at %s does not answer: %s', address, SQLERRM),
                HINT = '''stc serve embeddings'' starts it; embedding_timeout_ms in stc_settings is its time limit.';
    END;
    BEGIN
        answer := convert_from(body, 'UTF8')::jsonb;
        IF status = 200 AND NOT redirected AND jsonb_array_length(answer -> 'data') = 1 THEN
            -- pgvector reads a JSON array; it refuses NaN and infinity
            made := (answer #>> '{data,0,embedding}')::vector;
        END IF;
        said := left(answer #>> '{error,message}', 200);
    EXCEPTION WHEN OTHERS THEN
        answer := NULL;
    END;
    IF redirected OR status BETWEEN 300 AND 399 THEN
        said := 'a redirect, which is not followed';
    ELSIF status <> 200 THEN
        said := format('status %s%s', status, ': ' || said);
    ELSIF made IS NULL THEN
        said := 'something that is not an embedding';
    ELSIF vector_dims(made) <> space.dim AND space.storage <> 'sparsevec' THEN
        said := format('a vector of %s, but those of %s have %s', counted(vector_dims(made), 'dimension'),
                       space.model, space.dim);
    ELSIF space.query_prefix <> '' AND answer -> 'recipe' IS DISTINCT FROM recipe THEN
        said := format('a vector, but does not confirm the prefix %L of queries', space.query_prefix);
    ELSIF vector_norm(made) = 0 AND space.storage <> 'sparsevec' THEN
        said := 'a vector of zeros';
    ELSE
        PERFORM check_query_vector(made, space);
        RETURN made;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'IR406', MESSAGE = format('the embedding service at %s returned %s', address, said),
        HINT = CASE status WHEN 503 THEN 'It is busy or starting: try again.'
                           WHEN 404 THEN format('''stc serve embeddings --model %s'' serves that model.', space.model)
                           WHEN 409 THEN format('Restart the service, which reads how vectors are computed from the '
                                                'collection: ''stc serve embeddings --model %s''.', space.model)
                           ELSE 'Check that ''stc serve embeddings'' listens there, or set another address with CALL '
                               'connect_embedding_service(…).' END;
END
$$;
COMMENT ON FUNCTION call_embedding_service(text, vector_models) IS
'Part of embed_query: request the vector of a query from the service at stc_settings.embedding_url';
