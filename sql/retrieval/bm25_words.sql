-- bm25_words: the query words that a document contains and their contributions to its BM25 score (formula and citation:
-- bm25_portable), largest first. The sum of added is the document's score in single precision.
--
-- qtf, tf: occurrences in query and document; df: number of documents with the word; word: as typed, or as written in
-- the document. The statistics are those of the text index; no rows if it does not exist. Raises IR104 no such
-- document.
CREATE OR REPLACE FUNCTION bm25_words(query text, doc bigint)
RETURNS TABLE (lexeme text, word text, qtf integer, tf integer, df bigint, added double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning
AS $$
#variable_conflict use_column
DECLARE
    state text_index;
    typed CONSTANT text := bm25_query(bm25_words.query);
    text_row dblp_text;
    tokens integer;
BEGIN
    SELECT * INTO text_row FROM dblp_text t WHERE t.id = bm25_words.doc;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR104',
            MESSAGE = format('there is no document %s', coalesce(bm25_words.doc::text, 'NULL')),
            HINT = 'Pass the dblp.id of a document.';
    END IF;
    SELECT * INTO state FROM text_index;
    state.tokens := nullif(state.tokens, 0);  -- 0: all texts consist of stop words
    SELECT l.tokens INTO tokens FROM text_lengths l WHERE l.id = bm25_words.doc;
    RETURN QUERY
    WITH words AS MATERIALIZED (
        SELECT w.lexeme, w.term, CASE WHEN count(*) OVER () = 1 THEN 1 ELSE w.qtf END AS qtf, x.documents::bigint AS df
          FROM query_words(coalesce(state.config, text_config()), typed) w
          JOIN text_lexemes x ON x.lexeme = w.lexeme COLLATE "C"),
    held AS (
        SELECT w.*, term_frequency(text_row.tsv, w.term) AS tf FROM words w WHERE text_row.tsv @@ w.term)
    SELECT h.lexeme, coalesce(s.word, h.lexeme), h.qtf, h.tf, h.df,
           h.qtf * ln(1 + (state.documents - h.df + 0.5) / (h.df + 0.5))::double precision * h.tf * (state.k1 + 1)
           / (h.tf + state.k1 * (1 - state.b + state.b * state.documents / state.tokens * smallfloat_byte4(tokens)))
      FROM held h
      LEFT JOIN surface_words(coalesce(state.config, text_config()), ARRAY(SELECT y.lexeme FROM held y),
                              ARRAY[typed]) s USING (lexeme)
     ORDER BY 6 DESC, h.lexeme COLLATE "C";
END
$$;
COMMENT ON FUNCTION bm25_words(text, bigint) IS
'Query words that a document contains, and what each adds to its BM25 score, largest first';
