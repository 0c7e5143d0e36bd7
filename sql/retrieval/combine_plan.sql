-- combine_plan: parse and check a combination of measures: one row per measure with a weight above 0, in the order of
-- combine_measures.
--
--   SELECT * FROM combine_plan('{"relevance": 0.8, "textstat_fkgl": 0.2}', '{"textstat_fkgl": "linear(20,8)"}');
--
-- weights     an object {"measure": number of 0 or more}; only their proportions matter
-- transforms  an object {"measure": "transform"}; other measures use their default (combine_measures):
--
--   for any measure           linear(a,b), log(a,b), logistic(mid,scale)         (combine_transform)
--   for all but relevance     percentile, percentile(more), percentile(less)     default: the measure's direction
--   for relevance, by query   minmax, rank, reciprocal(constant): (1 + constant) / (constant + rank), the constant 60
--                             by default
--
-- transform is returned in full, to be stored with a run. name, a and b are its parts: for percentile and for
-- transforms without numbers a and b are 0 or 1.
-- Raises IR108 no such measure, IR202 weights or transforms in another form, no weight above 0, or a transform that is
-- unknown, has invalid parameters or is not available for this measure.
CREATE OR REPLACE FUNCTION combine_plan(weights jsonb, transforms jsonb DEFAULT '{}')
RETURNS TABLE (measure text, kind text, weight double precision, transform text, name text, a double precision,
               b double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 5
SET search_path = stc_all, stc, public, pg_temp
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
        fault := format('weights must be an object, not %s', coalesce(left(combine_plan.weights::text, 80), 'NULL'));
    ELSIF jsonb_typeof(wanted) <> 'object' OR jsonb_path_exists(wanted, 'strict $.* ? (@.type() != "string")') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('transforms must be an object with a text for each measure, not %s',
                             left(wanted::text, 80)),
            HINT = 'Write {"textstat_fkgl": "linear(20,8)"}.';
    ELSE
        PERFORM combine_check(ARRAY(SELECT jsonb_object_keys(combine_plan.weights)));
        SELECT format('the weight of %s is %s', e.key, left(e.value::text, 80)) INTO fault
          FROM jsonb_each(combine_plan.weights) e
         WHERE CASE jsonb_typeof(e.value) WHEN 'number'
                    THEN (e.value #>> '{}')::numeric <> 0 AND (e.value #>> '{}')::numeric NOT BETWEEN 1e-30 AND 1e30
                    ELSE true END
         LIMIT 1;
        IF fault IS NULL THEN  -- a parallel query would evaluate both parts of an AND
            IF NOT EXISTS (SELECT FROM jsonb_each_text(combine_plan.weights) e WHERE e.value::numeric > 0) THEN
                fault := 'no weight is above 0';
            END IF;
        END IF;
    END IF;
    IF fault IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = fault,
            HINT = 'Write an object with a number of 0 or more for each measure: {"relevance": 0.8, "textstat_fkgl": '
                         '0.2}.';
    END IF;
    IF wanted <> '{}' THEN
        PERFORM combine_check(ARRAY(SELECT jsonb_object_keys(wanted)));
    END IF;
    SELECT t.key INTO fault FROM jsonb_object_keys(wanted) t (key) WHERE NOT combine_plan.weights ? t.key LIMIT 1;
    IF fault IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s has a transform but no weight', fault),
            HINT = 'Add a weight for it, or remove the transform.';
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
                fault := 'unknown transform';
            WHEN (known.kind = 'relevance') <> (name IN ('minmax', 'rank', 'reciprocal'))
            AND name NOT IN ('linear', 'log', 'logistic') THEN
                fault := 'not available for this measure';
            WHEN name = 'percentile' THEN
                IF more IS NULL OR cardinality(words) > 1 THEN
                    fault := 'the direction must be more or less';
                END IF;
                a := more;
                b := 1 - more;
            WHEN cardinality(words) <> (CASE WHEN name IN ('minmax', 'rank') THEN 0 WHEN name = 'reciprocal' THEN 1
                                             ELSE 2 END)
                OR (words IS NULL AND name IN ('linear', 'log', 'logistic')) THEN
                fault := 'wrong number of parameters';
            WHEN EXISTS (SELECT FROM unnest(words) u (word)
                          WHERE u.word !~ '^[+-]?(\d{1,15}\.?\d{0,15}|\.\d{1,15})(e[+-]?\d{1,2})?$') THEN
                fault := 'parameters must be numbers';
            ELSE
                a := coalesce(words[1], CASE name WHEN 'reciprocal' THEN '60' ELSE '0' END)::double precision;
                b := coalesce(words[2], '1')::double precision;
                IF (name IN ('linear', 'log') AND a = b) OR (name = 'log' AND least(a, b) < 0)
                    OR (name = 'logistic' AND b = 0)
                    OR (name = 'reciprocal' AND a < 0) OR (name = 'log' AND ln(1 + a) = ln(1 + b)) THEN
                    fault := 'invalid parameters';
                END IF;
        END CASE;
        IF fault IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'IR202',
                MESSAGE = format('the transform of %s is %s: %s', known.measure,
                                 left(quote_literal(known.stated), 80), fault),
                HINT = CASE known.kind
                    WHEN 'relevance' THEN
                        'Use minmax, rank or reciprocal(60), or for scores linear(a,b), log(a,b) or '
                        'logistic(mid,scale).'
                    ELSE 'Use linear(a,b), where a > b means less is better; log(a,b) from 0, for counts; '
                         'logistic(mid,scale), where a negative scale means less is better; percentile(more) or '
                         'percentile(less).' END;
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
'Parse and check a combination of measures: weights and transforms, one row per measure with a weight';
