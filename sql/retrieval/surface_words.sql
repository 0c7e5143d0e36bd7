-- surface_words: a written form of each lexeme, found in texts that contain it. A lexeme cannot always replace the word
-- in a query: universal becomes univers, and univers becomes univ.
--
-- Of the words that become a lexeme, the one that becomes no other lexeme is chosen (a hyphenated word also becomes its
-- parts), then the most frequent one in the texts. Words that start with the same two letters as the lexeme are tried
-- first, because stemming every word of the texts takes longest. A lexeme that no single word of the texts becomes has
-- no row.
CREATE OR REPLACE FUNCTION surface_words(config regconfig, lexemes text[], texts text[])
RETURNS TABLE (lexeme text, word text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning  -- suppresses the notice about words too long to be indexed
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    missing text[] := surface_words.lexemes;
    found text[];
BEGIN
    FOR attempt IN 1..2 LOOP
        found := '{}';
        FOR lexeme, word IN
            SELECT DISTINCT ON (l.lexeme) l.lexeme, l.word
              FROM (SELECT u.lexeme, s.word, s.times, count(*) OVER (PARTITION BY s.word) AS lexemes
                      FROM (SELECT lower(p.token) AS word, count(*) AS times
                              FROM unnest(surface_words.texts) x (content),
                                   ts_parse((SELECT c.cfgparser FROM pg_ts_config c WHERE c.oid = surface_words.config),
                                            x.content) p
                             WHERE attempt = 2 OR left(lower(p.token), 2)
                                 = ANY (ARRAY(SELECT left(m, 2) FROM unnest(missing) m))
                             GROUP BY lower(p.token)
                            OFFSET 0) s,
                           unnest(to_tsvector(surface_words.config, s.word)) u) l
             WHERE l.lexeme = ANY (missing)
             ORDER BY l.lexeme, l.lexemes, l.times DESC, l.word COLLATE "C"
        LOOP
            found := found || lexeme;
            RETURN NEXT;
        END LOOP;
        missing := ARRAY(SELECT m FROM unnest(missing) m WHERE m <> ALL (found));
        EXIT WHEN cardinality(missing) = 0;
    END LOOP;
END
$$;
COMMENT ON FUNCTION surface_words(regconfig, text[], text[]) IS
'Written form of each lexeme, from texts that contain it';
