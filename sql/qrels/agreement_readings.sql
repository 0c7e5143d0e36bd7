-- agreement_readings: possible meanings of the name of a side of an agreement, one row per meaning; each is a part of
-- the judgments of one edition, or of the grades of one pool.
--
--   EDITION                    the judgments of the edition as in the view qrels
--   EDITION:ORIGIN             its judgments of an origin: human, llm or knn
--   EDITION:ORIGIN/ANNOTATOR   those of one annotator of that origin; nothing after the / means the annotator without a
--                              name
--   EDITION:/ANNOTATOR         those of one annotator, of any origin
--   {"edition": …, "origin": …, "annotator": …}   the same if names contain : or /; a missing or null key means any
--   pool:POOL, pool:POOL/ANNOTATOR   grades on the sheets of a pool (pool_readings); pool is then its key
--
-- Edition names may contain :, and annotator names : and /. The edition ends at a colon that follows the name of a
-- stored edition, the origin at the first slash after it. Several rows are returned if several editions match. Origin
-- and annotator are not checked.
CREATE OR REPLACE FUNCTION agreement_readings(name text)
RETURNS TABLE (edition_id integer, edition text, origin text, annotator text, pool integer)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT e.id, e.edition, NULL, NULL, NULL::integer
      FROM qrels_editions e WHERE e.edition = agreement_readings.name COLLATE "C"
    UNION ALL
    SELECT e.id, e.edition, nullif(split_part(r.rest, '/', 1), ''),
           CASE WHEN strpos(r.rest, '/') > 0 THEN substr(r.rest, strpos(r.rest, '/') + 1) END, NULL
      FROM qrels_editions e
     CROSS JOIN LATERAL (SELECT substr(agreement_readings.name, length(e.edition) + 2) AS rest) r
     WHERE starts_with(agreement_readings.name, e.edition || ':') AND r.rest <> ''
    UNION ALL
    SELECT e.id, e.edition, nullif(o.doc ->> 'origin', ''), o.doc ->> 'annotator', NULL
      -- unnest avoids constant folding, which would parse the name as JSON before it is known to be JSON
      FROM (SELECT CASE WHEN n.name IS JSON OBJECT THEN n.name::jsonb END AS doc
              FROM unnest(ARRAY[agreement_readings.name]) AS n (name)) o
      JOIN qrels_editions e ON e.edition = (o.doc ->> 'edition') COLLATE "C"
     UNION ALL
    SELECT NULL, p.edition, NULL, p.annotator, p.pool_id
      FROM (SELECT agreement_readings.name AS name
             WHERE starts_with(agreement_readings.name, 'pool:') OR agreement_readings.name ~ '^\s*\{.*"pool"') n
     CROSS JOIN LATERAL pool_readings(n.name) p
$$;
COMMENT ON FUNCTION agreement_readings(text) IS
    'Possible meanings of the name of a side of an agreement: EDITION, EDITION:ORIGIN, EDITION:ORIGIN/ANNOTATOR, '
    'or JSON';
