-- measure_quantiles: how a measure is distributed: its quantiles in each year, venue, type or field of study, or over
-- all documents. A quantile between two values lies between them as percentile_cont and numpy have it.
--
--   measure    a column of document_measures: textstat_fkgl, citations, …
--   by         year, venue (in any case, named by the spelling that is first as bytes), doc_type, field (a document is
--              in each of its fields); NULL: one row for all
--   smallest, most   groups of fewer documents are left out; only so many are kept, those of the most documents (NULL:
--                    all)
--   name       the group, NULL for all; in order of documents, most first
--   documents  those of the group that have the measure
--   quantiles  as many as fractions, in their order
--   groups, grouped   how many groups there are, and documents in them, with those left out; by field a document counts
--                     in each
--
-- Reads each document once; its fields are taken out of the JSON, which takes longer. No row where no document has the
-- measure.
-- Raises IR108 no such measure, IR201 smallest or most below 1, IR202 another way to group, a fraction that is none.
CREATE OR REPLACE FUNCTION public.measure_quantiles(
    measure text, by text DEFAULT NULL, fractions double precision[] DEFAULT '{0.05,0.25,0.5,0.75,0.95}',
    smallest integer DEFAULT 1,
    most integer DEFAULT NULL)
RETURNS TABLE (name text, documents bigint, quantiles double precision[], groups bigint, grouped bigint)
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    value CONSTANT text := measure_column(measure_quantiles.measure);
    key CONSTANT text := CASE coalesce(measure_quantiles.by, 'all') WHEN 'year' THEN 'd.year::text'
                              WHEN 'venue' THEN 'lower(d.venue)'
                              WHEN 'doc_type' THEN 'd.doc_type' WHEN 'field' THEN 'w.field' WHEN 'all' THEN '()' END;
BEGIN
    IF key IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('documents by %L', measure_quantiles.by),
            HINT = 'They are grouped by year, venue, doc_type or field.';
    ELSIF coalesce(measure_quantiles.smallest, 0) < 1 OR measure_quantiles.most < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', HINT = 'Both are 1 or more; most may be NULL, which keeps all.',
            MESSAGE = format('smallest is %s, most is %s', measure_quantiles.smallest,
                             coalesce(measure_quantiles.most::text, 'NULL'));
    ELSIF measure_quantiles.fractions IS NULL OR EXISTS (
        SELECT FROM unnest(measure_quantiles.fractions) AS u (fraction) WHERE u.fraction BETWEEN 0 AND 1 IS NOT TRUE)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('quantiles at %s', coalesce(measure_quantiles.fractions::text, 'NULL')),
            HINT = 'A fraction is from 0 to 1; .5 is the median.';
    END IF;
    RETURN QUERY EXECUTE format(
        'SELECT s.name, s.documents, s.quantiles, s.groups, s.grouped'
        '  FROM (SELECT %1$s AS name, count(*) AS documents,'
        '               percentile_cont($1) WITHIN GROUP (ORDER BY d.%2$s) AS quantiles,'
        '               count(*) OVER () AS groups, (sum(count(*)) OVER ())::bigint AS grouped'
        '          FROM document_measures d %3$s WHERE d.%2$s IS NOT NULL %4$s GROUP BY %5$s) s'
        ' WHERE s.documents >= $2 ORDER BY s.documents DESC, s.name COLLATE "C" LIMIT $3',
        CASE key WHEN '()' THEN 'NULL::text' WHEN 'lower(d.venue)' THEN 'min(d.venue)' ELSE key END, value,
        CASE key WHEN 'w.field' THEN
            'JOIN dblp b ON b.id = d.id CROSS JOIN LATERAL (SELECT DISTINCT o ->> ''name'' AS field'
            ' FROM jsonb_path_query(b.doc, ''$.fos[*] ? (@.name.type() == "string")'') AS o) w' END,
        CASE WHEN key <> '()' THEN format('AND %s IS NOT NULL', key) END, key)
        USING measure_quantiles.fractions, measure_quantiles.smallest, measure_quantiles.most;
END
$$;
COMMENT ON FUNCTION public.measure_quantiles(text, text, double precision[], integer, integer) IS
    'Quantiles of a measure of documents in each year, venue, type or field';
