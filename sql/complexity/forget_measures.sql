-- forget_measures: trigger that deletes the measures of a document when its abstract changes, because they were
-- computed from another text. 'stc complexity compute' computes them again. SECURITY DEFINER: roles that write
-- documents have no rights on measures.
--
-- Safe because: it deletes one row of st1_complexity_metrics by id; no role may call it or put it on a table.
CREATE OR REPLACE FUNCTION forget_measures()
RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('st1_complexity_metrics', 0));
    DELETE FROM stc.st1_complexity_metrics m WHERE m.id = old.id;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION forget_measures() IS
'Trigger on dblp_text: delete a document''s measures when its abstract changes';

CREATE OR REPLACE TRIGGER dblp_text_forget_measures
AFTER UPDATE OF abstract ON dblp_text
FOR EACH ROW
WHEN (old.abstract IS DISTINCT FROM new.abstract)
EXECUTE FUNCTION forget_measures();
