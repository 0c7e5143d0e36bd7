-- article_chunks: split an article into chunks, each of which is searched as a query (chunk_search).
--
-- chunk: maximum number of words per chunk; the chunks have about the same number of words and do not overlap
-- (passage_windows). 0 splits into the sentences of each paragraph instead (passage_sentences).
-- Signs that are syntax in a query (quotes, parentheses, + and - before a word, * | < > and the fields title: and
-- abstract:) become blanks, so that no word of an article is excluded or required. A chunk of more than 10,000
-- characters, the limit of a query, becomes several, split between words; a longer word is split itself. Chunks without
-- a letter or digit are omitted; NULL has no chunks.
-- Raises IR202 chunk out of range.
CREATE OR REPLACE FUNCTION article_chunks(article text, chunk integer DEFAULT 64)
RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    words integer := coalesce(regexp_count(article_chunks.article, '\S+'), 0);
    step integer;
    pieces text[];
    piece text;
    cut integer;
    chunks text[] := '{}';
BEGIN
    IF article_chunks.chunk IS NULL OR article_chunks.chunk NOT BETWEEN 0 AND 1000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('chunk is %s', coalesce(article_chunks.chunk::text, 'NULL')),
            HINT = 'chunk is the maximum number of words per chunk, 1 to 1,000, or 0 for sentences.';
    ELSIF words = 0 THEN
        RETURN '{}';
    ELSIF article_chunks.chunk = 0 THEN
        pieces := ARRAY(SELECT s.sentence
                          FROM string_to_table(article_chunks.article, E'\n\n') WITH ORDINALITY p (paragraph, place)
                         CROSS JOIN LATERAL unnest(passage_sentences(p.paragraph)) WITH ORDINALITY s (sentence, number)
                         ORDER BY p.place, s.number);
    ELSE
        step := ceil(words / ceil(words::numeric / article_chunks.chunk));
        pieces := passage_windows(article_chunks.article, step, step);
    END IF;
    FOR piece IN
        SELECT c.cleaned
          FROM unnest(pieces) WITH ORDINALITY p (piece, place)
         CROSS JOIN LATERAL btrim(regexp_replace(
                 regexp_replace(p.piece, '["()|*<>]|(?<![^\s"(])[-+]+(?=\S)|\m(title|abstract):', '\1 ', 'gi'),
                 '\s+', ' ', 'g')) c (cleaned)
         WHERE c.cleaned ~ '[[:alnum:]]'
         ORDER BY p.place
    LOOP
        WHILE length(piece) > 10000 LOOP
            cut := 10001 - strpos(reverse(left(piece, 10001)), ' ');  -- characters before the last blank
            IF cut IN (0, 10001) THEN  -- no blank
                cut := 10000;
            END IF;
            chunks := chunks || left(piece, cut);
            piece := ltrim(substr(piece, cut + 1));
        END LOOP;
        chunks := chunks || piece;
    END LOOP;
    RETURN chunks;
END
$$;
COMMENT ON FUNCTION article_chunks(text, integer) IS
'Split an article into chunks of at most chunk words, or sentences, without query syntax';
