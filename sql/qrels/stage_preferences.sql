-- stage_preferences: create the temporary table incoming for preferences: as stage_incoming, with the additional column
-- subgroup. The level of a document goes into rel_score, its judgment group into annotator.
--
--   SELECT stage_preferences();
--   \copy incoming (query, annotator, subgroup, docno, rel_score) FROM 'mine.tsv'
--   SELECT * FROM import_preferences('mine');
CREATE OR REPLACE FUNCTION stage_preferences() RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    PERFORM stage_incoming();
    ALTER TABLE pg_temp.incoming ADD COLUMN subgroup text COLLATE "C" NOT NULL DEFAULT '0';
END
$$;
COMMENT ON FUNCTION stage_preferences() IS
    'Creates the empty temporary table incoming with the column subgroup, which import_preferences reads';
