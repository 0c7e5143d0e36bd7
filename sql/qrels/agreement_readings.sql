-- agreement_readings: what the name of a side of an agreement can mean: some judgments of one edition, one row a
-- meaning.
--
--   EDITION                    what the edition says, as the view qrels
--   EDITION:ORIGIN             its judgments of an origin: human, llm or knn
--   EDITION:ORIGIN/ANNOTATOR   those of one annotator of that origin; nothing after the / is the annotator without a
--                              name
--   EDITION:/ANNOTATOR         those of one annotator, whatever the origin
--   {"edition": …, "origin": …, "annotator": …}   the same where names hold such signs; a missing or null key is any
--
-- Editions may hold : and annotators both signs: the edition ends at a colon before which a stored one stands, the
-- origin at the first slash after it. Where several editions fit, there are several rows; origin and annotator are as
-- written, not checked.
CREATE OR REPLACE FUNCTION agreement_readings(name text)
RETURNS TABLE (edition_id integer, edition text, origin text, annotator text)
LANGUAGE sql STABLE ROWS 1 SET search_path = stc, public, pg_temp AS $$
    SELECT e.id, e.edition, NULL, NULL FROM qrels_editions e WHERE e.edition = agreement_readings.name COLLATE "C"
    UNION ALL
    SELECT e.id, e.edition, nullif(split_part(r.rest, '/', 1), ''),
           CASE WHEN strpos(r.rest, '/') > 0 THEN substr(r.rest, strpos(r.rest, '/') + 1) END
      FROM qrels_editions e
     CROSS JOIN LATERAL (SELECT substr(agreement_readings.name, length(e.edition) + 2) AS rest) r
     WHERE starts_with(agreement_readings.name, e.edition || ':') AND r.rest <> ''
    UNION ALL
    SELECT e.id, e.edition, nullif(o.doc ->> 'origin', ''), o.doc ->> 'annotator'
      -- a row of its own: as a constant the name would be read as JSON before it is known to be some
      FROM (SELECT CASE WHEN n.name IS JSON OBJECT THEN n.name::jsonb END AS doc
              FROM unnest(ARRAY[agreement_readings.name]) AS n (name)) o
      JOIN qrels_editions e ON e.edition = (o.doc ->> 'edition') COLLATE "C"
$$;
COMMENT ON FUNCTION agreement_readings(text) IS
    'What the name of a side of an agreement can mean: EDITION, EDITION:ORIGIN, EDITION:ORIGIN/ANNOTATOR';
