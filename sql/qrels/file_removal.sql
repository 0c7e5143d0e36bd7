-- file_removal: the judgments that a file added to an edition, and lock the edition.
--
--   ids      the judgments, except those that another file of the edition contains too
--   shared   number of those
--   empties  true if the edition has no other judgment, preference, subtopic judgment or file
--
-- For files imported by earlier versions, judgments are found by the time of the import.
-- Raises IR407 a sealed edition, IR405 the judgments of the file are unknown, IR410 the role may not remove judgments.
CREATE OR REPLACE FUNCTION file_removal(file integer, OUT edition integer, OUT ids bigint[], OUT shared bigint,
                                        OUT empties boolean)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    chosen record;
    sealed_on timestamptz;
BEGIN
    PERFORM check_removal('stc_all.qrels_editions', 'UPDATE', 'judgments');
    SELECT f.*, e.edition AS name INTO chosen
      FROM qrels_files f JOIN qrels_editions e ON e.id = f.edition WHERE f.id = file_removal.file;
    edition := chosen.edition;
    SELECT e.sealed INTO sealed_on FROM qrels_editions e WHERE e.id = chosen.edition FOR UPDATE;
    IF sealed_on IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR407',
            MESSAGE = format('edition %L has been sealed since %s', chosen.name, sealed_on::date),
            HINT = 'Its judgments cannot change; ''stc publish derive'' can make a new edition from it.';
    END IF;
    IF chosen.rows IS NOT NULL THEN
        ids := ARRAY(SELECT j.id FROM unnest(chosen.rows) AS u (id)
                       JOIN qrels_judgments j ON j.id = u.id AND j.edition = chosen.edition);
    ELSE
        ids := ARRAY(SELECT j.id FROM qrels_judgments j
                      WHERE j.edition = chosen.edition AND j.judged = chosen.imported);
        IF cardinality(ids) <> chosen.added THEN
            RAISE EXCEPTION USING ERRCODE = 'IR405',
                MESSAGE = format('it was not recorded which judgments of %L come from %s', chosen.name, chosen.path),
                HINT = format('Remove the whole edition with ''stc drop edition %s''.', chosen.name);
        END IF;
    END IF;
    shared := cardinality(ids);
    ids := ARRAY(SELECT u.id FROM unnest(ids) AS u (id)
                 EXCEPT
                 SELECT unnest(f.rows) FROM qrels_files f
                  WHERE f.edition = chosen.edition
                    AND (f.path <> chosen.path OR f.sha256 IS DISTINCT FROM chosen.sha256));
    shared := shared - cardinality(ids);
    empties := (SELECT count(*) FROM qrels_judgments j WHERE j.edition = chosen.edition) = cardinality(ids)
        AND NOT EXISTS (SELECT FROM qrels_preferences p WHERE p.edition = chosen.edition)
        AND NOT EXISTS (SELECT FROM qrels_subtopics t WHERE t.edition = chosen.edition)
        AND NOT EXISTS (SELECT FROM qrels_files f
                         WHERE f.edition = chosen.edition
                           AND (f.path <> chosen.path OR f.sha256 IS DISTINCT FROM chosen.sha256));
END
$$;
COMMENT ON FUNCTION file_removal(integer) IS
    'The judgments that a file added to an edition, without those that another file contains; locks the edition';
