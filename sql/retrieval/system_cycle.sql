-- system_cycle: how a system with this function and fusion would use itself, as 'ours > staged > ours'; NULL if it does
-- not. A system uses that of its first stage (pipeline_stages), or the rankers of its fusion (add_fusion). The others
-- are those that this role can name.
CREATE OR REPLACE FUNCTION system_cycle(system text, function text, fusion jsonb)
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    WITH RECURSIVE known AS (
        SELECT system_cycle.system, system_cycle.function, system_cycle.fusion
         UNION ALL
        SELECT o.system, o.function, o.fusion FROM own_systems o
         WHERE o.system <> system_cycle.system AND (o.maker IS NULL OR o.maker = current_user)),
    uses AS (
        SELECT k.system,
               trim(regexp_replace(split_part(split_part(k.function, '>>', 1), ':', 1), '\s-?\d+\s*$', '')) AS part
          FROM known k WHERE k.function LIKE '%>>%'
         UNION ALL
        SELECT k.system, split_part(r.name, ':', 1)
          FROM known k CROSS JOIN LATERAL jsonb_object_keys(
                   CASE jsonb_typeof(k.fusion -> 'weights') WHEN 'object' THEN k.fusion -> 'weights' END) r (name)),
    paths AS (
        SELECT ARRAY[u.system, u.part] AS names FROM uses u WHERE u.system = system_cycle.system
         UNION ALL
        SELECT p.names || u.part FROM paths p JOIN uses u ON u.system = p.names[cardinality(p.names)]
         WHERE u.part <> ALL (p.names[2:]) AND u.system <> system_cycle.system)
    SELECT array_to_string(p.names, ' > ') FROM paths p WHERE p.names[cardinality(p.names)] = system_cycle.system
     ORDER BY cardinality(p.names), p.names LIMIT 1
$$;
COMMENT ON FUNCTION system_cycle(text, text, jsonb) IS
'How a system would use itself, through its stages or rankers';
