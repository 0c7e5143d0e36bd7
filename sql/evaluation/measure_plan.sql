-- measure_plan: parse measure names into the arguments of score_statement and the parameters of its statement.
--
-- Arrays with one element per value: names, trec_names (NULL where options make the value differ from trec_eval's),
-- mean_kinds, kinds, counts (length of its numbers), places (index of its relevance level in levels) and cutoffs.
-- numbers: the numbers of all values, concatenated. by_subtopic: measures to return: true those that need subtopic
-- judgments, false all others. sampled: true returns those that need strata instead. left_out: the first name of the
-- measures not returned, or NULL.
-- Raises IR108, IR201, IR202 (parse_measures), IR201 max_rank below 1, IR202 unknown rules, no measure, or a relevance
-- level below 1 for subtopics.
CREATE OR REPLACE FUNCTION measure_plan(
    measures text[], relevance_level integer, judged_only boolean, max_rank integer, rules text,
    by_subtopic boolean DEFAULT false, sampled boolean DEFAULT false,
    OUT names text[], OUT trec_names text[], OUT mean_kinds text[], OUT kinds text[], OUT counts integer[],
    OUT places integer[], OUT cutoffs integer[], OUT numbers double precision[], OUT levels integer[],
    OUT left_out text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp
SET plan_cache_mode = force_generic_plan  -- one plan suits all measures
AS $$
#variable_conflict use_column
DECLARE
    one record;
BEGIN
    IF measure_plan.rules IS NULL OR measure_plan.rules NOT IN ('trec_eval 9', 'trec_eval 10') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('unknown rules %L', measure_plan.rules),
            HINT = 'Use ''trec_eval 9'' or ''trec_eval 10''.';
    ELSIF measure_plan.max_rank < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = format('max_rank is %s', measure_plan.max_rank),
            HINT = 'It must be 1 or more, or NULL for no limit.';
    ELSIF measure_plan.relevance_level IS NULL OR measure_plan.relevance_level NOT BETWEEN -32768 AND 32767 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the relevance level is %s', coalesce(measure_plan.relevance_level::text, 'NULL')),
            HINT = 'It is the minimum relevant grade, usually 1, and must be in -32768 to 32767.';
    ELSIF coalesce(cardinality(measure_plan.measures), 0) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'no measure given',
            HINT = '''stc show measures'' lists all measures.';
    END IF;
    names := '{}'; trec_names := '{}'; mean_kinds := '{}'; kinds := '{}'; counts := '{}'; places := '{}';
    cutoffs := '{}'; numbers := '{}';
    FOR one IN SELECT * FROM parse_measures(measure_plan.measures) LOOP
        IF ('subtopics' = ANY (one.uses)) <> measure_plan.by_subtopic
           OR ('strata' = ANY (one.uses)) <> measure_plan.sampled THEN
            left_out := coalesce(left_out, one.measure);
            CONTINUE;
        END IF;
        one.level := coalesce(one.level, measure_plan.relevance_level);
        names := names || one.measure;
        kinds := kinds || one.kind;
        mean_kinds := mean_kinds || one.mean;
        cutoffs := cutoffs || coalesce(one.cutoff, 0);
        counts := counts || coalesce(cardinality(one.numbers), 0);
        numbers := numbers || one.numbers;
        places := places || one.level;
        trec_names := trec_names || CASE WHEN one.level = 1 AND NOT measure_plan.judged_only
                                         AND measure_plan.max_rank IS NULL
                                         THEN one.trec_name END;
    END LOOP;
    IF measure_plan.by_subtopic AND 1 > ANY (places) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the relevance level of %s is %s', names[1],
                             (SELECT min(level) FROM unnest(places) AS level)),
            HINT = 'For subtopic judgments it must be 1 or more.';
    END IF;
    levels := ARRAY(SELECT DISTINCT level FROM unnest(places) AS level);
    places := ARRAY(SELECT array_position(levels, level) FROM unnest(places) WITH ORDINALITY AS p (level, i)
                     ORDER BY i);
END
$$;
COMMENT ON FUNCTION measure_plan(text[], integer, boolean, integer, text, boolean, boolean) IS
    'Parses measure names into the arguments of score_statement and the parameters of its statement';
