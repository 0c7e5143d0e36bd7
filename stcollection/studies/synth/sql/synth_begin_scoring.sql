-- synth_begin_scoring: prepare scoring of a study by a language model with a prompt; return the keys of study and
-- prompt.
--
-- A study has one scorer, so that scores are comparable; it can be changed until the first answer. A scorer marked as
-- simulated stays marked once it has answered.
-- Raises IR112 no such study, IR202 an empty name, or another model or prompt has already scored the study.
CREATE OR REPLACE FUNCTION synth_begin_scoring(
    study text, model text, prompt text, template text, OUT study_id integer, OUT prompt_id integer)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    before record;
BEGIN
    study_id := synth_study_key(synth_begin_scoring.study);
    PERFORM FROM synth_studies s WHERE s.id = study_id FOR NO KEY UPDATE;
    prompt_id := synth_prompt(synth_begin_scoring.model, synth_begin_scoring.prompt, synth_begin_scoring.template);
    SELECT p.model, p.prompt, l.name, s.params #> '{score,simulated}' AS simulated INTO before
      FROM synth_passages p JOIN llm_prompts l ON l.id = p.prompt JOIN synth_studies s ON s.id = p.study
     WHERE p.study = study_id AND p.answer IS NOT NULL LIMIT 1;
    IF FOUND AND (before.model, before.prompt) IS DISTINCT FROM (synth_begin_scoring.model COLLATE "C", prompt_id) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('study %L is already scored by %s with %s', synth_begin_scoring.study,
                before.model, CASE WHEN before.prompt = prompt_id OR before.name <> synth_begin_scoring.prompt
                                   THEN 'the prompt ' || before.name
                                   ELSE 'another version of the prompt ' || before.name END),
            HINT = 'Continue with these, because scores of two scorers are not comparable. For another scorer, sample '
                   'the same documents into another study.';
    END IF;
    UPDATE synth_studies s
       SET params = s.params || jsonb_build_object('score', jsonb_strip_nulls(jsonb_build_object(
               'model', synth_begin_scoring.model, 'prompt', prompt_id, 'simulated', before.simulated)))
     WHERE s.id = study_id;
END
$$;
COMMENT ON FUNCTION synth_begin_scoring(text, text, text, text) IS
    'Prepares scoring of a study by a language model with a prompt; returns the keys of study and prompt';
