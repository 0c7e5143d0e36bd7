-- verify_editions: check that sealed editions are unchanged, by comparing fingerprint with computed, the current
-- edition_fingerprint.
--
-- intact is NULL for an open edition. only_edition: check one edition; NULL for all. Raises IR102 no such edition.
CREATE OR REPLACE FUNCTION public.verify_editions(only_edition text DEFAULT NULL)
RETURNS TABLE (edition text, judgments bigint, sealed timestamp with time zone, fingerprint text, computed text,
               intact boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id integer;
BEGIN
    IF verify_editions.only_edition IS NOT NULL THEN
        edition_id := edition_key(verify_editions.only_edition);
    END IF;
    RETURN QUERY
    SELECT e.edition, (SELECT count(*) FROM qrels j WHERE j.edition = e.id), e.sealed, e.fingerprint, c.computed,
           e.fingerprint = c.computed
      FROM qrels_editions e CROSS JOIN LATERAL (SELECT edition_fingerprint(e.edition) AS computed) c
     WHERE edition_id IS NULL OR e.id = edition_id
     ORDER BY e.edition;
END
$$;
COMMENT ON FUNCTION public.verify_editions(text) IS
    'Checks that sealed editions are unchanged: stored and computed fingerprint; intact is NULL for an open edition';
