-- store_measures: store the measures of the temporary table incoming_measures (stage_measures), replacing those of the
-- same documents. Measures of a text that has changed since it was read are skipped.
--
-- A text cannot change between the check of its version and the commit: forget_measures and this function lock each
-- other out.
CREATE OR REPLACE FUNCTION store_measures(OUT stored bigint, OUT changed bigint)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    columns CONSTANT text := (
        SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute a
         WHERE a.attrelid = 'st1_complexity_metrics'::regclass AND a.attnum > 0 AND NOT a.attisdropped);
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('st1_complexity_metrics', 0));
    DELETE FROM st1_complexity_metrics m USING pg_temp.incoming_measures i WHERE m.id = i.id;
    SELECT count(*) INTO changed FROM pg_temp.incoming_measures;
    DELETE FROM pg_temp.incoming_measures i
     WHERE i.id NOT IN (SELECT t.id FROM dblp_text t JOIN pg_temp.incoming_measures o ON o.id = t.id
                         WHERE t.xmin = o.version);
    EXECUTE format('INSERT INTO st1_complexity_metrics (%1$s)
                    SELECT %1$s FROM pg_temp.incoming_measures i ORDER BY i.id', columns);
    GET DIAGNOSTICS stored = ROW_COUNT;
    changed := changed - stored;
    DROP TABLE pg_temp.incoming_measures;
END
$$;
COMMENT ON FUNCTION store_measures() IS
'Store incoming_measures in st1_complexity_metrics, except those of a text that has changed';
