-- lost_documents: the ids of the documents with at least one word that the BM25 index of pg_textsearch does not return.
-- Part of text_index_lost; workers execute it on each shard.
--
-- An index search returns all documents that contain any of its words. The first one has the most frequent words of the
-- collection, which almost all documents contain. Each of the others is then searched with one of its own words, 256
-- words at a time. A word must be its own lexeme, because the index stems the query (univers becomes univ); a document
-- without such a word is searched with its text.
--
-- texts: dblp_text or a shard of it. words: the most frequent words. 110,293 documents take one to four seconds on two
-- cores.
CREATE OR REPLACE FUNCTION lost_documents(texts regclass, config regconfig, words text[])
RETURNS bigint[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
-- Only an index scan tells what the index returns.
SET enable_seqscan = off
SET enable_sort = off
SET jit = off
SET client_min_messages = warning
AS $$
DECLARE
    -- EXECUTE, because in a cached plan pg_textsearch 1.0 scores every row twice.
    search CONSTANT text := format($sql$
        SELECT array_agg(s.id)
          FROM (SELECT t.id FROM %s t ORDER BY t.content <@> to_bm25query($1, %L) LIMIT $2) s$sql$,
        texts, shard_index(lost_documents.texts));
    documents bigint;
    found bigint[];
    lost bigint[];
    own text[];
    typed text;
BEGIN
    EXECUTE format('SELECT count(*) FROM %s', texts) INTO documents;
    IF documents = 0 THEN
        RETURN '{}';
    END IF;
    EXECUTE search INTO found USING array_to_string(lost_documents.words, ' '), documents;
    EXECUTE format($sql$
        SELECT array_agg(t.id) FROM %s t
         WHERE t.tsv <> '' AND NOT EXISTS (SELECT FROM unnest($1) f (id) WHERE f.id = t.id)$sql$, texts)
       INTO lost USING found;
    -- Documents without any of the words: each with its word that most of them share.
    EXECUTE format($sql$
        WITH rest AS MATERIALIZED (
            SELECT t.id, w.lexeme FROM %1$s t, unnest(tsvector_to_array(t.tsv)) w (lexeme)
             WHERE t.id = ANY ($1)
               AND NOT t.tsv @@ (SELECT string_agg(lexeme_term(c.lexeme)::text, ' | ')::tsquery
                                   FROM unnest($2) c (lexeme))),
        counted AS (
            SELECT r.lexeme, count(*) AS n FROM rest r GROUP BY r.lexeme
            HAVING tsvector_to_array(to_tsvector($3, r.lexeme)) = ARRAY[r.lexeme]),
        best AS (
            SELECT r.id, (array_agg(c.lexeme ORDER BY c.n DESC, c.lexeme) FILTER (WHERE c.n > 0))[1] AS lexeme
              FROM rest r LEFT JOIN counted c ON c.lexeme = r.lexeme GROUP BY r.id)
        SELECT array_agg(s.typed)
          FROM (SELECT string_agg(u.lexeme, ' ') AS typed
                  FROM (SELECT b.lexeme, row_number() OVER () / 256 AS part FROM best b
                         WHERE b.lexeme IS NOT NULL GROUP BY b.lexeme) u GROUP BY u.part
                UNION ALL
                SELECT left(t.content, 10000) FROM best b JOIN %1$s t ON t.id = b.id WHERE b.lexeme IS NULL) s$sql$,
        texts)
       INTO own USING lost, words, config;
    FOREACH typed IN ARRAY coalesce(own, '{}') LOOP
        EXECUTE search INTO found USING typed, documents;
        lost := ARRAY(SELECT l.id FROM unnest(lost) l (id)
                       WHERE NOT EXISTS (SELECT FROM unnest(found) f (id) WHERE f.id = l.id));
    END LOOP;
    RETURN coalesce(lost, '{}');
END
$$;
COMMENT ON FUNCTION lost_documents(regclass, regconfig, text[]) IS
'Part of text_index_lost: ids of the documents with at least one word that the BM25 index does not return';
