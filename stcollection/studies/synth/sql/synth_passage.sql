-- synth_passage: text of a document that a study uses: its abstract, or with field content its title and abstract on
-- separate lines. NULL if it contains no word.
CREATE OR REPLACE FUNCTION synth_passage(field text, title text, abstract text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT CASE WHEN p.passage COLLATE "pg_c_utf8" ~ '[[:alnum:]]' THEN p.passage END
      FROM (SELECT CASE synth_passage.field
                   WHEN 'content' THEN concat_ws(E'\n', nullif(btrim(synth_passage.title), ''),
                                                 nullif(btrim(synth_passage.abstract), ''))
                   ELSE btrim(synth_passage.abstract) END) AS p (passage)
$$;
COMMENT ON FUNCTION synth_passage(text, text, text) IS
    'The text of a document that a study of synthetic queries uses, by its field; NULL if it contains no word';
