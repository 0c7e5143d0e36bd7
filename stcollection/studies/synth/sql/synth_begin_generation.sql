-- synth_begin_generation: prepare the generation of queries of an origin in a study; return the keys of study and
-- prompt (NULL without a prompt). All queries of one origin in a study use the same model, prompt and settings.
--
-- template: NULL for a generator without a prompt. settings: other settings that affect the output, such as the model's
-- revision and temperature.
-- Raises IR112 no such study; IR202 an empty name, an invalid origin, or an origin with different settings.
CREATE OR REPLACE FUNCTION synth_begin_generation(
    study text, origin text, model text, prompt text, template text, settings jsonb, OUT study_id integer,
    OUT prompt_id integer)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    wanted jsonb;
    before jsonb;
    other text;
BEGIN
    study_id := synth_study_key(synth_begin_generation.study);
    PERFORM check_generated_origin(synth_begin_generation.origin);
    SELECT s.params #> ARRAY['generate', synth_begin_generation.origin] INTO before
      FROM synth_studies s WHERE s.id = study_id FOR NO KEY UPDATE;
    IF synth_begin_generation.template IS NOT NULL THEN
        prompt_id := synth_prompt(synth_begin_generation.model, synth_begin_generation.prompt,
                                  synth_begin_generation.template);
    END IF;
    wanted := jsonb_strip_nulls(
        synth_begin_generation.settings || jsonb_build_object('model', synth_begin_generation.model, 'prompt',
                                                              prompt_id));
    SELECT k.key INTO other
      FROM (SELECT jsonb_object_keys(wanted) UNION SELECT jsonb_object_keys(before)) AS k (key)
     WHERE wanted -> k.key IS DISTINCT FROM before -> k.key ORDER BY k.key <> 'model', k.key LIMIT 1;
    IF other IS NOT NULL AND EXISTS (
        SELECT FROM synth_candidates c
         WHERE c.study = study_id AND c.origin = synth_begin_generation.origin AND c.dropped IS DISTINCT FROM 'error')
    THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('queries of origin %s in %L use different settings: %s is %s, not %s',
                             synth_begin_generation.origin,
                             synth_begin_generation.study, other, coalesce(before ->> other, 'not set'),
                             coalesce(wanted ->> other, 'not set')),
            HINT = 'Continue with the same settings, or give these queries another name with --as.';
    END IF;
    UPDATE synth_studies s
       SET params = s.params || jsonb_build_object(
               'generate', coalesce(s.params -> 'generate', '{}')
                   || jsonb_build_object(synth_begin_generation.origin, wanted))
     WHERE s.id = study_id;
END
$$;
COMMENT ON FUNCTION synth_begin_generation(text, text, text, text, text, jsonb) IS
    'Prepares the generation of queries of an origin in a study; returns the keys of study and prompt';
