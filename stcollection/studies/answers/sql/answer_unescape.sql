-- answer_unescape: decide for staged lines whose fields contain \t, \n, \r or \\ as two characters whether these are
-- escapes, by comparison with the documents.
--
-- The separator of the files is a real tab. A file does not show whether a backslash in a field is an escape or part of
-- a formula or path, but the documents do. A query or address is unescaped if only the unescaped form matches a stored
-- query or document; an answer is unescaped if only that form occurs in the text of a document with its address.
-- Everything else is kept as written. Each such line is recorded as 'escaped', with the decision.
CREATE OR REPLACE FUNCTION answer_unescape(file integer) RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    set_id integer := (SELECT f.set FROM answer_files f WHERE f.id = answer_unescape.file);
BEGIN
    IF EXISTS (SELECT FROM pg_temp.answer_names n WHERE n.unescaped IS NOT NULL) THEN
        WITH settled AS (
            UPDATE pg_temp.answer_names n
               SET query = CASE WHEN NOT EXISTS (SELECT FROM answer_queries q WHERE q.set = set_id AND q.text = n.query)
                    AND EXISTS (SELECT FROM answer_queries q WHERE q.set = set_id AND q.text = n.unescaped)
                   THEN n.unescaped ELSE n.query END
             WHERE n.unescaped IS NOT NULL RETURNING n.line, n.query = n.unescaped AS done)
        INSERT INTO answer_rejects (file, line, problem, reason)
        SELECT DISTINCT answer_unescape.file, s.line, 'escaped',
               CASE WHEN s.done THEN 'read as escapes, as in the documents: query' ELSE 'kept as written' END
          FROM settled s;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_temp.answer_lines l WHERE l.unescaped IS NOT NULL) THEN
        RETURN;
    END IF;
    UPDATE pg_temp.answer_lines l SET query = l.unescaped[1]
     WHERE l.unescaped[1] <> l.query
       AND NOT EXISTS (SELECT FROM answer_queries q WHERE q.set = set_id AND q.text = l.query)
       AND EXISTS (SELECT FROM answer_queries q WHERE q.set = set_id AND q.text = l.unescaped[1]);
    UPDATE pg_temp.answer_lines l
       SET url1 = CASE WHEN answer_has_address(set_id, l.query, l.unescaped[2])
                       AND NOT answer_has_address(set_id, l.query, l.url1)
                  THEN l.unescaped[2] ELSE l.url1 END,
           url2 = CASE WHEN answer_has_address(set_id, l.query, l.unescaped[4])
                       AND NOT answer_has_address(set_id, l.query, l.url2)
                  THEN l.unescaped[4] ELSE l.url2 END
     WHERE l.unescaped[2] <> l.url1 OR l.unescaped[4] <> l.url2;
    UPDATE pg_temp.answer_lines l
       SET text1 = CASE WHEN answer_is_quoted(set_id, l.query, l.url1, l.unescaped[3])
                         AND NOT answer_is_quoted(set_id, l.query, l.url1, l.text1) THEN l.unescaped[3]
                         ELSE l.text1 END,
           text2 = CASE WHEN answer_is_quoted(set_id, l.query, l.url2, l.unescaped[5])
                         AND NOT answer_is_quoted(set_id, l.query, l.url2, l.text2) THEN l.unescaped[5] ELSE l.text2 END
     WHERE l.unescaped[3] <> l.text1 OR l.unescaped[5] <> l.text2;
    INSERT INTO answer_rejects (file, line, problem, reason)
    SELECT answer_unescape.file, l.line, 'escaped',
           coalesce('read as escapes, as in the documents: ' || n.names, 'kept as written')
      FROM pg_temp.answer_lines l
     CROSS JOIN LATERAL (
           SELECT string_agg(w.name, ', ' ORDER BY w.place) FILTER (WHERE w.settled = l.unescaped[w.place]) AS names
             FROM (VALUES (1, 'query', l.query), (2, 'url1', l.url1), (3, 'answer1', l.text1), (4, 'url2', l.url2),
                          (5, 'answer2', l.text2)) w (place, name, settled)) n
     WHERE l.unescaped IS NOT NULL;
END
$$;
COMMENT ON FUNCTION answer_unescape(integer) IS
    'Decides by comparison with the documents whether backslashes in staged lines are escapes';
