-- refuse_duplicate: raise PostgreSQL's error of a unique key (23505) for a document that a ranking has twice, or, if
-- doc is NULL, for a rank.
CREATE OR REPLACE FUNCTION refuse_duplicate(run integer, query integer, doc bigint, rank bigint) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF refuse_duplicate.doc IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = '23505', TABLE = 'st1_rankings', CONSTRAINT = 'st1_rankings_pkey',
            MESSAGE = 'duplicate key value violates unique constraint "st1_rankings_pkey"',
            DETAIL = format('Key (query, doc, run)=(%s, %s, %s) already exists.', refuse_duplicate.query,
                            refuse_duplicate.doc, refuse_duplicate.run),
            HINT = 'A run ranks a document once for a query: keep the best rank.';
    END IF;
    RAISE EXCEPTION USING ERRCODE = '23505', TABLE = 'st1_rankings', CONSTRAINT = 'st1_rankings_run_query_rank_key',
        MESSAGE = 'duplicate key value violates unique constraint "st1_rankings_run_query_rank_key"',
        DETAIL = format('Key (run, query, rank)=(%s, %s, %s) already exists.', refuse_duplicate.run,
                        refuse_duplicate.query, refuse_duplicate.rank),
        HINT = 'Number the ranks of a run and query 1, 2, 3 … after those that are stored, or update that row.';
END
$$;
COMMENT ON FUNCTION refuse_duplicate(integer, integer, bigint, bigint) IS
    'Raise the error of a ranking that has a document or a rank twice';
