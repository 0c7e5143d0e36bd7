-- scale_pool: set the grades that assessors of a pool can give, with their meanings: {"0": "not relevant", "1": …}.
--
-- Grades are integers from 0 to 9; at least two are needed. The scale can be replaced if the new one contains every
-- grade already on a sheet.
-- Raises IR110 no such pool, IR202 an invalid scale, or one that lacks a grade on a sheet.
CREATE OR REPLACE FUNCTION scale_pool(pool text, grades jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(scale_pool.pool);
    bad record;
BEGIN
    IF scale_pool.grades IS NULL OR jsonb_typeof(scale_pool.grades) <> 'object'
       OR (SELECT count(*) < 2 OR bool_or(g.grade !~ '^[0-9]$')
             FROM jsonb_object_keys(scale_pool.grades) AS g (grade)) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s is not a scale', coalesce(scale_pool.grades::text, 'NULL')),
            HINT = 'Give at least two grades from 0 to 9: 0-2, or 0=not relevant,1=relevant,2=very relevant.';
    END IF;
    SELECT a.annotator, a.rel INTO bad FROM qrels_assessments a
     WHERE a.pool = pool_id AND a.rel IS NOT NULL AND NOT scale_pool.grades ? a.rel::text LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s has given the grade %s, which the scale lacks', bad.annotator, bad.rel),
            HINT = 'Once assessment has begun, grades can be added to the scale but not removed.';
    END IF;
    UPDATE qrels_pools p SET params = p.params || jsonb_build_object('grades', scale_pool.grades) WHERE p.id = pool_id;
END
$$;
COMMENT ON FUNCTION scale_pool(text, jsonb) IS 'Sets the grades that assessors of a pool can give, with their meanings';
