-- passage_words: the expression of the words of a passage, a row p or the row of an index, as documents are read with
-- this configuration (text_words). Searches must use the expression of the index.
CREATE OR REPLACE FUNCTION passage_words(config regconfig, prefix text DEFAULT '')
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
RETURN format(CASE text_words() WHEN 'split' THEN 'to_tsvector(%L::regconfig, stc.split_words(%stext, true))'
                   ELSE 'to_tsvector(%L::regconfig, %stext)' END, config, prefix);
COMMENT ON FUNCTION passage_words(regconfig, text) IS 'Expression of the words of a passage, as its index has it';
