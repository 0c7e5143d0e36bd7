-- stage_file_removal: makes the temporary table removal of the judgments that a file brought to an edition, and locks
-- the edition. Those that another file of the edition has too are left out; shared counts these. empties: nothing else
-- is in the edition: no other judgment, preference or file.
--
-- Of files imported by an earlier version the judgments are found by the time of the import.
-- Raises IR407 for a sealed edition, IR405 if the judgments of the file are not known, IR410 for a role that may not
-- remove judgments.
CREATE OR REPLACE FUNCTION stage_file_removal(file integer, OUT edition integer, OUT shared bigint, OUT empties boolean)
LANGUAGE plpgsql SET search_path = stc, public, pg_temp SET client_min_messages = warning AS $$
#variable_conflict use_column
DECLARE
    chosen record;
    sealed_on timestamptz;
BEGIN
    PERFORM check_removal('qrels_judgments', 'judgments');
    SELECT f.*, e.edition AS name INTO chosen
      FROM qrels_files f JOIN qrels_editions e ON e.id = f.edition WHERE f.id = stage_file_removal.file;
    edition := chosen.edition;
    SELECT e.sealed INTO sealed_on FROM qrels_editions e WHERE e.id = chosen.edition FOR UPDATE;
    IF sealed_on IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR407',
            MESSAGE = format('the edition %L is sealed since %s', chosen.name, sealed_on::date),
            HINT = 'Its judgments do not change; ''stc qrels derive'' makes an edition from others.';
    END IF;
    DROP TABLE IF EXISTS pg_temp.removal;
    CREATE TEMP TABLE removal (id bigint PRIMARY KEY) ON COMMIT DROP;
    IF chosen.rows IS NOT NULL THEN
        INSERT INTO pg_temp.removal (id)
        SELECT j.id FROM unnest(chosen.rows) AS u (id)
          JOIN qrels_judgments j ON j.id = u.id AND j.edition = chosen.edition;
    ELSE
        INSERT INTO pg_temp.removal (id)
        SELECT j.id FROM qrels_judgments j WHERE j.edition = chosen.edition AND j.judged = chosen.imported;
        IF (SELECT count(*) FROM pg_temp.removal) <> chosen.added THEN
            RAISE EXCEPTION USING ERRCODE = 'IR405',
                MESSAGE = format('which judgments of %L come from %s was not recorded', chosen.name, chosen.path),
                HINT = format('''stc qrels drop %s'' removes the whole edition.', chosen.name);
        END IF;
    END IF;
    DELETE FROM pg_temp.removal r
     USING (SELECT DISTINCT unnest(f.rows) AS id FROM qrels_files f
             WHERE f.edition = chosen.edition
               AND (f.path <> chosen.path OR f.sha256 IS DISTINCT FROM chosen.sha256)) o
     WHERE o.id = r.id;
    GET DIAGNOSTICS shared = ROW_COUNT;
    empties := (SELECT count(*) FROM qrels_judgments j WHERE j.edition = chosen.edition)
               = (SELECT count(*) FROM pg_temp.removal)
        AND NOT EXISTS (SELECT FROM qrels_preferences p WHERE p.edition = chosen.edition)
        AND NOT EXISTS (SELECT FROM qrels_files f
                         WHERE f.edition = chosen.edition
                           AND (f.path <> chosen.path OR f.sha256 IS DISTINCT FROM chosen.sha256));
END
$$;
COMMENT ON FUNCTION stage_file_removal(integer) IS
'Makes the temporary table removal of the judgments that a file brought to an edition';
