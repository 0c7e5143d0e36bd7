-- agreement_name: write the name of a side of an agreement: the short form, or JSON if the short form would be
-- ambiguous.
--
-- agreement_readings reads both forms. origin and annotator: NULL means any; they are not checked.
CREATE OR REPLACE FUNCTION agreement_name(edition text, origin text DEFAULT NULL, annotator text DEFAULT NULL)
    RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT CASE WHEN (SELECT count(*) = 1 AND bool_and((r.edition, r.origin, r.annotator) IS NOT DISTINCT FROM
                                                       (agreement_name.edition, agreement_name.origin,
                                                        agreement_name.annotator))
                        FROM agreement_readings(s.short) r) THEN s.short
                ELSE jsonb_strip_nulls(jsonb_build_object('edition', agreement_name.edition, 'origin',
                                                          agreement_name.origin,
                                                          'annotator', agreement_name.annotator))::text END
      FROM (SELECT concat(agreement_name.edition,
                          CASE WHEN agreement_name.origin IS NOT NULL OR agreement_name.annotator IS NOT NULL
                               THEN ':' END,
                          agreement_name.origin, '/' || agreement_name.annotator) AS short) s
$$;
COMMENT ON FUNCTION agreement_name(text, text, text) IS
    'The name of a side of an agreement: EDITION:ORIGIN/ANNOTATOR, or JSON if that is ambiguous';
