-- text_mark_stale: trigger that marks the text index as stale when a statement changes a row of dblp_text.
--
-- It runs in the transaction of the statement, for every role. pg_textsearch 1.0 loses a build's data if rows are added
-- later and the server restarts, and the statistics of the portable BM25 are those of the build.
--
-- A statement-level trigger costs a bulk load nothing. It does not see rows, so it reads the transaction's counters: a
-- load that changes no row leaves the index current. (The counters can include rows of this session's earlier
-- transactions for up to a second, which errs on the safe side.)
--
-- SECURITY DEFINER: a role that can write documents need not be able to write text_index.
--
-- Safe because: all it can do is mark the text index stale; no role may call it or put it on a table.
CREATE OR REPLACE FUNCTION text_mark_stale()
RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = stc_all, stc, public, pg_temp
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
COMMENT ON FUNCTION text_mark_stale() IS 'Trigger on dblp_text: mark the text index as stale when rows change';

CREATE OR REPLACE TRIGGER dblp_text_stale
AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON dblp_text
FOR EACH STATEMENT EXECUTE FUNCTION text_mark_stale();
