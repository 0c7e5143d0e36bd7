-- drop_edition: removes an edition of the judgments, all of it; the one way to delete judgments. Returns how many there were.
-- Raises IR102.
CREATE OR REPLACE FUNCTION drop_edition(edition text) RETURNS bigint
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id integer;
    dropped bigint;
BEGIN
    SELECT e.id INTO edition_id FROM qrels_editions e WHERE e.edition = drop_edition.edition COLLATE "C";
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR102', MESSAGE = format('there is no edition %s', drop_edition.edition),
            HINT = '''stc qrels editions'' lists those there are.';
    END IF;
    PERFORM set_config('stcollection.drop_edition', edition_id::text, true);
    DELETE FROM qrels_judgments j WHERE j.edition = edition_id;
    GET DIAGNOSTICS dropped = ROW_COUNT;
    PERFORM set_config('stcollection.drop_edition', '', true);
    DELETE FROM qrels_editions e WHERE e.id = edition_id;
    RETURN dropped;
END
$$;
COMMENT ON FUNCTION drop_edition(text) IS 'Removes an edition of the judgments and returns how many judgments it had';
