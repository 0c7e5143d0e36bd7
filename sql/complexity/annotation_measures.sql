-- annotation_measures: the measures to compare with the grades of an aspect, in order and without duplicates.
--
-- The default for complexity is all columns of st1_complexity_metrics, for credibility four columns of
-- document_measures. Any measure of document_measures can be given for either aspect.
-- Raises IR108 an unknown measure.
CREATE OR REPLACE FUNCTION annotation_measures(aspect text DEFAULT 'complexity', measures text[] DEFAULT '{}')
    RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    readability text[] := ARRAY(
        SELECT a.attname::text FROM pg_attribute a
         WHERE a.attrelid = 'st1_complexity_metrics'::regclass AND a.atttypid = 'double precision'::regtype
           AND a.attnum > 0
         ORDER BY a.attnum);
    credibility text[] := '{citations,references,citations_per_year,citation_percentile}';
    known text[] := ARRAY(
        SELECT a.attname::text FROM pg_attribute a
         WHERE a.attrelid = 'document_measures'::regclass AND a.atttypid = 'double precision'::regtype
             ORDER BY a.attnum);
    wrong text;
BEGIN
    IF cardinality(coalesce(annotation_measures.measures, '{}')) = 0 THEN
        RETURN CASE annotation_measures.aspect WHEN 'credibility' THEN credibility ELSE readability END;
    END IF;
    SELECT m.name INTO wrong FROM unnest(annotation_measures.measures) WITH ORDINALITY AS m (name, at)
     WHERE m.name IS NULL OR m.name <> ALL (known) ORDER BY m.at LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR108', MESSAGE = format('there is no measure %L', wrong),
            HINT = concat('Did you mean ' || quote_literal(nearest_name(wrong, known)) || '? ',
                          'The measures are ' || array_to_string(known, ', ') || '.');
    END IF;
    RETURN ARRAY(SELECT m.name FROM unnest(annotation_measures.measures) WITH ORDINALITY AS m (name, at) GROUP BY m.name
                  ORDER BY min(m.at));
END
$$;
COMMENT ON FUNCTION annotation_measures(text, text[]) IS 'Measures to compare with the grades of an aspect, in order';
