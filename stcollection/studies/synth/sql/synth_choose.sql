-- synth_choose: choose candidates of a study, replacing an earlier choice, and for each the first usable candidate of
-- the same passage from each origin in also. Returns per origin the number chosen, and the number of passages without
-- one.
--
-- how: arguments and histograms of the choice, stored as select in the params of the study.
-- Raises IR202 if a chosen query is already published.
CREATE OR REPLACE FUNCTION synth_choose(study integer, candidates bigint[], also text[], how jsonb)
RETURNS TABLE (origin text, chosen bigint, missing bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    published bigint;
    every bigint[];
BEGIN
    SELECT count(*) INTO published FROM synth_candidates c WHERE c.study = synth_choose.study AND c.query IS NOT NULL;
    IF published > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('study %L has %s already published',
                             (SELECT s.study FROM synth_studies s WHERE s.id = synth_choose.study),
                             counted(published, 'chosen query that is', 'chosen queries that are')),
            HINT = 'Published queries cannot be changed. Create another study for another choice.';
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
    'Chooses candidates of a study, with those of other origins for the same passages; returns numbers chosen and '
    'missing per origin';
