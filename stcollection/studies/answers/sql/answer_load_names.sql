-- answer_load_names: store the rows of the temporary table answer_names (answer_stage) from a file of gold or of
-- templates; kind is gold or templates. Returns the number of lines used, and the number of contradictory queries.
--
-- A line is used if it becomes a row or part of one, or if it declares that no document answers a query. If two lines
-- contradict each other about a query, the first is kept.
--
-- Recorded in answer_rejects: duplicates, contradictory lines, and as unknown any query or doc_id that the split lacks.
CREATE OR REPLACE FUNCTION answer_load_names(file integer, kind text, OUT stored bigint, OUT contradictory bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning
SET enable_nestloop = off SET work_mem = '64MB' AS $$
#variable_conflict use_column
DECLARE
    set_id integer := (SELECT f.set FROM answer_files f WHERE f.id = answer_load_names.file);
BEGIN
    PERFORM answer_unescape(answer_load_names.file);
    DROP TABLE IF EXISTS pg_temp.answer_told;
    CREATE TEMP TABLE answer_told ON COMMIT DROP AS
    SELECT w.*, min(w.line) OVER (PARTITION BY w.name) AS first_line,
           first_value(w.says) OVER (PARTITION BY w.name ORDER BY w.line) AS first_says
      FROM (SELECT n.line, n.query AS name, q.id AS query,
                   coalesce(array_agg(n.says ORDER BY n.says) FILTER (WHERE n.says IS NOT NULL), '{}') AS says,
                   array_agg(n.says ORDER BY n.says) FILTER (
                                                             WHERE n.says IS NOT NULL
                                                               AND answer_load_names.kind = 'gold'
                       AND NOT EXISTS (SELECT FROM answer_documents d
                                        WHERE d.query = q.id AND d.doc_id = n.says)) AS unknown
              FROM pg_temp.answer_names n
              LEFT JOIN answer_queries q ON q.set = set_id AND q.text = n.query
               AND (answer_load_names.kind = 'templates'
                    OR EXISTS (SELECT FROM answer_documents d WHERE d.query = q.id))
             GROUP BY n.line, n.query, q.id) w;
    INSERT INTO answer_rejects (file, line, problem, reason)
    SELECT answer_load_names.file, t.line,
           CASE WHEN t.query IS NULL THEN 'unknown' WHEN t.says = t.first_says THEN 'duplicate'
                ELSE 'contradictory' END,
           CASE WHEN t.query IS NULL AND answer_load_names.kind = 'gold'
                THEN 'the query has no documents: ' || quote_literal(left(t.name, 60))
                WHEN t.query IS NULL THEN 'no such query: ' || quote_literal(left(t.name, 60))
                WHEN t.says = t.first_says THEN format('as line %s', t.first_line)
                ELSE format('contradicts line %s about this query; line %1$s is kept', t.first_line) END
      FROM pg_temp.answer_told t WHERE t.query IS NULL OR t.line > t.first_line;
    SELECT count(DISTINCT t.query) FILTER (WHERE t.says <> t.first_says) INTO answer_load_names.contradictory
      FROM pg_temp.answer_told t;
    DELETE FROM pg_temp.answer_told t WHERE t.query IS NULL OR t.line > t.first_line;
    INSERT INTO answer_rejects (file, line, problem, reason)
    SELECT answer_load_names.file, t.line, 'unknown', 'the query has no document ' || (
           SELECT string_agg(quote_literal(left(u.says, 60)), ', ' ORDER BY u.says) FROM unnest(t.unknown) u (says))
      FROM pg_temp.answer_told t WHERE t.unknown IS NOT NULL;
    SELECT count(*) INTO answer_load_names.stored FROM pg_temp.answer_told t
     WHERE t.unknown IS NULL OR t.unknown <> t.says;
    IF answer_load_names.kind = 'gold' THEN
        INSERT INTO answer_gold (document, query, hidden)
        SELECT d.id, d.query, q.hidden
          FROM pg_temp.answer_told t
          JOIN answer_queries q ON q.id = t.query
          JOIN answer_documents d ON d.query = t.query AND d.doc_id = ANY (t.says)
         ORDER BY d.id;
    ELSE
        UPDATE answer_queries q SET template = t.says[1] FROM pg_temp.answer_told t WHERE q.id = t.query;
    END IF;
END
$$;
COMMENT ON FUNCTION answer_load_names(integer, text) IS
    'Stores the staged lines of a file of gold or templates; returns the numbers of lines used and of '
    'contradictory queries';
