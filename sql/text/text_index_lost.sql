-- text_index_lost: the ids of the documents that pg_textsearch's BM25 index should return but does not
-- (lost_documents). NULL if there is no such index, its library is not loaded, or the text index is stale. In a
-- distributed collection, the index of each shard.
CREATE OR REPLACE FUNCTION text_index_lost()
RETURNS bigint[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    state text_index;
    lost bigint[];
BEGIN
    SELECT * INTO state FROM text_index i WHERE NOT i.stale AND i.engine = 'pg_textsearch';
    IF to_regclass('dblp_text_bm25') IS NULL OR state IS NULL
        OR current_setting('pg_textsearch.library_version', true) IS NULL
    THEN
        RETURN NULL;
    END IF;
    -- The row of one document per shard; a dblp_text that is not distributed is a single shard.
    EXECUTE 'SELECT array_agg(l.id)
               FROM dblp_text t CROSS JOIN LATERAL unnest(lost_documents(t.tableoid, $2::regconfig, $3)) l (id)
              WHERE t.id = ANY ($1)'
       INTO lost
      USING coalesce(state.anchors, ARRAY[(SELECT min(t.id) FROM dblp_text t)]), text_config_name(state.config), ARRAY(
        SELECT x.lexeme
          FROM (SELECT l.lexeme, l.documents FROM text_lexemes l ORDER BY l.documents DESC LIMIT 512) x
         WHERE tsvector_to_array(to_tsvector(state.config, x.lexeme)) = ARRAY[x.lexeme]
         ORDER BY x.documents DESC LIMIT 256);
    RETURN coalesce(lost, '{}');
END
$$;
COMMENT ON FUNCTION text_index_lost() IS
'Ids of the documents that pg_textsearch''s BM25 index should return but does not';
