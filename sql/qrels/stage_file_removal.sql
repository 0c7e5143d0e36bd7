-- stage_file_removal: create the temporary table removal with the judgments that a file added to an edition, and lock
-- the edition.
--
--   shared   number of judgments left out because another file of the edition contains them
--   empties  true if the edition has no other judgment, preference, subtopic judgment or file
--
-- For files imported by earlier versions, judgments are found by the time of the import.
-- Raises IR407 a sealed edition, IR405 the judgments of the file are unknown, IR410 the role may not remove judgments.
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
            MESSAGE = format('edition %L has been sealed since %s', chosen.name, sealed_on::date),
            HINT = 'Its judgments cannot change; ''stc qrels derive'' can make a new edition from it.';
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
                MESSAGE = format('it was not recorded which judgments of %L come from %s', chosen.name, chosen.path),
                HINT = format('Remove the whole edition with ''stc qrels drop %s''.', chosen.name);
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
        AND NOT EXISTS (SELECT FROM qrels_subtopics t WHERE t.edition = chosen.edition)
        AND NOT EXISTS (SELECT FROM qrels_files f
                         WHERE f.edition = chosen.edition
                           AND (f.path <> chosen.path OR f.sha256 IS DISTINCT FROM chosen.sha256));
END
$$;
COMMENT ON FUNCTION stage_file_removal(integer) IS
    'Creates the temporary table removal with the judgments that a file added to an edition';
