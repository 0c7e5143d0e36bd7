-- llm_begin: register a language model with a prompt as a judge of an edition, and return its id. Judge and edition are
-- created if they do not exist.
--
--   annotator   name on its judgments. The first prompt of a model in an edition uses the model's name alone, later
--               ones model/prompt@12345678 with the first digits of the template's SHA-256. The name never changes
--   made        true if the edition was created
--
-- The session holds a shared lock on the judge until it releases all its locks; llm_withdraw checks it.
-- Raises IR202 an empty name, IR407 a sealed edition.
CREATE OR REPLACE FUNCTION llm_begin(
    edition text, model text, prompt text, template text, OUT judge integer, OUT annotator text, OUT prompt_sha256 text,
    OUT made boolean)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id integer;
    prompt_id integer;
    when_sealed timestamptz;
BEGIN
    IF coalesce(llm_begin.edition, '') = '' OR coalesce(llm_begin.model, '') = ''
        OR coalesce(llm_begin.prompt, '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the name of the edition, model or prompt is empty',
            HINT = 'Name all three: --edition, --model, --prompt.';
    END IF;
    PERFORM check_name('edition', llm_begin.edition), check_name('model', llm_begin.model),
        check_name('prompt', llm_begin.prompt);
    prompt_sha256 := encode(sha256(convert_to(llm_begin.template, 'UTF8')), 'hex');
    INSERT INTO qrels_editions (edition) VALUES (llm_begin.edition) ON CONFLICT DO NOTHING;
    made := FOUND;
    -- The lock prevents two first prompts from both using the model's name alone.
    SELECT e.id, e.sealed INTO edition_id, when_sealed
      FROM qrels_editions e WHERE e.edition = llm_begin.edition COLLATE "C" FOR NO KEY UPDATE;
    IF when_sealed IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR407',
            MESSAGE = format('edition %L has been sealed since %s', llm_begin.edition, when_sealed::date),
            HINT = 'Judge into another --edition; use --rejudge to judge the pairs of this one.';
    END IF;
    INSERT INTO llm_prompts (name, sha256, template) VALUES (llm_begin.prompt, prompt_sha256, llm_begin.template)
    ON CONFLICT DO NOTHING;
    SELECT p.id INTO prompt_id FROM llm_prompts p WHERE p.sha256 = prompt_sha256;

    SELECT g.id, g.annotator INTO judge, annotator
      FROM llm_judges g WHERE g.edition = edition_id AND g.model = llm_begin.model COLLATE "C" AND g.prompt = prompt_id;
    IF NOT FOUND THEN
        annotator := llm_begin.model;
        IF EXISTS (SELECT FROM llm_judges g WHERE g.edition = edition_id AND g.model = llm_begin.model COLLATE "C") THEN
            annotator := format('%s/%s@%s', llm_begin.model, llm_begin.prompt, left(prompt_sha256, 8));
        END IF;
        INSERT INTO llm_judges (edition, model, prompt, annotator)
            VALUES (edition_id, llm_begin.model, prompt_id, annotator)
        RETURNING id INTO judge;
    END IF;
    PERFORM pg_advisory_lock_shared(llm_key(judge, 0, 0));
END
$$;
COMMENT ON FUNCTION llm_begin(text, text, text, text) IS
    'Registers a language model with a prompt as a judge of an edition; returns its id and the annotator name on '
    'its judgments';
