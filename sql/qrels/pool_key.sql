-- pool_key: key of a pool by its name. Raises IR110 no such pool, and suggests the nearest name.
CREATE OR REPLACE FUNCTION pool_key(pool text) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    found_id integer := (SELECT p.id FROM qrels_pools p WHERE p.pool = pool_key.pool COLLATE "C");
BEGIN
    IF found_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR110', MESSAGE = format('there is no pool %L', pool_key.pool), HINT = concat(
            'Did you mean ' || quote_literal(nearest_name(pool_key.pool,
                                                          ARRAY(SELECT p.pool FROM qrels_pools p))) || '? ',
            '''stc show pools'' lists all pools.');
    END IF;
    RETURN found_id;
END
$$;
COMMENT ON FUNCTION pool_key(text) IS 'The key of a pool by its name; raises IR110 if there is no such pool';
