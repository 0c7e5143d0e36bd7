-- own_system: how to call the function of a system that users added (system_call). NULL if there is no such system.
-- stages: those of a system that has several (pipeline_stages), and no function. fusion: the rankers and weights of a
-- system of add_fusion.
-- Raises IR107 its function, stage or ranker does not exist, IR202 other arguments or columns, or it uses itself, IR410
-- this role may not run it.
CREATE OR REPLACE FUNCTION own_system(
    system text, OUT routine oid, OUT call text, OUT vector boolean, OUT filter boolean, OUT stages text,
    OUT fusion jsonb
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    found record;
BEGIN
    SELECT c.*, o.fusion, CASE WHEN c.routine IS NULL THEN o.function END AS stages INTO found
      FROM own_systems o CROSS JOIN LATERAL system_call(o.function, o.fusion, o.system) c
     WHERE o.system = own_system.system COLLATE "C" AND (o.maker IS NULL OR o.maker = current_user)
     ORDER BY o.maker NULLS FIRST LIMIT 1;
    IF found.fault IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = found.state,
            MESSAGE = format('the system %s cannot run: %s', own_system.system, found.fault), HINT = found.hint;
    END IF;
    routine := found.routine;
    fusion := CASE WHEN found.routine = 'fused_search(text, integer, vector, jsonb, text, text)'::regprocedure
                   THEN found.fusion END;
    call := found.call;
    vector := found.vector;
    filter := found.filter;
    stages := found.stages;
END
$$;
COMMENT ON FUNCTION own_system(text) IS 'How to call the function of a system that users added; NULL for other names';
