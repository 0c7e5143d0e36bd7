-- answer_set_key: key of one split of a data set of answer verification. Raises IR113 no such data set or split.
CREATE OR REPLACE FUNCTION answer_set_key(set text, split text) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    splits text := (SELECT string_agg(s.split, ', ' ORDER BY s.split) FROM answer_sets s
                     WHERE s.set = answer_set_key.set COLLATE "C");
    found_id integer := (
        SELECT s.id FROM answer_sets s WHERE s.set = answer_set_key.set COLLATE "C" AND s.split = answer_set_key.split);
BEGIN
    IF found_id IS NULL AND splits IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR113',
            MESSAGE = format('%L has no split %L', answer_set_key.set, answer_set_key.split),
            HINT = format('Available splits: %s.', splits);
    ELSIF found_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR113', MESSAGE = format('there is no data set %L', answer_set_key.set),
            HINT = concat(
            'Did you mean '
            || quote_literal(nearest_name(answer_set_key.set, ARRAY(SELECT DISTINCT s.set FROM answer_sets s))) || '? ',
            '''stc show answers'' lists all data sets; ''stc load --as answers'' loads one.');
    END IF;
    RETURN found_id;
END
$$;
COMMENT ON FUNCTION answer_set_key(text, text) IS
    'The key of one split of a data set of answer verification; raises IR113 if there is no such split';
