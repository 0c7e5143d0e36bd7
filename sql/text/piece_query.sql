-- piece_query: convert one piece of a query (query_pieces) to the text of a tsquery; empty if the piece has no word.
--
-- A prefix is converted to lower case but not stemmed, and also matches the word itself: comput* finds computer and
-- computing; computing* finds everything that the word computing finds, and longer words. (The index contains stems:
-- computing* as a plain prefix would find nothing, and its stem comput* would find too much.) In a prefix, all signs
-- except hyphens become blanks, and everything before the last blank is treated as words.
--
-- field: title (weight A of the tsvector) or abstract (weight B). separation: as text_words returns it; the parts of
-- client/server are then a phrase.
CREATE OR REPLACE FUNCTION piece_query(config regconfig, kind text, field text, body text, separation text)
RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning  -- suppresses the notice "contains only stop words"
AS $$
DECLARE
    label CONSTANT text := CASE piece_query.field WHEN 'title' THEN 'A' WHEN 'abstract' THEN 'B' ELSE '' END;
    words text := indexed_words(piece_query.body, separation, false);
    required CONSTANT text := required_words(piece_query.config, piece_query.body, separation);
    stem text;
    made text;
BEGIN
    IF piece_query.kind = 'prefix' THEN
        words := regexp_replace(words, '\*+[^[:alnum:]*]*$', '');
        words := btrim(regexp_replace(words, '[^[:alnum:]-]+', ' ', 'g'));
        stem := substring(words FROM '\S+$');
        words := left(words, -length(stem));
        made := phraseto_tsquery(piece_query.config, stem)::text;
        -- A lexeme has at most 2,046 bytes.
        IF octet_length(stem) <= 2046 THEN
            made := concat_ws(' | ', nullif(made, ''), '''' || lower(stem) || ''':*');
        END IF;
        made := concat_ws(' & ', nullif(plainto_tsquery(piece_query.config, words)::text, ''),
                          '(' || nullif(made, '') || ')');
    ELSIF piece_query.kind IN ('phrase', 'compound') AND (piece_query.body ~ '\S\s+\S' OR required = words) THEN
        made := phraseto_tsquery(piece_query.config, words)::text;
    ELSE
        made := plainto_tsquery(piece_query.config, required)::text;
    END IF;
    IF label <> '' THEN
        -- In the text of a tsquery a quote within a lexeme is doubled.
        made := regexp_replace(made, '(''(?:[^'']|'''')*'')(?::(\*))?', '\1:\2' || label, 'g');
    END IF;
    RETURN made;
END
$$;
COMMENT ON FUNCTION piece_query(regconfig, text, text, text, text) IS
'Convert one piece of a query to the text of a tsquery; empty if the piece has no word';
