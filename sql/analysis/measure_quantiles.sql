-- measure_quantiles: quantiles of a document measure per year, venue, type or field of study, or over all documents.
-- Largest groups first.
--
--   measure    a column of document_measures: textstat_fkgl, citations, …
--   by         year, venue (ignoring case; shown in the spelling that sorts first by bytes), doc_type, or field (a
--              document belongs to each of its fields); NULL: one row for all documents
--   fractions  fractions in [0, 1]; quantiles are interpolated as in percentile_cont and numpy
--   smallest   minimum number of documents of a group
--   most       maximum number of groups, the largest ones; NULL: no limit
--   name       the group; NULL for all documents
--   documents  documents of the group that have the measure
--   quantiles  one per fraction, in the same order
--   groups, grouped
--              number of groups before smallest and most apply, and number of documents in them; by field, a document
--              counts once per field
--
-- Reads each document once. Grouping by field is slower, because fields are extracted from the JSON. Returns no row if
-- no document has the measure.
-- Raises IR108 no such measure, IR201 smallest or most below 1, IR202 unknown grouping, or a fraction outside [0, 1].
CREATE OR REPLACE FUNCTION public.measure_quantiles(
    measure text, by text DEFAULT NULL, fractions double precision[] DEFAULT '{0.05,0.25,0.5,0.75,0.95}',
    smallest integer DEFAULT 1,
    most integer DEFAULT NULL)
RETURNS TABLE (name text, documents bigint, quantiles double precision[], groups bigint, grouped bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    value CONSTANT text := measure_column(measure_quantiles.measure);
    key CONSTANT text := CASE coalesce(measure_quantiles.by, 'all') WHEN 'year' THEN 'd.year::text'
                              WHEN 'venue' THEN 'lower(d.venue)'
                              WHEN 'doc_type' THEN 'd.doc_type' WHEN 'field' THEN 'w.field' WHEN 'all' THEN '()' END;
BEGIN
    IF key IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('cannot group documents by %L',
                                                                measure_quantiles.by),
            HINT = 'Group by year, venue, doc_type or field.';
    ELSIF coalesce(measure_quantiles.smallest, 0) < 1 OR measure_quantiles.most < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', HINT = 'Both must be 1 or more; most may be NULL for no limit.',
            MESSAGE = format('smallest is %s, most is %s', measure_quantiles.smallest,
                             coalesce(measure_quantiles.most::text, 'NULL'));
    ELSIF measure_quantiles.fractions IS NULL OR EXISTS (
        SELECT FROM unnest(measure_quantiles.fractions) AS u (fraction) WHERE u.fraction BETWEEN 0 AND 1 IS NOT TRUE)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('invalid fractions: %s', coalesce(measure_quantiles.fractions::text, 'NULL')),
            HINT = 'Give fractions from 0 to 1; .5 is the median.';
    END IF;
    RETURN QUERY EXECUTE format(
        'SELECT s.name, s.documents, s.quantiles, s.groups, s.grouped'
        '  FROM (SELECT %1$s AS name, count(*) AS documents,'
        '               percentile_cont($1) WITHIN GROUP (ORDER BY d.%2$s) AS quantiles,'
        '               count(*) OVER () AS groups, (sum(count(*)) OVER ())::bigint AS grouped'
        '          FROM document_measures d %3$s WHERE d.%2$s IS NOT NULL %4$s %5$s) s'
        ' WHERE s.documents >= $2 ORDER BY s.documents DESC, s.name COLLATE "C" LIMIT $3',
        CASE key WHEN '()' THEN 'NULL::text' WHEN 'lower(d.venue)' THEN 'min(d.venue)' ELSE key END, value,
        CASE key WHEN 'w.field' THEN
            'JOIN dblp b ON b.id = d.id CROSS JOIN LATERAL (SELECT DISTINCT o ->> ''name'' AS field'
            ' FROM jsonb_path_query(b.doc, ''$.fos[*] ? (@.name.type() == "string")'') AS o) w' END,
        CASE WHEN key <> '()' THEN format('AND %s IS NOT NULL', key) END,
        CASE WHEN key <> '()' THEN format('GROUP BY %s', key) END)
        USING measure_quantiles.fractions, measure_quantiles.smallest, measure_quantiles.most;
END
$$;
COMMENT ON FUNCTION public.measure_quantiles(text, text, double precision[], integer, integer) IS
    'Quantiles of a document measure per year, venue, type or field, or over all documents if by is NULL; largest '
    'groups first';
