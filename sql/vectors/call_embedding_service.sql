-- call_embedding_service: the vector of a query by an embedding model, from the service at stc_settings.embedding_url:
-- one POST to /v1/embeddings in the form of OpenAI's. What embed_query calls; it runs with the rights of its caller,
-- who must be allowed the functions of pgsql-http.
--
-- The whole call has stc_settings.embedding_timeout_ms (5,000 where it is not set), connecting at most 1,000 of them.
-- statement_timeout and a cancel end it earlier.
--
-- pgsql-http takes curl's options from settings that any role may SET, a proxy among them, and follows redirects. So
-- here all options that are set are emptied for the time of the call, and the service is told to be its own proxy: a
-- request, also one that a redirect asks for, goes to that host and port and nowhere else. An answer after a redirect
-- is none.
--
-- Raises IR202 a setting that cannot be used, IR404 no pgsql-http, IR405 no service is named, IR406 it does not answer,
-- answers with an error, or with what is no vector of the model.
CREATE OR REPLACE FUNCTION call_embedding_service(query text, space vector_models)
RETURNS vector
LANGUAGE plpgsql
SET search_path = stc, public, pg_temp
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
BEGIN
    IF wanted -> 'embedding_url' IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('there is no vector of the query %L by %s', left(call_embedding_service.query, 80),
                             space.model),
            HINT = 'The queries of the topics get theirs by ''stc vectors embed'', any other while ''stc serve'' runs.';
    ELSIF patience !~ '^[1-9][0-9]{0,5}$' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('embedding_timeout_ms is %L in stc_settings', patience),
            HINT = 'It is 1 to 999,999 milliseconds.';
    END IF;
    address := embedding_address(wanted ->> 'embedding_url');
    IF web IS NOT NULL THEN
        -- This loads the library too, which defines its settings then.
        EXECUTE format('SELECT coalesce(jsonb_object_agg(lower(''http.'' || o.curlopt), ''''), ''{}'') FROM '
                       '%I.http_list_curlopt() o', web)
           INTO options;
    END IF;
    IF web IS NULL OR current_setting('http.curlopt_proxy', true) IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR404',
            MESSAGE = 'the extension http 1.7 (pgsql-http) is not in this database',
            HINT = '''stc serve'' creates it where the server has it and the role may.';
    END IF;
    options := options || jsonb_build_object(
        'http.curlopt_proxy', substring(address FROM '^http://[^/]+'),
        'http.curlopt_timeout_ms', patience, 'http.curlopt_connecttimeout_ms', least(patience::integer, 1000)::text,
        'http.timeout_msec', '', 'http.keepalive', 'off');
    before := (SELECT jsonb_object_agg(o.key, nullif(current_setting(o.key, true), '')) FROM jsonb_each(options) o);
    BEGIN
        PERFORM set_config(o.key, o.value, true) FROM jsonb_each_text(options) o;
        -- The bytes: pgsql-http does not look whether they are text of this database's encoding.
        EXECUTE format(
            $sql$SELECT a.status, %1$I.text_to_bytea(a.content),
                   EXISTS (SELECT FROM unnest(a.headers) h WHERE h.field ILIKE 'location')
                   FROM %1$I.http(('POST', $1, NULL, 'application/json', $2)::%1$I.http_request) a$sql$, web)
           INTO status, body, redirected
          USING address || '/v1/embeddings',
                jsonb_build_object('model', space.name, 'input', call_embedding_service.query, 'input_type', 'query',
                                   'encoding_format', 'float')::text;
        PERFORM set_config(b.key, b.value, true) FROM jsonb_each_text(before) b;
    EXCEPTION
        WHEN insufficient_privilege THEN
            RAISE;
        WHEN OTHERS THEN  -- not a cancel
            RAISE EXCEPTION USING ERRCODE = 'IR406',
                MESSAGE = format('the embedding service at %s does not answer: %s', address, SQLERRM),
                HINT = '''stc serve'' starts it; embedding_timeout_ms in stc_settings is how long it has.';
    END;
    BEGIN
        answer := convert_from(body, 'UTF8')::jsonb;
        IF status = 200 AND NOT redirected AND jsonb_array_length(answer -> 'data') = 1 THEN
            -- an array of JSON is as pgvector reads one; refuses NaN and infinity
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
        said := 'what is no embedding';
    ELSIF vector_dims(made) <> space.dim THEN
        said := format('a vector of %s dimensions, those of %s have %s', vector_dims(made), space.model, space.dim);
    ELSIF vector_norm(made) = 0 THEN
        said := 'a vector of zeros';
    ELSE
        RETURN made;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'IR406', MESSAGE = format('the embedding service at %s answers: %s', address, said),
        HINT = CASE status WHEN 503 THEN 'It is busy or starting: try again.'
                           WHEN 404 THEN format('''stc serve --model %s'' serves that model.', space.model)
                           ELSE 'Is it ''stc serve'' that listens there? CALL connect_embedding_service(…) names '
                                'another one.' END;
END
$$;
COMMENT ON FUNCTION call_embedding_service(text, vector_models) IS
'The vector of a query from the embedding service at stc_settings.embedding_url; for embed_query';
