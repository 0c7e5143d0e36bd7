-- stage_annotations: create the temporary table incoming_annotations, or empty it, for the grades of one file: one row
-- per grade, aspect complexity or credibility. line is the line in the file, from 1; several rows may have the same.
--
--   SELECT stage_annotations();
--   \copy incoming_annotations (line, docno, annotator, annotator_group, aspect, grade) FROM 'mine.tsv'
--   SELECT * FROM import_annotations('mine');
CREATE OR REPLACE FUNCTION stage_annotations() RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning AS $$
BEGIN
    DROP TABLE IF EXISTS pg_temp.incoming_annotations;
    CREATE TEMP TABLE incoming_annotations (
        line bigint NOT NULL, docno text COLLATE "C" NOT NULL, annotator text COLLATE "C" NOT NULL,
        annotator_group text COLLATE "C" NOT NULL, aspect text COLLATE "C" NOT NULL, grade smallint NOT NULL);
END
$$;
COMMENT ON FUNCTION stage_annotations() IS
'Create the temporary table incoming_annotations, which import_annotations reads';
