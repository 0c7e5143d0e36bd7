-- mark_simulated: mark an edition as simulated, and one of its language models if judge is given.
--
-- Simulated judgments are made up to try out the collection: by invented annotators, or by a program instead of a
-- language model. All outputs with them carry a note (simulated_note). An edition is simulated if some of its judgments
-- are; editions derived from it inherit the mark. A sealed edition can be marked too, since no judgment changes. judge:
-- llm_judges.id of a judge of this edition. simulated false removes the mark.
-- Raises IR102 no such edition, IR202 the edition has no such judge.
CREATE OR REPLACE FUNCTION mark_simulated(edition text, judge integer DEFAULT NULL, simulated boolean DEFAULT true)
    RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    edition_id CONSTANT integer := edition_key(mark_simulated.edition);
BEGIN
    IF mark_simulated.judge IS NOT NULL THEN
        UPDATE llm_judges g SET simulated = mark_simulated.simulated
         WHERE g.id = mark_simulated.judge AND g.edition = edition_id;
        IF NOT FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'IR202',
                MESSAGE = format('edition %L has no judge %s', mark_simulated.edition, mark_simulated.judge),
                HINT = 'The table llm_judges lists the judges.';
        END IF;
    END IF;
    UPDATE qrels_editions e SET simulated = mark_simulated.simulated
     WHERE e.id = edition_id AND e.simulated <> mark_simulated.simulated;
END
$$;
COMMENT ON FUNCTION mark_simulated(text, integer, boolean) IS
    'Marks an edition, and optionally one of its language models, as simulated; simulated false removes the mark';
