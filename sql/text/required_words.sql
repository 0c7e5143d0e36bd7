-- required_words: a text whose words are required, for plainto_tsquery: the parts of words with slashes, if the
-- collection separates them (text_words). If a part is a stop word, the whole is required too: I/O is more than o.
CREATE OR REPLACE FUNCTION required_words(config regconfig, content text, words text DEFAULT text_words())
RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning  -- suppresses the notice "contains only stop words"
AS $$
DECLARE
    parts text := required_words.content;
    compound text;
BEGIN
    IF required_words.words = 'split' THEN
        parts := split_words(required_words.content);
        FOREACH compound IN ARRAY string_to_array(
            substr(split_words(required_words.content, true), length(parts) + 2), ' ') LOOP
            IF numnode(phraseto_tsquery(config, replace(compound, '/', ' '))) < 2 * regexp_count(compound, '/') + 1 THEN
                parts := concat(parts, ' ', compound);
            END IF;
        END LOOP;
    END IF;
    RETURN parts;
END
$$;
COMMENT ON FUNCTION required_words(regconfig, text, text) IS
'A text whose words are required, as the collection separates words';
