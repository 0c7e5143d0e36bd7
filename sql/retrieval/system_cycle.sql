-- system_cycle: how a system with this function and fusion would use itself, as 'ours > staged > ours'; NULL if it does
-- not. A system uses that of its first stage (pipeline_stages), or the rankers of its fusion (add_fusion). The others
-- are those that this role can name. Each is visited once, breadth first.
CREATE OR REPLACE FUNCTION system_cycle(system text, function text, fusion jsonb)
RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    seen text[] := ARRAY[system_cycle.system];
    paths text[] := seen;
    at integer := 0;
    used text;
BEGIN
    WHILE at < cardinality(seen) LOOP
        at := at + 1;
        FOR used IN
            SELECT p.part
              FROM (SELECT system_cycle.function, system_cycle.fusion WHERE at = 1
                     UNION ALL
                    SELECT o.function, o.fusion FROM own_systems o
                     WHERE at > 1 AND o.system = seen[at] AND (o.maker IS NULL OR o.maker = current_user)) k
             CROSS JOIN LATERAL (
                   SELECT trim(regexp_replace(split_part(split_part(k.function, '>>', 1), ':', 1), '\s-?\d+\s*$', ''))
                    WHERE k.function LIKE '%>>%'
                    UNION ALL
                   SELECT split_part(r.name, ':', 1)
                     FROM jsonb_object_keys(CASE jsonb_typeof(k.fusion -> 'weights')
                                                 WHEN 'object' THEN k.fusion -> 'weights' END) r (name)) p (part)
        LOOP
            IF used = system_cycle.system THEN
                RETURN paths[at] || ' > ' || used;
            ELSIF used <> ALL (seen) THEN
                seen := seen || used;
                paths := paths || (paths[at] || ' > ' || used);
            END IF;
        END LOOP;
    END LOOP;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION system_cycle(text, text, jsonb) IS
'How a system would use itself, through its stages or rankers';
