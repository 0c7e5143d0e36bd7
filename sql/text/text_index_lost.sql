-- text_index_lost: the ids of the documents that pg_textsearch's BM25 index should return but does not
-- (lost_documents). NULL if there is no such index, its library is not loaded, the text index is stale, or the
-- collection is distributed.
CREATE OR REPLACE FUNCTION text_index_lost()
RETURNS bigint[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    state text_index;
BEGIN
    SELECT * INTO state FROM text_index i WHERE NOT i.stale AND i.engine = 'pg_textsearch' AND i.anchors IS NULL;
    IF to_regclass('dblp_text_bm25') IS NULL OR state IS NULL
        OR current_setting('pg_textsearch.library_version', true) IS NULL
    THEN
        RETURN NULL;
    END IF;
    RETURN lost_documents(state.config, ARRAY(
        SELECT x.lexeme
          FROM (SELECT l.lexeme, l.documents FROM text_lexemes l ORDER BY l.documents DESC LIMIT 512) x
         WHERE tsvector_to_array(to_tsvector(state.config, x.lexeme)) = ARRAY[x.lexeme]
         ORDER BY x.documents DESC LIMIT 256));
END
$$;
COMMENT ON FUNCTION text_index_lost() IS
'Ids of the documents that pg_textsearch''s BM25 index should return but does not';
