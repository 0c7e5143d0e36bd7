-- stage_subtopics: create the temporary table incoming for subtopic judgments: as stage_incoming, with the additional
-- column subtopic.
--
--   SELECT stage_subtopics();
--   \copy incoming (query, subtopic, docno, rel) FROM 'diversity.tsv'
--   SELECT * FROM import_subtopics('mine');
CREATE OR REPLACE FUNCTION stage_subtopics() RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    PERFORM stage_incoming();
    ALTER TABLE pg_temp.incoming ADD COLUMN subtopic text COLLATE "C" NOT NULL;
END
$$;
COMMENT ON FUNCTION stage_subtopics() IS
    'Creates the empty temporary table incoming with the column subtopic, which import_subtopics reads';
