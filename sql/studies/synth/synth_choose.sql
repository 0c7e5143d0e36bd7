-- synth_choose: makes some candidates of a study the chosen ones, and with each the first usable candidate of the same
-- passage of each origin in also; what was chosen before is no longer. Returns per origin how many are chosen, and of
-- how many passages there is none.
--
-- how: the arguments and histograms of the choice, kept as select in the params of the study.
-- Raises IR202 where a chosen query was published already.
CREATE OR REPLACE FUNCTION synth_choose(study integer, candidates bigint[], also text[], how jsonb)
RETURNS TABLE (origin text, chosen bigint, missing bigint)
LANGUAGE plpgsql SET search_path = stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    published bigint;
    every bigint[];
BEGIN
    SELECT count(*) INTO published FROM synth_candidates c WHERE c.study = synth_choose.study AND c.query IS NOT NULL;
    IF published > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s chosen queries of the study %L are published already', published,
                             (SELECT s.study FROM synth_studies s WHERE s.id = synth_choose.study)),
            HINT = 'What was published stays as it is: another choice takes another study.';
    END IF;
    every := synth_choose.candidates || ARRAY(
        SELECT DISTINCT ON (a.origin, a.doc) a.id
          FROM synth_candidates c
          JOIN synth_candidates a ON a.study = c.study AND a.doc = c.doc AND a.origin = ANY (synth_choose.also)
         WHERE c.id = ANY (synth_choose.candidates) AND a.dropped IS NULL AND a.text IS NOT NULL
         ORDER BY a.origin, a.doc, a.number);
    UPDATE synth_candidates c SET chosen = false
     WHERE c.study = synth_choose.study AND c.chosen AND NOT c.id = ANY (every);
    UPDATE synth_candidates c SET chosen = true WHERE c.id = ANY (every) AND NOT c.chosen;
    UPDATE synth_studies s SET params = s.params || jsonb_build_object('select', synth_choose.how)
        WHERE s.id = synth_choose.study;
    RETURN QUERY
    SELECT o.origin, count(c.id), cardinality(synth_choose.candidates) - count(c.id)
      FROM unnest(array_prepend(synth_choose.how ->> 'origin', synth_choose.also)) WITH ORDINALITY AS o (origin, place)
      LEFT JOIN synth_candidates c ON c.id = ANY (every) AND c.origin = o.origin
     GROUP BY o.origin, o.place ORDER BY o.place;
END
$$;
COMMENT ON FUNCTION synth_choose(integer, bigint[], text[], jsonb) IS
    'Makes candidates of a study the chosen ones, with those of other origins of the same passages';
