-- guide_pool: store the guidelines that assessors of a pool read beside each document, as plain text; NULL or an empty
-- text restores the default.
--
-- Raises IR110 no such pool, IR202 a text of more than 20,000 characters.
CREATE OR REPLACE FUNCTION guide_pool(pool text, guidelines text) RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(guide_pool.pool);
BEGIN
    IF length(guide_pool.guidelines) > 20000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = 'the guidelines have ' || counted(length(guide_pool.guidelines), 'character'),
            HINT = 'Assessors read them beside each document: use at most 20,000 characters.';
    END IF;
    UPDATE qrels_pools p SET guidelines = nullif(btrim(guide_pool.guidelines, E' \t\r\n'), '') WHERE p.id = pool_id;
END
$$;
COMMENT ON FUNCTION guide_pool(text, text) IS
    'Stores the guidelines for the assessors of a pool, as plain text; NULL restores the default text';
