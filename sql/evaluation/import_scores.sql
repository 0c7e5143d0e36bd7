-- import_scores: store the rows of the temporary table incoming_scores (stage_scores) as scores computed by others
-- (st1_scores).
--
-- A run that is not stored is created without rankings, with the family of its row. A run that has rankings raises
-- IR202: its scores are computed from its rankings, and the two could differ. unknown_queries decides about queries
-- that are not stored: stub, skip or error (IR301), as in resolve_incoming. Rows that are already stored have no
-- effect. A different value for the same run, query and measure raises IR302 with the line number: always within the
-- file, and against stored values unless replace is true.
-- Raises IR102 no such edition, IR301 a value that is not a finite number, IR405 no row to store.
CREATE OR REPLACE FUNCTION import_scores(
    edition text, source text DEFAULT 'incoming_scores', unknown_queries text DEFAULT 'stub',
    replace boolean DEFAULT false)
RETURNS TABLE (runs bigint, queries bigint, scores bigint, added bigint, replaced bigint, unchanged bigint,
               duplicates bigint,
               new_runs bigint, new_queries bigint, skipped_queries bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id integer := edition_key(import_scores.edition);
    bad record;
BEGIN
    IF import_scores.unknown_queries IS NULL OR import_scores.unknown_queries NOT IN ('stub', 'skip', 'error') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is not a policy for unknown queries', import_scores.unknown_queries),
            HINT = 'Use stub, skip or error.';
    END IF;
    ANALYZE pg_temp.incoming_scores;
    SELECT i.line, i.value INTO bad FROM pg_temp.incoming_scores i
     WHERE i.value IS NULL OR i.value IN ('NaN', 'Infinity', '-Infinity') ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: value %s is not a finite number', import_scores.source, bad.line,
                             coalesce(bad.value::text, 'NULL')),
            HINT = 'Correct the line. Nothing was stored.';
    END IF;
    SELECT i.line, n.what, n.name INTO bad
      FROM pg_temp.incoming_scores i
     CROSS JOIN LATERAL (VALUES ('run', i.run), ('query', i.query), ('measure', i.measure)) AS n (what, name)
     WHERE NOT is_name(n.name) ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: %s cannot be the name of a %s', import_scores.source, bad.line,
                             shown_name(bad.name), bad.what),
            HINT = 'A name has 1 to 200 printable characters and no space at either end. Correct the line. Nothing was '
                   'stored.';
    END IF;
    SELECT i.line, i.run, i.query, i.measure, i.value, i.first_line, i.first_value INTO bad
      FROM (SELECT line, run, query, measure, value, first_value(line) OVER item AS first_line,
                   first_value(value) OVER item AS first_value
              FROM pg_temp.incoming_scores WINDOW item AS (PARTITION BY run, query, measure ORDER BY line)) i
     WHERE i.value <> i.first_value ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('%s:%s: %s of run %s for query %s is %s here and %s on line %s', import_scores.source,
                             bad.line, bad.measure,
                             bad.run, bad.query, bad.value, bad.first_value, bad.first_line),
            HINT = 'A run has one value per query and measure. Check whether two runs share this name.';
    END IF;
    DELETE FROM pg_temp.incoming_scores i
     USING (SELECT line, row_number() OVER (PARTITION BY run, query, measure ORDER BY line) AS place
              FROM pg_temp.incoming_scores) o
     WHERE o.line = i.line AND o.place > 1;
    GET DIAGNOSTICS duplicates = ROW_COUNT;

    SELECT i.line, i.run INTO bad
      FROM (SELECT run, min(line) AS line FROM pg_temp.incoming_scores GROUP BY run) i JOIN st1_runs n ON n.run = i.run
     WHERE EXISTS (SELECT FROM st1_rankings k WHERE k.run = n.id) ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s:%s: run %s has rankings, so its scores are computed from them', import_scores.source,
                             bad.line, bad.run),
            HINT = 'Compare the two with ''stc analysis compare-output'', or store these under another --run.';
    END IF;

    new_queries := 0; skipped_queries := 0;
    IF import_scores.unknown_queries = 'stub' THEN
        INSERT INTO st1_queries (query)
        SELECT i.query FROM pg_temp.incoming_scores i
         WHERE NOT EXISTS (SELECT FROM st1_queries q WHERE q.query = i.query)
         GROUP BY i.query ORDER BY i.query COLLATE "C"
        ON CONFLICT DO NOTHING;
        GET DIAGNOSTICS new_queries = ROW_COUNT;
    ELSE
        SELECT count(*) OVER () AS rows, i.line, i.query INTO bad FROM pg_temp.incoming_scores i
         WHERE NOT EXISTS (SELECT FROM st1_queries q WHERE q.query = i.query) ORDER BY i.line LIMIT 1;
        IF FOUND AND import_scores.unknown_queries = 'error' THEN
            RAISE EXCEPTION USING ERRCODE = 'IR301',
                MESSAGE = format('%s:%s: query %s is not stored', import_scores.source, bad.line, bad.query),
                HINT = 'Load its topics first (stc load --as topics), or use --unknown-queries stub or skip.';
        END IF;
        skipped_queries := coalesce(bad.rows, 0);
    END IF;
    SELECT count(DISTINCT i.run), count(DISTINCT i.query), count(*) INTO runs, queries, scores
      FROM pg_temp.incoming_scores i JOIN st1_queries q ON q.query = i.query;
    IF scores = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = format('%s has no score to store', import_scores.source),
            HINT = 'The file may lack per-query lines (trec_eval -q), or all its queries are unknown and were skipped.';
    END IF;

    INSERT INTO st1_runs (run, family, source)
    SELECT i.run, min(i.family), import_scores.source
      FROM pg_temp.incoming_scores i JOIN st1_queries q ON q.query = i.query
     GROUP BY i.run ORDER BY min(i.line)
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS new_runs = ROW_COUNT;
    UPDATE st1_runs n SET family = i.family FROM (SELECT DISTINCT run, family FROM pg_temp.incoming_scores) i
     WHERE n.run = i.run AND n.family IS NULL AND i.family IS NOT NULL;
    INSERT INTO st1_scores (edition, run, query, measure, value, source, hidden)
    SELECT edition_id, n.id, q.id, i.measure, i.value, import_scores.source,
           (SELECT e.hidden FROM qrels_editions e WHERE e.id = edition_id)
      FROM pg_temp.incoming_scores i JOIN st1_runs n ON n.run = i.run JOIN st1_queries q ON q.query = i.query
     ORDER BY i.line
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS added = ROW_COUNT;
    replaced := 0;
    IF added < scores THEN
        SELECT i.line, i.run, i.query, i.measure, i.value, s.value AS stored INTO bad
          FROM pg_temp.incoming_scores i JOIN st1_runs n ON n.run = i.run JOIN st1_queries q ON q.query = i.query
          JOIN st1_scores s ON (s.edition, s.measure, s.run, s.query) = (edition_id, i.measure, n.id, q.id)
         WHERE s.value <> i.value ORDER BY i.line LIMIT 1;
        IF FOUND AND NOT import_scores.replace THEN
            RAISE EXCEPTION USING ERRCODE = 'IR302',
                MESSAGE = format('%s:%s: %s of run %s for query %s is %s here and stored as %s', import_scores.source,
                                 bad.line, bad.measure,
                                 bad.run, bad.query, bad.value, bad.stored),
                HINT = 'Use --replace to overwrite the stored values.';
        END IF;
        UPDATE st1_scores s SET value = i.value, source = import_scores.source
          FROM pg_temp.incoming_scores i JOIN st1_runs n ON n.run = i.run JOIN st1_queries q ON q.query = i.query
         WHERE (s.edition, s.measure, s.run, s.query) = (edition_id, i.measure, n.id, q.id) AND s.value <> i.value;
        GET DIAGNOSTICS replaced = ROW_COUNT;
    END IF;
    unchanged := scores - added - replaced;
    DROP TABLE pg_temp.incoming_scores;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION import_scores(text, text, text, boolean) IS
    'Stores the rows of the temporary table incoming_scores as scores computed by others; rows that are already '
    'stored have no effect';
