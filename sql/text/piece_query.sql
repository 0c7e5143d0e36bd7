-- piece_query: one piece of a query (query_pieces) as text of a tsquery, empty where the piece names no word.
--
-- A prefix is put into lower case but not stemmed, and the word itself is among what it finds: comput* finds computer
-- and computing, computing* what computing finds and what goes on from there. (The index holds stems: computing* as a
-- mere prefix would find nothing, and a stemmed one, comput*, what nobody asked for.) In a prefix signs but hyphens are
-- blanks: what precedes the last are words.
--
-- field: title (weight A of the tsvector) or abstract (B).
CREATE OR REPLACE FUNCTION piece_query(config regconfig, kind text, field text, body text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc, public, pg_temp
SET client_min_messages = warning  -- "contains only stop words" is nothing to tell
AS $$
DECLARE
    label CONSTANT text := CASE piece_query.field WHEN 'title' THEN 'A' WHEN 'abstract' THEN 'B' ELSE '' END;
    words text := piece_query.body;
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
    ELSIF piece_query.kind IN ('phrase', 'compound') THEN
        made := phraseto_tsquery(piece_query.config, words)::text;
    ELSE
        made := plainto_tsquery(piece_query.config, words)::text;
    END IF;
    IF label <> '' THEN
        -- In the text of a tsquery a quote within a lexeme is doubled.
        made := regexp_replace(made, '(''(?:[^'']|'''')*'')(?::(\*))?', '\1:\2' || label, 'g');
    END IF;
    RETURN made;
END
$$;
COMMENT ON FUNCTION piece_query(regconfig, text, text, text) IS
'One piece of a query as text of a tsquery, empty where it names no word';
