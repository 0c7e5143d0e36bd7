-- drop_edition: remove an edition with all its judgments and return their number. A sealed edition is removed only if
-- even_sealed is true.
--
-- Besides drop_file, this is the only way to delete judgments; the trigger remove_rows does.
-- Raises IR102 no such edition, IR407 a sealed edition.
CREATE OR REPLACE FUNCTION drop_edition(edition text, even_sealed boolean DEFAULT false) RETURNS bigint
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id integer := edition_key(drop_edition.edition);
    sealed timestamp with time zone;
    dropped bigint;
BEGIN
    SELECT e.sealed INTO sealed FROM qrels_editions e WHERE e.id = edition_id FOR UPDATE;
    IF NOT FOUND THEN  -- another session dropped it while this one waited
        PERFORM edition_key(drop_edition.edition);
    ELSIF sealed IS NOT NULL AND drop_edition.even_sealed IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'IR407',
            MESSAGE = format('edition %L has been sealed since %s', drop_edition.edition, sealed::date),
            HINT = 'Others may rely on it. To remove it anyway, use --even-sealed (in SQL: even_sealed => true).';
    END IF;
    SELECT count(*) INTO dropped FROM qrels_judgments j WHERE j.edition = edition_id;
    INSERT INTO removals (kind, id) VALUES ('edition', edition_id);
    RETURN dropped;
END
$$;
COMMENT ON FUNCTION drop_edition(text, boolean) IS
    'Removes an edition with all its judgments and returns their number; a sealed edition only if even_sealed is true';
