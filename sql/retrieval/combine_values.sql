-- combine_values: the values of measures (document_measures) for documents, in the order of the measures, one row per
-- document.
--
-- NULL if the value is missing: no citations, no abstract, an abstract without words, a NaN; and for relevance, which
-- is not a property of a document. Arguments must be valid: measures checked by combine_check, documents distinct.
CREATE OR REPLACE FUNCTION combine_values(docs bigint[], measures text[])
RETURNS TABLE (doc bigint, measured double precision[])
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10000
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT u.doc, ARRAY[%s] FROM unnest($1) u (doc) LEFT JOIN document_measures m ON m.id = u.doc',
        (SELECT string_agg(CASE w.name WHEN 'relevance' THEN 'NULL::double precision'
                                ELSE format('nullif(m.%I, ''NaN'')', w.name) END,
                           ', ' ORDER BY w.i)
           FROM unnest(combine_values.measures) WITH ORDINALITY w (name, i)))
    USING combine_values.docs;
END
$$;
COMMENT ON FUNCTION combine_values(bigint[], text[]) IS
'Values of measures of readability and credibility for documents';
