-- answer_resolve_pairs: store queries and answers from the temporary table answer_lines (answer_stage), and fill the
-- temporary table answer_resolved (line, query, a, b, says) with one pair of answers per line, a < b. Lines that repeat
-- an earlier one are omitted. file is its row in the ledger.
--
-- Recorded in answer_rejects: an answer paired with itself (nothing of the line is stored); duplicates, in either
-- direction; pairs with contradictory values; and, if the split has documents, lines whose query or address is not
-- among them: their answers are stored without a document.
--
-- Nested loops are disabled, because the server has no statistics yet for rows of this transaction and would
-- underestimate their number.
CREATE OR REPLACE FUNCTION answer_resolve_pairs(file integer) RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning
SET enable_nestloop = off SET work_mem = '64MB' AS $$
#variable_conflict use_column
DECLARE
    set_id integer := (SELECT f.set FROM answer_files f WHERE f.id = answer_resolve_pairs.file);
BEGIN
    PERFORM answer_unescape(answer_resolve_pairs.file);
    WITH itself AS (DELETE FROM pg_temp.answer_lines l WHERE (l.url1, l.text1) = (l.url2, l.text2) RETURNING l.line)
    INSERT INTO answer_rejects (file, line, problem, reason)
    SELECT answer_resolve_pairs.file, i.line, 'reject', 'an answer paired with itself' FROM itself i;
    ANALYZE pg_temp.answer_lines;

    INSERT INTO answer_queries (set, place, text, hidden)
    SELECT set_id, (SELECT coalesce(max(p.place), 0) FROM answer_queries p WHERE p.set = set_id)
                   + row_number() OVER (ORDER BY min(l.line)), l.query,
           (SELECT s.hidden FROM answer_sets s WHERE s.id = set_id)
      FROM pg_temp.answer_lines l
     WHERE NOT EXISTS (SELECT FROM answer_queries p WHERE p.set = set_id AND p.text = l.query)
     GROUP BY l.query;
    DROP TABLE IF EXISTS pg_temp.answer_sides;
    CREATE TEMP TABLE answer_sides ON COMMIT DROP AS
    SELECT l.line, s.side, q.id AS query, s.url, s.text, md5(s.text)::uuid AS digest
      FROM pg_temp.answer_lines l JOIN answer_queries q ON q.set = set_id AND q.text = l.query
     CROSS JOIN LATERAL (VALUES (1, l.url1, l.text1), (2, l.url2, l.text2)) s (side, url, text);
    INSERT INTO answers (query, url, text)
    SELECT s.query, s.url, s.text
      FROM (SELECT DISTINCT ON (query, url, digest) * FROM pg_temp.answer_sides
             ORDER BY query, url, digest, line, side) s
     ORDER BY s.line, s.side
    ON CONFLICT (query, source, url, digest) DO NOTHING;
    PERFORM answer_find_documents(set_id);

    ALTER TABLE pg_temp.answer_sides DROP COLUMN text;
    ANALYZE pg_temp.answer_sides;
    DROP TABLE IF EXISTS pg_temp.answer_found, pg_temp.answer_resolved;
    CREATE TEMP TABLE answer_found ON COMMIT DROP AS
    SELECT s.line, s.query, min(a.id) AS a, max(a.id) AS b,
           array_agg(s.url ORDER BY s.side) FILTER (WHERE a.document IS NULL) AS unknown
      FROM pg_temp.answer_sides s
      JOIN answers a ON a.query = s.query AND a.source = 'given' AND a.url = s.url AND a.digest = s.digest
     GROUP BY s.line, s.query;
    IF EXISTS (SELECT FROM answer_files f WHERE f.set = set_id AND f.kind = 'documents') THEN
        INSERT INTO answer_rejects (file, line, problem, reason)
        SELECT answer_resolve_pairs.file, f.line, 'unknown',
               CASE WHEN EXISTS (SELECT FROM answer_documents d WHERE d.query = f.query)
                    THEN 'no document of the query has the address ' || (
                        SELECT string_agg(quote_literal(left(u.url, 60)), ' nor ' ORDER BY u.n)
                          FROM (SELECT url, min(n) AS n FROM unnest(f.unknown) WITH ORDINALITY w (url, n)
                                 GROUP BY url) u)
                    ELSE 'the query has no documents' END
          FROM pg_temp.answer_found f WHERE f.unknown IS NOT NULL;
    END IF;
    CREATE TEMP TABLE answer_resolved ON COMMIT DROP AS
    SELECT f.line, f.query, f.a, f.b, l.says, min(f.line) OVER (PARTITION BY f.a, f.b, l.says) AS first
      FROM pg_temp.answer_found f JOIN pg_temp.answer_lines l ON l.line = f.line;
    WITH again AS (DELETE FROM pg_temp.answer_resolved r WHERE r.first < r.line RETURNING r.line, r.first)
    INSERT INTO answer_rejects (file, line, problem, reason)
    SELECT answer_resolve_pairs.file, g.line, 'duplicate', format('same as line %s', g.first) FROM again g;
    ANALYZE pg_temp.answer_resolved;
    INSERT INTO answer_rejects (file, line, problem, reason)
    SELECT answer_resolve_pairs.file, r.line, 'contradictory', format('the pair is %s here, but %s', r.says, o.others)
      FROM pg_temp.answer_resolved r
      JOIN (SELECT a, b, array_agg(says ORDER BY line) AS all_said, array_agg(line ORDER BY line) AS all_lines
              FROM pg_temp.answer_resolved GROUP BY a, b HAVING count(*) > 1) c ON c.a = r.a AND c.b = r.b
     CROSS JOIN LATERAL (
           SELECT string_agg(format('%s on line %s', w.says, w.line), ', ' ORDER BY w.line) AS others
             FROM unnest(c.all_said, c.all_lines) w (says, line) WHERE w.line <> r.line) o;
END
$$;
COMMENT ON FUNCTION answer_resolve_pairs(integer) IS
    'Stores queries and answers of the staged pairs of one file, and fills the temporary table answer_resolved';
