-- answer_drop: remove a split of a data set of answer verification, or all its splits if split is NULL, with everything
-- derived from it: extracted answers, relations by models, runs. Returns the numbers of splits and runs removed.
--
-- Waits for running loads of the split.
CREATE OR REPLACE FUNCTION answer_drop(set text, split text DEFAULT NULL, OUT splits bigint, OUT runs bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    one text;
BEGIN
    FOREACH one IN ARRAY CASE WHEN answer_drop.split IS NULL THEN '{train,dev,test}'::text[]
                              ELSE ARRAY[answer_drop.split] END LOOP
        PERFORM pg_advisory_xact_lock(hashtext('answer_begin_file'), hashtext(concat(one, ' ', answer_drop.set)));
    END LOOP;
    SELECT count(*) INTO answer_drop.runs FROM answer_runs r JOIN answer_sets s ON s.id = r.set
     WHERE s.set = answer_drop.set COLLATE "C" AND s.split = coalesce(answer_drop.split, s.split);
    DELETE FROM answer_sets s
        WHERE s.set = answer_drop.set COLLATE "C" AND s.split = coalesce(answer_drop.split, s.split);
    GET DIAGNOSTICS splits = ROW_COUNT;
END
$$;
COMMENT ON FUNCTION answer_drop(text, text) IS
    'Removes a split of a data set, or all its splits, with everything derived from it; returns the numbers of '
    'splits and runs removed';
