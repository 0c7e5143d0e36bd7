-- parse_measures: what names of measures stand for, one row per value; place is their order.
--
-- trec_eval      map, P_10, P.5,10 (two values), P (its nine), ndcg.1=3,2=9, official, set, all_trec (relstring and runid are no values:
--                relevance_strings)
-- ir_measures    nDCG@10, P(rel=2)@5, RBP(p=0.8), nDCG(dcg='exp-log2')@10; case does not count, MRR, MAP and NDCG are read too
--
-- measure is the name as given; where one stands for several values, or has a dot, it is the name trec_eval prints (P_5), which trec_name
-- is anyway. Of a kind (measure_kinds): cutoff; numbers: the share, the coefficients, p, the largest grade (err), or grade and gain by
-- turns; level: the least relevant grade, NULL as the caller says.
-- Raises IR108 no such measure, IR201 a cutoff below 1, IR202 a parameter it does not have or that is out of range.
CREATE OR REPLACE FUNCTION parse_measures(measures text[])
RETURNS TABLE (place integer, measure text, trec_name text, kind text, cutoff integer, numbers double precision[], level integer,
               mean text)
LANGUAGE plpgsql IMMUTABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    a_number CONSTANT text := '^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$';
    given text;
    name text;
    parts text[];
    listed text;   -- parameters as trec_eval writes them
    at_rank text;  -- what stands behind @
    largest double precision;  -- grade, of err
    option text;
    several boolean;
    hit record;
    value double precision;
