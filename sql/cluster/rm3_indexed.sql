-- rm3_indexed: as retrieval/rm3_indexed.sql, for several servers: each shard has an index of pg_textsearch. It
-- returns no rows for a search with a filter.
CREATE OR REPLACE FUNCTION rm3_indexed(
    typed text, scale double precision, lexemes text[], weights double precision[], k integer, state text_index,
    engine text, filter jsonb, condition text
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF rm3_indexed.condition IS NULL THEN
        RETURN QUERY SELECT * FROM bm25_on_shards(rm3_indexed.typed, rm3_indexed.lexemes, rm3_indexed.weights,
                                                  rm3_indexed.k, state, rm3_indexed.engine);
    END IF;
END
$$;
COMMENT ON FUNCTION rm3_indexed(text, double precision, text[], double precision[], integer, text_index, text, jsonb,
                               text) IS
'Part of rm3_search: the search by the index of pg_textsearch; no rows if it cannot be complete';
