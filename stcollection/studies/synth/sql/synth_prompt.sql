-- synth_prompt: key of a prompt template, which is stored if it is new. Raises IR202 an empty name of model or prompt.
CREATE OR REPLACE FUNCTION synth_prompt(model text, prompt text, template text) RETURNS integer
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    digest CONSTANT text := encode(sha256(convert_to(synth_prompt.template, 'UTF8')), 'hex');
BEGIN
    IF btrim(coalesce(synth_prompt.model, '')) = '' OR btrim(coalesce(synth_prompt.prompt, '')) = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the model or prompt is empty',
            HINT = 'Name both: --model, --prompt.';
    END IF;
    PERFORM check_name('model', synth_prompt.model), check_name('prompt', synth_prompt.prompt);
    INSERT INTO llm_prompts (name, sha256, template) VALUES (synth_prompt.prompt, digest, synth_prompt.template)
    ON CONFLICT DO NOTHING;
    RETURN (SELECT p.id FROM llm_prompts p WHERE p.sha256 = digest);
END
$$;
COMMENT ON FUNCTION synth_prompt(text, text, text) IS 'The key of a prompt template, which is stored if it is new';
