-- synth_drop: remove a study with its sample, scores and candidates, and return its number of candidates. Published
-- queries are kept.
-- Raises IR112 no such study.
CREATE OR REPLACE FUNCTION synth_drop(study text) RETURNS bigint
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    study_id CONSTANT integer := synth_study_key(synth_drop.study);
    dropped CONSTANT bigint := (SELECT count(*) FROM synth_candidates c WHERE c.study = study_id);
BEGIN
    DELETE FROM synth_studies s WHERE s.id = study_id;
    RETURN dropped;
END
$$;
COMMENT ON FUNCTION synth_drop(text) IS
    'Removes a study of synthetic queries and returns its number of candidates; published queries are kept';
