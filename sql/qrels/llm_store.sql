-- llm_store: store answers of a judge unmodified, and append a judgment of origin llm for each that has a grade.
-- Returns the number of judgments added.
--
-- A pair gets at most one answer with a grade.
--
-- answers: [{query, doc, answer, rel, error, finish, params, prompt_tokens, completion_tokens, attempts, seconds}]
-- Raises IR102 if the judge's edition was removed.
CREATE OR REPLACE FUNCTION llm_store(judge integer, answers jsonb) RETURNS bigint
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    signed llm_judges;
    added bigint;
BEGIN
    -- Lock the edition's row before the judge's, in the same order as drop_edition, to avoid a deadlock.
    PERFORM FROM qrels_editions e
        WHERE e.id = (SELECT g.edition FROM llm_judges g WHERE g.id = llm_store.judge) FOR NO KEY UPDATE;
    SELECT * INTO signed FROM llm_judges g WHERE g.id = llm_store.judge FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR102', MESSAGE = 'the edition was removed while it was judged',
            HINT = 'Start again; this creates the edition again.';
    END IF;
    WITH given AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(llm_store.answers) AS g(
            query integer, doc bigint, answer text, rel smallint, error text, finish text, params jsonb,
            prompt_tokens integer, completion_tokens integer, attempts integer, seconds double precision)),
    kept AS (
        INSERT INTO llm_answers (judge, query, doc, answer, rel, error, finish, params, prompt_tokens,
                                 completion_tokens, attempts, seconds)
        SELECT signed.id, g.query, g.doc, g.answer, g.rel, g.error, g.finish, coalesce(g.params, '{}'),
               g.prompt_tokens, g.completion_tokens, g.attempts, g.seconds
          FROM given g
        ON CONFLICT (judge, query, doc) WHERE rel IS NOT NULL DO NOTHING
        RETURNING query, doc, rel)
    INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator, hidden)
    SELECT signed.edition, k.query, k.doc, k.rel, 'llm', signed.annotator, e.hidden
      FROM kept k JOIN qrels_editions e ON e.id = signed.edition WHERE k.rel IS NOT NULL
    ON CONFLICT (edition, query, doc, origin, annotator, hidden) DO NOTHING;
    GET DIAGNOSTICS added = ROW_COUNT;
    RETURN added;
END
$$;
COMMENT ON FUNCTION llm_store(integer, jsonb) IS
    'Stores answers of a judge unmodified and appends a judgment for each that has a grade; returns the number of '
    'judgments added';
