-- combine_plan: a stated combination, read and checked: one row a measure that has a weight above 0, in the order of
-- combine_measures.
--
--   SELECT * FROM combine_plan('{"relevance": 0.8, "textstat_fkgl": 0.2}', '{"textstat_fkgl": "linear(20,8)"}');
--
-- weights     an object {"measure": number of 0 or more}; only their proportions matter
-- transforms  an object {"measure": "transform"}; a measure that it does not name has its own (combine_measures):
--
--   of any measure            linear(a,b), log(a,b), logistic(mid,scale)         (combine_transform)
--   of all but relevance      percentile, percentile(more), percentile(less)     by default the measure's own direction
--   of relevance, by query    minmax, rank, reciprocal(constant): (1 + constant) / (constant + rank), the constant 60
--                             where none is given
--
-- transform comes back in full, so that a run can tell it; name, a and b are its parts: those of percentile and of what
-- has no numbers are 0 or 1.
-- Raises IR108 no such measure, IR202 weights or transforms that are no such objects, no weight above 0, or a transform
-- that cannot be read, has numbers that say nothing, or is not one of this measure.
CREATE OR REPLACE FUNCTION combine_plan(weights jsonb, transforms jsonb DEFAULT '{}')
RETURNS TABLE (measure text, kind text, weight double precision, transform text, name text, a double precision,
               b double precision)
LANGUAGE plpgsql STABLE ROWS 5
SET search_path = stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    wanted CONSTANT jsonb := coalesce(combine_plan.transforms, '{}');
    known record;
    parts text[];
    words text[];
    more double precision;
    fault text;
BEGIN
    IF combine_plan.weights IS NULL OR jsonb_typeof(combine_plan.weights) <> 'object' THEN
        fault := format('the weights are %s', coalesce(left(combine_plan.weights::text, 80), 'NULL'));
    ELSIF jsonb_typeof(wanted) <> 'object' OR jsonb_path_exists(wanted, 'strict $.* ? (@.type() != "string")') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('the transforms are %s', left(wanted::text, 80)),
            HINT = 'They are an object, a text for each measure: {"textstat_fkgl": "linear(20,8)"}.';
    ELSE
        PERFORM combine_check(ARRAY(SELECT jsonb_object_keys(combine_plan.weights)));
        SELECT format('the weight of %s is %s', e.key, left(e.value::text, 80)) INTO fault
          FROM jsonb_each(combine_plan.weights) e
         WHERE CASE jsonb_typeof(e.value) WHEN 'number'
                    THEN (e.value #>> '{}')::numeric <> 0 AND (e.value #>> '{}')::numeric NOT BETWEEN 1e-30 AND 1e30
                    ELSE true END
         LIMIT 1;
        IF fault IS NULL AND NOT EXISTS (SELECT FROM jsonb_each_text(combine_plan.weights) e
                                          WHERE e.value::numeric > 0) THEN
            fault := 'no weight is above 0';
        END IF;
    END IF;
    IF fault IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = fault,
            HINT = 'Weights are an object, a number of 0 or more for each measure: {"relevance": 0.8, "textstat_fkgl": '
                   '0.2}.';
    END IF;
    IF wanted <> '{}' THEN
        PERFORM combine_check(ARRAY(SELECT jsonb_object_keys(wanted)));
    END IF;
    SELECT t.key INTO fault FROM jsonb_object_keys(wanted) t (key) WHERE NOT combine_plan.weights ? t.key LIMIT 1;
    IF fault IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s has a transform and no weight', fault),
            HINT = 'Give it one.';
    END IF;
    FOR known IN
        SELECT e.*, coalesce(wanted ->> e.measure, e.transform) AS stated,
               (combine_plan.weights ->> e.measure)::double precision AS factor
          FROM combine_measures() e WHERE combine_plan.weights ? e.measure ORDER BY e.place
    LOOP
        parts := regexp_match(lower(known.stated), '^\s*([a-z]{1,20})\s*(?:\(([^()]{0,80})\))?\s*$');
        name := parts[1];
        words := regexp_split_to_array(btrim(nullif(btrim(parts[2]), '')), '\s*,\s*');
        more := CASE coalesce(words[1], CASE WHEN known.more THEN 'more' ELSE 'less' END) WHEN 'more' THEN 1
                     WHEN 'less' THEN 0 END;
        fault := NULL;
        CASE
            WHEN name IS NULL OR name NOT IN ('linear', 'log', 'logistic', 'percentile', 'minmax', 'rank',
                                              'reciprocal') THEN
                fault := 'no transform';
            WHEN (known.kind = 'relevance') <> (name IN ('minmax', 'rank', 'reciprocal'))
            AND name NOT IN ('linear', 'log', 'logistic') THEN
                fault := 'none of this measure';
            WHEN name = 'percentile' THEN
                IF more IS NULL OR cardinality(words) > 1 THEN
                    fault := 'no direction';
                END IF;
                a := more;
                b := 1 - more;
            WHEN cardinality(words) <> (CASE WHEN name IN ('minmax', 'rank') THEN 0 WHEN name = 'reciprocal' THEN 1
                                             ELSE 2 END)
                OR (words IS NULL AND name IN ('linear', 'log', 'logistic')) THEN
                fault := 'a transform of other numbers';
            WHEN EXISTS (SELECT FROM unnest(words) u (word)
                          WHERE u.word !~ '^[+-]?(\d{1,15}\.?\d{0,15}|\.\d{1,15})(e[+-]?\d{1,2})?$') THEN
                fault := 'without numbers that can be read';
            ELSE
                a := coalesce(words[1], CASE name WHEN 'reciprocal' THEN '60' ELSE '0' END)::double precision;
                b := coalesce(words[2], '1')::double precision;
                IF (name IN ('linear', 'log') AND a = b) OR (name = 'log' AND least(a, b) < 0)
                    OR (name = 'logistic' AND b = 0)
                    OR (name = 'reciprocal' AND a < 0) OR (name = 'log' AND ln(1 + a) = ln(1 + b)) THEN
                    fault := 'with numbers that say nothing';
                END IF;
        END CASE;
        IF fault IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'IR202',
                MESSAGE = format('the transform of %s is %s: %s', known.measure,
                                 left(quote_literal(known.stated), 80), fault),
                HINT = CASE known.kind
                    WHEN 'relevance' THEN
                        'There are minmax, rank, reciprocal(60), and of scores linear(a,b), log(a,b), '
                        'logistic(mid,scale).'
                    ELSE 'There are linear(a,b), less is better where a > b; log(a,b) from 0, for counts; '
                         'logistic(mid,scale), less is '
                        'better where the scale is negative; percentile(more), percentile(less).' END;
        END IF;
        IF known.factor > 0 THEN
            measure := known.measure;
            kind := known.kind;
            weight := known.factor;
            transform := name || CASE
                WHEN name IN ('minmax', 'rank') THEN ''
                WHEN name = 'percentile' THEN CASE a WHEN 1 THEN '(more)' ELSE '(less)' END
                WHEN name = 'reciprocal' THEN format('(%s)', a)
                ELSE format('(%s,%s)', a, b) END;
            RETURN NEXT;
        END IF;
    END LOOP;
END
$$;
COMMENT ON FUNCTION combine_plan(jsonb, jsonb) IS
'A stated combination of measures, read and checked: weights and transforms';
