-- check_training: raise an error if nothing must be tuned on an edition.
-- Raises IR102 no such edition, IR202 it is hidden or has the split test.
CREATE OR REPLACE FUNCTION check_training(edition text)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    key CONSTANT integer := edition_key(check_training.edition);
    known CONSTANT record := (SELECT e FROM qrels_editions e WHERE e.id = key);
BEGIN
    IF known.hidden OR known.split = 'test' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s is %s: a system must not be tuned on it', known.edition,
                             CASE WHEN known.hidden THEN 'hidden' ELSE 'a test edition' END),
            HINT = 'Tune on an edition for training, and keep this one for the comparison of systems.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_training(text) IS 'Raise an error if nothing must be tuned on an edition';
