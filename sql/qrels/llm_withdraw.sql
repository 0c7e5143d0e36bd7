-- llm_withdraw: remove a judge registered by llm_begin that has no answers, and its empty edition if with_edition is
-- true. Returns true if the judge was removed.
--
-- The judge is kept if another session is about to judge as it. Removing it keeps the model's plain name available, for
-- example after a wrong address.
CREATE OR REPLACE FUNCTION llm_withdraw(judge integer, with_edition boolean DEFAULT false) RETURNS boolean
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    edition_id integer;
BEGIN
    -- Lock in the same order as llm_begin: edition, then judge.
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
        INSERT INTO removals (kind, id)
        SELECT 'edition', edition_id
         WHERE NOT EXISTS (SELECT FROM qrels_judgments j WHERE j.edition = edition_id)
           AND NOT EXISTS (SELECT FROM qrels_preferences p WHERE p.edition = edition_id)
           AND NOT EXISTS (SELECT FROM qrels_subtopics t WHERE t.edition = edition_id)
           AND NOT EXISTS (SELECT FROM qrels_files f WHERE f.edition = edition_id)
           AND NOT EXISTS (SELECT FROM llm_judges g WHERE g.edition = edition_id);
    END IF;
    RETURN true;
END
$$;
COMMENT ON FUNCTION llm_withdraw(integer, boolean) IS
    'Removes a judge that has no answers, and its empty edition if with_edition is true; returns true if removed';
