-- own_kinds: the measures that organisers added (add_measure), with the columns of measure_kinds, and their faults.
--
-- Their formulas are checked at each use (measure_formula), because rows also come from dumps. fault: NULL, or why a
-- measure cannot be used; then it is not in measure_registry. They are neither stored by judge_runs nor available to
-- score requests on hidden editions.
CREATE OR REPLACE FUNCTION own_kinds()
RETURNS TABLE (
    place integer, kind text, ir text, also text[], takes text, defaults double precision[], parameters jsonb,
    groups text[], mean text,
    range numrange, uses text[], definition text, reference text, printed text, documents text, gain text, value text,
    fault text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT 10000 + m.place, m.kind, m.ir, NULL::text[], CASE WHEN m.cutoff THEN 'cutoff' ELSE 'nothing' END, m.defaults,
           m.parameters, NULL::text[], m.mean, m.range,
           CASE WHEN m.documents = 'subtopics' THEN '{subtopics}'::text[] ELSE '{}' END,
           m.definition, coalesce(m.source, ''), regexp_replace(m.kind, '_cut$', ''), m.documents, g.expression,
           v.expression,
           CASE WHEN m.ir !~ '^[A-Za-z][A-Za-z0-9]*(_[A-Za-z][A-Za-z0-9]*)*$' OR length(m.ir) > 40
                     OR lower(m.ir) ~ '_cut$' OR m.kind <> lower(m.ir) || CASE WHEN m.cutoff THEN '_cut' ELSE '' END
                THEN 'its name cannot be used: use letters, digits, and underscores between letters'
                WHEN EXISTS (SELECT FROM measure_kinds() k
                              WHERE lower(m.ir) IN (lower(k.kind), lower(k.printed), lower(split_part(k.ir, '(', 1)))
                                 OR lower(m.ir) = ANY (k.also) OR lower(m.ir) = ANY (k.groups)
                                 OR m.kind = lower(k.kind))
                THEN 'its name is taken by a measure of the product'
                WHEN m.documents NOT IN ('relevant', 'gained', 'subtopics')
                THEN 'its documents are neither relevant, gained nor subtopics'
                WHEN m.gain IS NOT NULL AND m.documents IS DISTINCT FROM 'gained' THEN 'a gain needs gained documents'
                WHEN m.mean NOT IN ('mean', 'sum', 'geometric') THEN 'its mean is neither mean, sum nor geometric'
                WHEN m.cutoff AND coalesce(cardinality(m.defaults), 0) NOT BETWEEN 1 AND 20
                     OR m.cutoff AND EXISTS (SELECT FROM unnest(m.defaults) d (d)
                                              WHERE (d BETWEEN 1 AND 2147483647 AND d = trunc(d)) IS NOT TRUE)
                THEN 'its cutoffs are not numbers of ranks, of which there must be 1 to 20'
                WHEN NOT m.cutoff AND m.defaults IS NOT NULL THEN 'cutoffs are given, but it takes none'
                WHEN p.fault
                THEN 'its parameters are not a list such as [{"name": "p", "default": 0.8, "range": "[0,1]"}]'
                WHEN g.fault IS NOT NULL THEN format('in the gain, at character %s: %s', g.place, g.fault)
                WHEN v.fault IS NOT NULL THEN format('in the formula, at character %s: %s', v.place, v.fault)
           END
      FROM own_measures m
     CROSS JOIN LATERAL (
           SELECT coalesce(array_agg(e.value ->> 'name'), '{}') AS names,
                  m.parameters IS NOT NULL AND (
                      count(*) NOT BETWEEN 1 AND 4 OR count(DISTINCT e.value ->> 'name') < count(*)
                      OR NOT bool_and(coalesce(
                          e.value ->> 'name' ~ '^[a-z][a-z_]{0,19}$'
                          AND e.value ->> 'name' <> ALL (
                              '{k,hits,found,judged,retrieved,ranks,ideal,decay,grade,rel,gained,subtopics}')
                          AND CASE jsonb_typeof(e.value) WHEN 'object'
                                   THEN e.value - '{name,default,range,squared,written}'::text[] = '{}' END
                          AND coalesce(jsonb_typeof(e.value -> 'squared'), 'boolean') = 'boolean'
                          AND coalesce(jsonb_typeof(e.value -> 'written'), 'boolean') = 'boolean'
                          AND jsonb_typeof(e.value -> 'default') = 'number'
                          AND e.value ->> 'range' ~ '^\[(-?\d{1,9}(\.\d{1,9})?)?,(-?\d{1,9}(\.\d{1,9})?)?\]$'
                          AND pg_input_is_valid(e.value ->> 'range', 'numrange'), false))) AS fault
             FROM jsonb_array_elements(
                      CASE jsonb_typeof(m.parameters) WHEN 'array' THEN m.parameters ELSE '[]' END) e) p
     CROSS JOIN LATERAL measure_formula(CASE WHEN m.documents = 'gained' THEN coalesce(m.gain, '{grade}') END, 'gain',
                                        false, p.names) gg
     CROSS JOIN LATERAL (SELECT gg.expression, gg.place,
                                CASE WHEN m.documents = 'gained' THEN gg.fault END AS fault) g
     CROSS JOIN LATERAL measure_formula(m.value, coalesce(m.documents, 'ranking'), m.cutoff, p.names) v
$$;
COMMENT ON FUNCTION own_kinds() IS 'Measures that organisers added, as measure_kinds returns those of the product';
