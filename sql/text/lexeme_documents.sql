-- lexeme_documents: the number of documents that contain each lexeme, in the same order; 0 for none. live counts the
-- current rows, for a stale or missing text index.
CREATE OR REPLACE FUNCTION lexeme_documents(lexemes text[], live boolean)
RETURNS bigint[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    counts bigint[] := '{}';
    term tsquery;
    known text[];
    dfs integer[];
BEGIN
    IF NOT lexeme_documents.live THEN
        -- A separate statement: the planner may read all words to join them, and Citus plans slowly.
        SELECT array_agg(x.lexeme), array_agg(x.documents) INTO known, dfs
          FROM text_lexemes x WHERE x.lexeme = ANY (lexeme_documents.lexemes);
        RETURN ARRAY(SELECT coalesce(x.documents, 0)
                       FROM unnest(lexeme_documents.lexemes) WITH ORDINALITY w (lexeme, place)
                       LEFT JOIN unnest(known, dfs) x (lexeme, documents) ON x.lexeme = w.lexeme COLLATE "C"
                      ORDER BY w.place);
    END IF;
    FOREACH term IN ARRAY ARRAY(SELECT lexeme_term(w.lexeme)
                                  FROM unnest(lexeme_documents.lexemes) WITH ORDINALITY w (lexeme, place)
                                 ORDER BY w.place) LOOP
        counts := counts || (SELECT count(*) FROM dblp_text t WHERE t.tsv @@ term);
    END LOOP;
    RETURN counts;
END
$$;
COMMENT ON FUNCTION lexeme_documents(text[], boolean) IS 'Number of documents that contain each lexeme';
