-- parse_measures: parse names of measures, one row per value; place is their order.
--
--   trec_eval      map, P_10, P.5,10 (two values), P (its nine values), ndcg.1=3,2=9, official, set, all_trec
--                  (relstring and runid are not values: see relevance_strings)
--   ir_measures    nDCG@10, P(rel=2)@5, RBP(p=0.8), nDCG(dcg='exp-log2')@10, in any case; also MRR, MAP, NDCG
--   ranx           hit_rate@5, r-precision, ndcg_burges@10
--
-- Columns:
--
--   measure    the name as given; the name that trec_eval prints (P_5) if the given name has a dot or several values
--   trec_name  the name that trec_eval prints
--   kind       the kind in measure_registry
--   cutoff     NULL if the measure uses the whole ranking
--   numbers    the share, the coefficients, the parameters in the registry's order, or alternating grades and gains
--   level      minimum relevant grade; NULL to use the caller's
--   mean, uses as in measure_registry
--
-- Raises IR108 no such measure, IR201 cutoff below 1, IR202 a parameter that is unknown or out of range.
CREATE OR REPLACE FUNCTION parse_measures(measures text[])
RETURNS TABLE (place integer, measure text, trec_name text, kind text, cutoff integer, numbers double precision[],
               level integer,
               mean text, uses text[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp
SET plan_cache_mode = force_generic_plan  -- one plan suits all measures
AS $$
#variable_conflict use_column
DECLARE
    registry CONSTANT measure_registry[] := ARRAY(SELECT k FROM measure_registry k);
    a_number CONSTANT text := '^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$';
    a_cutoff CONSTANT text := 'A cutoff is the number of ranks evaluated; it must be 1 or more.';
    given text;
    name text;
    parts text[];
    kinds text[];     -- the kinds with this name
    several boolean;  -- whether the name has several values
    listed text;      -- parameters as trec_eval writes them
    options text[];   -- parameters in brackets
    at_rank text;     -- the part after @
    base text;        -- the name before brackets and cutoff
    shared text;      -- the ir_measures name of the kind called base
    option text;
    hit record;
    names text[];     -- the parameters of a kind
    ranges numrange[];
    squared boolean[];
    whole boolean[];  -- integers
    defaults double precision[];
    n integer;
    value double precision;
    shown text;
BEGIN
    place := 0;
    FOREACH given IN ARRAY parse_measures.measures LOOP
        name := coalesce(btrim(given, E' \t\n'), '');
        listed := NULL; options := '{}'; at_rank := NULL;
        SELECT coalesce(array_agg(k.kind ORDER BY k.place), '{}'),
               coalesce(bool_or(k.kind <> name OR k.takes IN ('cutoff', 'share')), false)
          INTO kinds, several FROM unnest(registry) k WHERE k.kind = name OR name = ANY (k.groups);
        IF cardinality(kinds) = 0 THEN
            SELECT k.kind, substr(name, length(k.kind) + 2) AS rest,
                   substr(name, length(k.kind) + 1, 1) AS sign INTO hit
              FROM unnest(registry) k
             WHERE k.takes <> 'nothing' AND starts_with(name, k.kind)
               AND substr(name, length(k.kind) + 1) ~ '^[._][-+.\d=,ep]+$'
             ORDER BY length(k.kind) DESC LIMIT 1;
            IF FOUND THEN
                kinds := ARRAY[hit.kind]; listed := hit.rest; several := hit.sign = '.' OR listed ~ ',';
            ELSE
                parts := regexp_match(name, '^([A-Za-z_0-9-]+?)(?:\(([^()]*)\))?(?:@([^@() ]*)|_(\d+))?$');
                options := string_to_array(lower(regexp_replace(parts[2], '[\s''"]', '', 'g')), ',');
                at_rank := coalesce(parts[3], parts[4]);
                base := lower(parts[1]);
                shared := (SELECT lower(split_part(k.ir, '(', 1)) FROM unnest(registry) k
                            WHERE lower(k.kind) = base LIMIT 1);
                -- choose the best match among the kinds with this name and those that share its ir_measures name
                SELECT k.kind, k.takes = 'p' OR (at_rank IS NULL)
                       = (k.takes NOT IN ('cutoff', 'share')) AS fits INTO hit
                  FROM unnest(registry) k
                 CROSS JOIN LATERAL (SELECT k.ir LIKE '%(%' AS special, EXISTS (
                       SELECT FROM unnest(options) AS o
                        WHERE starts_with(o, split_part(translate(k.ir, ''')…', ''), '(', 2))) AS chosen) c
                 WHERE lower(k.kind) = base
                    OR base = ANY (k.also)
                    OR lower(split_part(k.ir, '(', 1)) IN (base, shared) AND (c.special AND NOT c.chosen) IS NOT TRUE
                 ORDER BY 2 DESC, (c.special AND c.chosen) IS TRUE DESC,
                          (lower(split_part(k.ir, '(', 1)) = base OR base = ANY (k.also)) IS TRUE DESC,
                          lower(k.kind) = base DESC, k.place
                 LIMIT 1;
                IF NOT FOUND THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR108', MESSAGE = format('there is no measure %L', given),
                        HINT = concat(
                        CASE WHEN name ~ '^(relstring|runid)'
                             THEN 'It is not a value; stc score --format trec_eval prints it. ' END,
                        'Did you mean ' || quote_literal(nearest_name(coalesce(parts[1], name), ARRAY(
                            SELECT k.kind FROM unnest(registry) k
                             UNION SELECT split_part(k.ir, '(', 1) FROM unnest(registry) k))) || '? ',
                        '''stc show measures'' lists all measures.');
                ELSIF NOT hit.fits THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR108', MESSAGE = format('there is no measure %L', given),
                        HINT = CASE WHEN at_rank IS NULL THEN format('Add a cutoff: %s@10.', name)
                                    ELSE format('%s uses the whole ranking: remove the cutoff.', parts[1]) END;
                ELSIF at_rank !~ a_number THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR108', MESSAGE = format('there is no measure %L', given),
                        HINT = 'The cutoff must be a number, as in nDCG@10.';
                END IF;
                kinds := ARRAY[hit.kind];
            END IF;
        END IF;

        FOR hit IN SELECT k.* FROM unnest(registry) k WHERE k.kind = ANY (kinds) ORDER BY k.place
        LOOP
            kind := hit.kind; mean := hit.mean; uses := hit.uses; cutoff := NULL; level := NULL;
            names := NULL;
            defaults := CASE WHEN hit.takes = 'numbers' THEN hit.defaults END;
            IF hit.parameters IS NOT NULL THEN
                SELECT array_agg(p.name ORDER BY i), array_agg(p.squared IS TRUE ORDER BY i),
                       array_agg(p."default" !~ '\.' ORDER BY i), array_agg(p.range ORDER BY i),
                       array_agg(p."default"::double precision ORDER BY i)
                  INTO names, squared, whole, ranges, defaults
                  FROM ROWS FROM (jsonb_to_recordset(hit.parameters) AS (
                       name text, "default" text, range numrange, squared boolean)) WITH ORDINALITY
                    AS p (name, "default", range, squared, i);
            END IF;
            numbers := defaults;
            FOREACH option IN ARRAY coalesce(options, '{}') LOOP
                IF option ~ '^rel=-?\d{1,5}$' THEN
                    level := split_part(option, '=', 2)::integer;
                    CONTINUE;
                ELSIF option IN ('', 'dcg=log2', 'judged_only=false')
                    OR strpos(translate(hit.ir, '''', ''), '(' || option || ')') > 0 THEN
                    CONTINUE;  -- restates the default
                END IF;
                SELECT i INTO n FROM unnest(names) WITH ORDINALITY AS p (name, i)
                 WHERE lower(p.name) = split_part(option, '=', 1);
                IF n IS NULL OR split_part(option, '=', 2)
                    !~ (CASE WHEN whole[n] THEN '^-?\d{1,5}$' ELSE a_number END) THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format(
                            '%s has an invalid parameter %s', given, option),
                        HINT = CASE
                        WHEN option = 'judged_only=true'
                            THEN 'judged_only applies to all measures of a call: '
                                 '''stc score --judged-only''.'
                        ELSE format('Its parameters are %s.', array_to_string('rel'::text || names, ', ')) END;
                END IF;
                numbers[n] := split_part(option, '=', 2)::double precision;
                numbers[n] := CASE WHEN squared[n] THEN numbers[n] * numbers[n] ELSE numbers[n] END;
            END LOOP;

            IF hit.takes = 'gains' AND listed IS NOT NULL THEN
                IF listed !~ '^\d{1,5}=[+-]?(\d+\.?\d*|\.\d+)(,\d{1,5}=[+-]?(\d+\.?\d*|\.\d+))*$' THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR202',
                        MESSAGE = format('%s has invalid gains: %s', given, listed),
                        HINT = 'Write gains as grade=gain, for example ndcg.1=3,2=9.';
                END IF;
                numbers := string_to_array(translate(listed, '=', ','), ',')::double precision[];
            ELSIF listed IS NOT NULL THEN
                IF EXISTS (SELECT FROM unnest(string_to_array(
                                                              CASE WHEN hit.takes = 'p'
                                                                   THEN regexp_replace(listed,
                                                                           '^' || names[1] || '=', '')
                                                                   ELSE listed END, ',')) AS l (item)
                                                                       WHERE l.item !~ a_number) THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR202',
                        MESSAGE = format('%s has parameters that are not numbers: %s', given, listed),
                        HINT = 'Write parameters as in P.5,10, iprec_at_recall.0.1,0.2 or rbp.p=0.8.';
                END IF;
                numbers := string_to_array(regexp_replace(listed, '^\w+=', ''), ',')::double precision[];
                IF hit.takes NOT IN ('cutoff', 'share') AND cardinality(numbers) <> cardinality(names) THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR202',
                        MESSAGE = format('%s has %s, not %s', given, counted(cardinality(numbers), 'number'),
                                         cardinality(names)),
                        HINT = format('%s takes %s.', kind, array_to_string(names, ', '));
                END IF;
            END IF;
            IF names IS NOT NULL AND (hit.takes <> 'cutoff' OR listed IS NULL) THEN
                SELECT i INTO n FROM unnest(numbers, ranges) WITH ORDINALITY AS p (number, among, i)
                 WHERE NOT p.number::numeric <@ p.among LIMIT 1;
                IF FOUND THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR202',
                        MESSAGE = format('%s has a parameter of %s', given, numbers[n]),
                        HINT = concat_ws(' ', names[n], 'must be', 'from ' || lower(ranges[n]),
                                         'to ' || upper(ranges[n])) || '.';
                END IF;
            END IF;

            shown := CASE WHEN hit.takes NOT IN ('cutoff', 'share') THEN listed END;
            IF listed IS NULL AND numbers <> defaults THEN
                shown := CASE hit.takes WHEN 'numbers' THEN array_to_string(numbers, ',') ELSE (
                    SELECT string_agg(format('%s=%s', p.name, p.number), ',' ORDER BY p.i)
                      FROM unnest(names, numbers, defaults) WITH ORDINALITY AS p (name, number, usual, i)
                     WHERE p.number <> p.usual) END;
            END IF;
            IF hit.takes NOT IN ('cutoff', 'share') THEN
                IF at_rank IS NOT NULL THEN
                    IF at_rank !~ '^\d{1,10}$' OR at_rank::bigint NOT BETWEEN 1 AND 2147483647 THEN
                        RAISE EXCEPTION USING ERRCODE = 'IR201',
                            MESSAGE = format('%s has a cutoff of %s', given, at_rank), HINT = a_cutoff;
                    END IF;
                    cutoff := at_rank::integer;
                END IF;
                trec_name := concat_ws('_', hit.printed, shown, cutoff);
                measure := CASE WHEN several THEN trec_name ELSE given END;
                place := place + 1;
                RETURN NEXT;
                CONTINUE;
            END IF;
            FOR value IN SELECT DISTINCT u.value FROM unnest(
                CASE WHEN at_rank IS NOT NULL THEN ARRAY[at_rank::double precision] WHEN listed IS NOT NULL THEN numbers
                     ELSE hit.defaults END)
                AS u (value) ORDER BY 1
            LOOP
                IF hit.takes = 'share' THEN
                    IF value < 0 THEN
                        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s has a share of %s', given, value),
                            HINT = 'It is a share of the relevant documents and must be 0 or more.';
                    END IF;
                    numbers := ARRAY[value];
                ELSE
                    IF trunc(value) NOT BETWEEN 1 AND 2147483647 OR listed IS NULL AND value <> trunc(value) THEN
                        RAISE EXCEPTION USING ERRCODE = 'IR201',
                            MESSAGE = format('%s has a cutoff of %s', given, value), HINT = a_cutoff;
                    END IF;
                    value := trunc(value);
                    cutoff := value::integer;
                    numbers := CASE WHEN listed IS NULL THEN numbers ELSE defaults END;
                END IF;
                trec_name := measure_name(concat_ws('_', hit.printed, shown), hit.takes, value);
                measure := CASE WHEN several THEN trec_name ELSE given END;
                place := place + 1;
                RETURN NEXT;
            END LOOP;
        END LOOP;
    END LOOP;
END
$$;
COMMENT ON FUNCTION parse_measures(text[]) IS
    'Parses names of measures, in the syntax of trec_eval or ir_measures; one row per value';
