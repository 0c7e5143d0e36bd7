-- drop_pool: remove a pool with its sheets and return its number of documents. Submitted judgments stay in their
-- editions.
--
-- Raises IR110 no such pool, IR202 the sheets contain grades or comparisons that were never submitted, unless drafts is
-- true.
CREATE OR REPLACE FUNCTION drop_pool(pool text, drafts boolean DEFAULT false) RETURNS bigint
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(drop_pool.pool);
    unsent bigint := (SELECT count(*) FROM qrels_assessments a
                       WHERE a.pool = pool_id AND a.rel IS NOT NULL AND a.submitted IS NULL);
    unsorted bigint := (SELECT count(*) FROM qrels_comparisons c WHERE c.pool = pool_id AND c.submitted IS NULL);
    dropped bigint := (SELECT count(*) FROM qrels_pool_documents d WHERE d.pool = pool_id);
BEGIN
    IF unsent > 0 AND NOT drop_pool.drafts THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('pool %L has %s never submitted', drop_pool.pool,
                             counted(unsent, 'grade that was', 'grades that were')),
            HINT = 'Submit them with ''stc pool submit'', or use --drafts to remove them with the pool.';
    ELSIF unsorted > 0 AND NOT drop_pool.drafts THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('pool %L has %s never submitted', drop_pool.pool,
                             counted(unsorted, 'comparison that was', 'comparisons that were')),
            HINT = 'Submit them with ''stc pool submit --pairs'', or use --drafts to remove them with the pool.';
    END IF;
    DELETE FROM qrels_pools p WHERE p.id = pool_id;
    RETURN dropped;
END
$$;
COMMENT ON FUNCTION drop_pool(text, boolean) IS
    'Removes a pool with its sheets and returns its number of documents; grades and comparisons never submitted are '
    'removed only if drafts is true';
