-- lucene_text: convert a node of a Lucene query (see lucene_search) to a tsquery of the text index's configuration;
-- NULL if it is not only about text. An empty tsquery means that the node has no word that counts (only stop words),
-- and is dropped.
CREATE OR REPLACE FUNCTION lucene_text(node jsonb)
RETURNS tsquery
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning  -- suppresses the notice "contains only stop words"
AS $$
DECLARE
    must tsquery := '';
    should tsquery := '';
    must_not tsquery := '';
    part record;
    made tsquery;
BEGIN
    IF lucene_text.node ? 'text' THEN
        IF coalesce(lucene_text.node ->> 'field', 'content') NOT IN ('content', 'title', 'abstract') THEN
            RETURN NULL;
        END IF;
        PERFORM check_text_major();
        RETURN piece_query(text_config(),
                           CASE lucene_text.node ->> 'kind' WHEN 'prefix' THEN 'prefix' ELSE 'phrase' END,
                           lucene_text.node ->> 'field', lucene_text.node ->> 'text', text_words())::tsquery;
    ELSIF NOT lucene_text.node ?| '{must,filter,should,must_not}' THEN
        RETURN NULL;
    END IF;
    FOR part IN SELECT k.key, c.value
                  FROM unnest('{must,filter,should,must_not}'::text[]) k (key),
                       jsonb_array_elements(lucene_text.node -> k.key) c (value)
    LOOP
        made := lucene_text(part.value);
        IF made IS NULL THEN
            RETURN NULL;
        END IF;
        CASE part.key
            WHEN 'should' THEN should := should || made;
            WHEN 'must_not' THEN must_not := must_not || made;
            ELSE must := must && made;
        END CASE;
    END LOOP;
    IF numnode(must) = 0 OR (lucene_text.node -> 'minimum')::integer > 0 THEN
        must := must && should;
    END IF;
    RETURN CASE WHEN numnode(must_not) > 0 THEN must && !! must_not ELSE must END;
END
$$;
COMMENT ON FUNCTION lucene_text(jsonb) IS
'Part of lucene_search: convert a node to a tsquery; NULL if it is not only about text';
