-- synth_study_key: key of a study of synthetic queries by its name.
-- Raises IR112 no such study, and suggests the nearest name.
CREATE OR REPLACE FUNCTION synth_study_key(study text) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    found_id integer := (SELECT s.id FROM synth_studies s WHERE s.study = synth_study_key.study COLLATE "C");
BEGIN
    IF found_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR112', MESSAGE = format('there is no study %L', synth_study_key.study),
            HINT = concat(
            'Did you mean '
            || quote_literal(nearest_name(synth_study_key.study, ARRAY(SELECT s.study FROM synth_studies s))) || '? ',
            '''stc show study'' lists all studies; ''stc synth sample'' makes one.');
    END IF;
    RETURN found_id;
END
$$;
COMMENT ON FUNCTION synth_study_key(text) IS
    'The key of a study of synthetic queries by its name; raises IR112 if there is no such study';
