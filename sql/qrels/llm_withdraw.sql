-- llm_withdraw: takes back what llm_begin has made where nothing came of it: the judge, if it has no answer and no
-- other session is about to judge as it, so that a wrong address does not use up the model's plain name; then the
-- edition, if with_edition and it is empty. Returns whether the judge is gone.
CREATE OR REPLACE FUNCTION llm_withdraw(judge integer, with_edition boolean DEFAULT false) RETURNS boolean
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
DECLARE
    edition_id integer;
BEGIN
    -- The order of locks is llm_begin's: edition, then judge.
    SELECT e.id INTO edition_id FROM qrels_editions e
     WHERE e.id = (SELECT g.edition FROM llm_judges g WHERE g.id = llm_withdraw.judge) FOR UPDATE;
    IF edition_id IS NULL OR NOT pg_try_advisory_xact_lock(llm_key(llm_withdraw.judge, 0, 0)) THEN
        RETURN false;
    END IF;
    DELETE FROM llm_judges g
     WHERE g.id = llm_withdraw.judge AND NOT EXISTS (SELECT FROM llm_answers a WHERE a.judge = llm_withdraw.judge);
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF llm_withdraw.with_edition THEN
        DELETE FROM qrels_editions e
         WHERE e.id = edition_id
           AND NOT EXISTS (SELECT FROM qrels_judgments j WHERE j.edition = edition_id)
           AND NOT EXISTS (SELECT FROM qrels_preferences p WHERE p.edition = edition_id)
           AND NOT EXISTS (SELECT FROM qrels_files f WHERE f.edition = edition_id)
           AND NOT EXISTS (SELECT FROM llm_judges g WHERE g.edition = edition_id);
    END IF;
    RETURN true;
END
$$;
COMMENT ON FUNCTION llm_withdraw(integer, boolean) IS
'Takes back a judge that has not answered, and if told the empty edition';
