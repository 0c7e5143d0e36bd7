-- edition_key: key of an edition by its name. Raises IR102 no such edition, and suggests the nearest name, or says that
-- a run has the name.
CREATE OR REPLACE FUNCTION edition_key(edition text) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    found_id integer;
BEGIN
    SELECT e.id INTO found_id FROM qrels_editions e WHERE e.edition = edition_key.edition COLLATE "C";
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR102', MESSAGE = format('there is no edition %L', edition_key.edition),
            HINT = concat(
            (SELECT 'It is the name of a run. ' FROM st1_runs n WHERE n.run = edition_key.edition COLLATE "C"),
            'Did you mean ' || quote_literal(nearest_name(edition_key.edition,
                                                          ARRAY(SELECT e.edition FROM qrels_editions e))) || '? ',
            '''stc show editions'' lists all editions.');
    END IF;
    RETURN found_id;
END
$$;
COMMENT ON FUNCTION edition_key(text) IS 'The key of an edition by its name; raises IR102 if there is no such edition';