BEGIN
    place := 0;
    FOREACH given IN ARRAY parse_measures.measures LOOP
        name := coalesce(btrim(given, E' \t\n'), '');
        level := NULL; listed := NULL; at_rank := NULL; option := NULL; largest := 4;
        parts := ARRAY(SELECT k.kind FROM measure_kinds() k WHERE name = ANY (k.groups) ORDER BY k.place);
        several := cardinality(parts) > 0;
        IF several THEN
            NULL;
        ELSIF EXISTS (SELECT FROM measure_kinds() k WHERE k.kind = name) THEN
            parts := ARRAY[name];
            several := EXISTS (SELECT FROM measure_kinds() k WHERE k.kind = name AND k.takes IN ('cutoff', 'share'));
        ELSE
            SELECT k.kind, substr(name, length(k.kind) + 2) AS rest, substr(name, length(k.kind) + 1, 1) AS sign INTO hit
              FROM measure_kinds() k
             WHERE k.takes <> 'nothing' AND name ~ ('^' || k.kind || '[._][-+.\d=,ep]+$')
             ORDER BY length(k.kind) DESC LIMIT 1;
            IF FOUND THEN
                parts := ARRAY[hit.kind]; listed := hit.rest; several := hit.sign = '.' OR listed ~ ',';
            ELSE
                parts := regexp_match(name, '^([A-Za-z_0-9]+?)(?:\(([^()]*)\))?(?:@([^@() ]*)|_(\d+))?$');
                option := parts[2]; at_rank := coalesce(parts[3], parts[4]);
                SELECT CASE WHEN at_rank IS NULL THEN n.whole ELSE n.cut END AS kind, 1 AS choice INTO hit
                  FROM (VALUES ('ndcg', 'ndcg', 'ndcg_cut'), ('ap', 'map', 'map_cut'), ('map', 'map', 'map_cut'),
                               ('rr', 'recip_rank', 'recip_rank_cut'), ('mrr', 'recip_rank', 'recip_rank_cut'),
                               ('recip_rank', 'recip_rank', 'recip_rank_cut'), ('p', NULL, 'P'), ('precision', NULL, 'P'),
                               ('r', NULL, 'recall'), ('recall', NULL, 'recall'), ('bpref', 'bpref', NULL), ('rprec', 'Rprec', NULL),
                               ('success', NULL, 'success'), ('iprec', NULL, 'iprec_at_recall'), ('infap', 'infAP', NULL),
                               ('setp', 'set_P', NULL), ('setr', 'set_recall', NULL), ('setf', 'set_F', NULL),
                               ('setap', 'set_map', NULL), ('numq', 'num_q', NULL), ('numret', 'num_ret', NULL),
                               ('numrel', 'num_rel', NULL), ('rbp', 'binary_rbp', 'binary_rbp'), ('err', NULL, 'err'),
                               ('judged', NULL, 'judged')) AS n (alias, whole, cut)
                 WHERE n.alias = lower(parts[1])
                UNION ALL
                SELECT CASE WHEN (at_rank IS NULL) = (k.takes NOT IN ('cutoff', 'share')) OR k.takes = 'p' THEN k.kind END, 2
                  FROM measure_kinds() k WHERE lower(k.kind) = lower(parts[1])
                 ORDER BY choice LIMIT 1;
                IF NOT FOUND THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR108', MESSAGE = format('there is no measure %L', given), HINT = concat(
                        CASE WHEN name ~ '^(relstring|runid)' THEN 'It has no value; stc evaluation score --format trec_eval prints it. ' END,
                        'Did you mean ' || quote_literal(nearest_name(coalesce(parts[1], name), ARRAY(
                            SELECT k.kind FROM measure_kinds() k UNION SELECT unnest('{nDCG,AP,RR,RBP,ERR,Judged,Success}'::text[])))) || '? ',
                        '''stc evaluation measures'' lists those there are.');
                ELSIF hit.kind IS NULL THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR108', MESSAGE = format('there is no measure %L', given),
                        HINT = CASE WHEN at_rank IS NULL THEN format('Add a cutoff: %s@10.', name)
                                    ELSE format('%s is of the whole ranking: name it without the cutoff.', parts[1]) END;
                END IF;
                parts := ARRAY[hit.kind];
            END IF;
        END IF;

        FOR hit IN SELECT k.* FROM unnest(parts) WITH ORDINALITY AS p (kind, place) JOIN measure_kinds() k USING (kind) ORDER BY p.place
        LOOP
            kind := hit.kind; mean := hit.mean; cutoff := NULL; numbers := hit.defaults;
            -- parameters in brackets
            FOREACH option IN ARRAY string_to_array(coalesce(option, ''), ',') LOOP
                option := lower(regexp_replace(option, '[\s''"]', '', 'g'));
                IF option ~ '^rel=-?\d{1,5}$' THEN
                    level := split_part(option, '=', 2)::integer;
                    IF kind = 'num_ret' THEN kind := 'num_rel_ret'; END IF;
                ELSIF option = 'dcg=exp-log2' AND kind = 'ndcg_cut' THEN
                    kind := 'ndcg_exp';
                ELSIF option ~ '^p=[\d.]+$' AND kind IN ('binary_rbp', 'rbp', 'rbp_resid') THEN
                    numbers := ARRAY[split_part(option, '=', 2)::double precision];
                ELSIF option ~ '^max=\d{1,2}$' AND kind = 'err' THEN
                    largest := split_part(option, '=', 2)::double precision;
                ELSIF option ~ '^beta=[\d.]+$' AND kind = 'set_F' THEN
                    numbers := ARRAY[split_part(option, '=', 2)::double precision ^ 2];
                ELSIF NOT (option = '' OR option = 'dcg=log2' OR option = 'judged_only=false') THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s asks for %s', given, option), HINT = CASE
                        WHEN option = 'judged_only=true' THEN 'judged_only is a parameter of the call: --judged-only, for all measures.'
                        ELSE 'rel, p (RBP), dcg (nDCG), max (ERR) and beta (SetF) are read.' END;
                END IF;
            END LOOP;
            option := NULL;

            IF at_rank IS NOT NULL AND (at_rank !~ a_number OR hit.takes = 'nothing' AND kind NOT IN ('num_rel_ret')) THEN
                RAISE EXCEPTION USING ERRCODE = 'IR108', MESSAGE = format('there is no measure %L', given),
                    HINT = 'A cutoff is a number: nDCG@10.';
            ELSIF listed IS NOT NULL AND hit.takes <> 'gains' AND hit.takes <> 'p' AND EXISTS (
                SELECT FROM unnest(string_to_array(listed, ',')) AS l (item) WHERE item !~ a_number) THEN
                RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s has parameters that are no numbers: %s', given, listed),
                    HINT = 'As in P.5,10 or iprec_at_recall.0.1,0.2.';
            END IF;
            IF hit.takes = 'gains' AND listed IS NOT NULL THEN
                IF listed !~ '^\d{1,5}=[+-]?(\d+\.?\d*|\.\d+)(,\d{1,5}=[+-]?(\d+\.?\d*|\.\d+))*$' THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s has gains that cannot be read: %s', given, listed),
                        HINT = 'As in ndcg.1=3,2=9: grade=gain.';
                END IF;
                numbers := string_to_array(translate(listed, '=', ','), ',')::double precision[];
            ELSIF hit.takes = 'p' AND listed IS NOT NULL THEN
                IF listed !~ '^(p=)?(\d+\.?\d*|\.\d+)$' THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s has parameters that cannot be read: %s', given, listed),
                        HINT = 'As in rbp.p=0.8.';
                END IF;
                numbers := ARRAY[replace(listed, 'p=', '')::double precision];
            ELSIF listed IS NOT NULL THEN
                numbers := string_to_array(listed, ',')::double precision[];
            ELSIF at_rank IS NOT NULL AND hit.takes IN ('cutoff', 'share') THEN
                numbers := ARRAY[at_rank::double precision];
            END IF;
            IF kind = 'utility' AND cardinality(numbers) <> 4 THEN
                RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('utility has four coefficients, not %s', cardinality(numbers)),
                    HINT = 'As in utility.1,-1,0,0: of relevant and not relevant ones retrieved, then not retrieved.';
            ELSIF hit.takes = 'p' AND NOT numbers[1] BETWEEN 0 AND 1 OR kind = 'set_F' AND numbers[1] < 0 THEN
                RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s has a parameter of %s', given, numbers[1]),
                    HINT = 'p is from 0 to 1, what set_F weighs recall by 0 or more.';
            END IF;

            IF hit.takes NOT IN ('cutoff', 'share') THEN
                trec_name := CASE WHEN listed IS NULL AND at_rank IS NULL AND numbers IS NOT DISTINCT FROM hit.defaults THEN kind
                                  ELSE kind || '_' || coalesce(listed, array_to_string(numbers, ',')) END;
                IF hit.takes = 'p' AND at_rank IS NOT NULL THEN
                    IF at_rank !~ '^\d{1,10}$' OR at_rank::bigint NOT BETWEEN 1 AND 2147483647 THEN
                        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = format('%s has a cutoff of %s', given, at_rank),
                            HINT = 'A cutoff is how many ranks count, 1 or more.';
                    END IF;
                    cutoff := at_rank::integer;
                END IF;
                measure := CASE WHEN several THEN trec_name ELSE given END;
                place := place + 1;
                RETURN NEXT;
                CONTINUE;
            END IF;
            FOR value IN SELECT DISTINCT n FROM unnest(numbers) AS n ORDER BY n LOOP
                IF hit.takes = 'share' THEN
                    IF value < 0 THEN
                        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s has a share of %s', given, value),
                            HINT = 'It is a share of the relevant documents, 0 or more.';
                    END IF;
                    numbers := ARRAY[value];
                    trec_name := kind || '_' || to_char(round(value::numeric, 2), 'FM999999990.00');
                ELSE
                    IF trunc(value) NOT BETWEEN 1 AND 2147483647 OR listed IS NULL AND value <> trunc(value) THEN
                        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = format('%s has a cutoff of %s', given, value),
                            HINT = 'A cutoff is how many ranks count, 1 or more.';
                    END IF;
                    cutoff := trunc(value)::integer;
                    trec_name := replace(kind, 'recip_rank_cut', 'recip_rank') || '_' || cutoff;
                    numbers := CASE WHEN kind = 'err' THEN ARRAY[largest] END;
                END IF;
                measure := CASE WHEN several THEN trec_name ELSE given END;
                place := place + 1;
                RETURN NEXT;
            END LOOP;
        END LOOP;
    END LOOP;
END
$$;
COMMENT ON FUNCTION parse_measures(text[]) IS
    'What names of measures stand for, in trec_eval''s names or those of ir_measures: one row per value';
