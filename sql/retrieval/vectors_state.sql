-- vectors_state: fingerprint of the vectors that a search by a model reads: its row, its indexes and the sizes of its
-- tables. Part of run_state.
CREATE OR REPLACE FUNCTION vectors_state(space vector_models)
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT md5(concat_ws(' ', to_jsonb(space),
        (SELECT jsonb_agg(i ORDER BY i.field) FROM vector_indexes i WHERE i.model = space.model),
        pg_relation_size(to_regclass(quote_ident(space.relation))), pg_relation_size('dblp_passages'),
        pg_relation_size(to_regclass(quote_ident(vector_relation(space, 'passage'))))))
$$;
COMMENT ON FUNCTION vectors_state(vector_models) IS 'Fingerprint of the vectors that a search by a model reads';
