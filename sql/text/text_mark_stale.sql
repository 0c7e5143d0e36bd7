-- text_mark_stale: the seal on the text index. A statement that changed a row of dblp_text marks the index stale in its
-- own transaction, whoever sent it: pg_textsearch 1.0 loses what a build wrote once rows came after it and the server
-- restarted, and the statistics of the portable BM25 are those of the build.
--
-- A statement-level trigger costs a bulk load nothing. It does not see rows, so it asks the counters of the transaction
-- whether there were any: a load that finds only what it had leaves the index as it is. (They may hold rows of this
-- session's earlier transactions for up to a second; that errs on the safe side.)
--
-- SECURITY DEFINER: who may write documents need not be able to write text_index.
--
-- Safe because: all it can do is mark the text index stale; no role may call it or put it on a table.
CREATE OR REPLACE FUNCTION text_mark_stale()
RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    IF TG_OP <> 'TRUNCATE'
        AND current_setting('track_counts')::boolean
        AND pg_stat_get_xact_tuples_inserted(TG_RELID) + pg_stat_get_xact_tuples_updated(TG_RELID)
            + pg_stat_get_xact_tuples_deleted(TG_RELID) = 0
    THEN
        RETURN NULL;
    END IF;
    UPDATE stc.text_index SET stale = true WHERE NOT stale;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION text_mark_stale() IS 'Trigger: what is written to dblp_text makes the text index stale';

CREATE OR REPLACE TRIGGER dblp_text_stale
AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON dblp_text
FOR EACH STATEMENT EXECUTE FUNCTION text_mark_stale();
