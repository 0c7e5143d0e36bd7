-- stage_strata: create the temporary table incoming for judgments of sampled pools: as stage_incoming, with the
-- additional column stratum. A negative grade means that the document is in the stratum and was not drawn.
--
--   SELECT stage_strata();
--   \copy incoming (query, docno, stratum, rel) FROM 'sampled.tsv'
--   SELECT * FROM import_qrels('mine');
CREATE OR REPLACE FUNCTION stage_strata() RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    PERFORM stage_incoming();
    ALTER TABLE pg_temp.incoming ADD COLUMN stratum text COLLATE "C";
END
$$;
COMMENT ON FUNCTION stage_strata() IS
    'Creates the empty temporary table incoming with the column stratum, which import_qrels reads';
