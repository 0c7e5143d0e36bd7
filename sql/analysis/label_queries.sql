-- label_queries: what an edition says of each query that it judges: its origin, how many documents are judged, and how
-- many of them are of the level or better; by name. An edition says what the view qrels says; a negative grade is
-- "pooled, not judged".
-- Raises IR102 no such edition, IR202 no level.
CREATE OR REPLACE FUNCTION label_queries(edition text, level integer DEFAULT 1)
RETURNS TABLE (query text, origin text, judged bigint, relevant bigint)
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM edition_key(label_queries.edition);
    IF label_queries.level IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'no grade to count as relevant from',
            HINT = 'level is a grade; 1 is usual.';
    END IF;
    RETURN QUERY
    SELECT q.query::text, q.origin, l.judged, l.relevant
      FROM (SELECT a.query, count(*) AS judged, count(*) FILTER (WHERE a.rel >= label_queries.level) AS relevant
              FROM agreement_labels(ARRAY[label_queries.edition]) a GROUP BY a.query) l
      JOIN st1_queries q ON q.id = l.query
     ORDER BY q.query COLLATE "C";
END
$$;
COMMENT ON FUNCTION label_queries(text, integer) IS
    'The queries an edition judges: origin, documents judged, and of these relevant ones';
