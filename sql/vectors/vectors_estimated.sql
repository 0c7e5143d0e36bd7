-- vectors_estimated: the number of vectors of a field by the statistics of ANALYZE, for callers that ask often, because
-- counting them reads the whole table. NULL if the table has at most 100,000 rows or no statistics: then count. ANALYZE
-- reads 30,000 rows, so that a field with very few vectors can have an estimate of 0.
CREATE OR REPLACE FUNCTION vectors_estimated(space vector_models, field text)
RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT CASE WHEN vectors_estimated.field = 'title_only' THEN titles_only(c.relname)
                ELSE round(c.reltuples * (1 - s.null_frac))::bigint END
      FROM pg_class c
      JOIN pg_stats s ON s.schemaname = c.relnamespace::regnamespace::name AND s.tablename = c.relname
       AND s.attname = vector_column(vectors_estimated.field)
     WHERE c.oid = to_regclass(quote_ident(vector_relation(vectors_estimated.space, vectors_estimated.field)))
       AND c.reltuples > 100000
$$;
COMMENT ON FUNCTION vectors_estimated(vector_models, text) IS
'Number of vectors of a field by the statistics of a large table; NULL for others';
