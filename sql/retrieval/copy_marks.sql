-- copy_marks: a text with the marks U+E000 and U+E001 of another text that has the same length without them, at the
-- same places. split_words keeps the place of each character.
CREATE OR REPLACE FUNCTION copy_marks(content text, marked text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT string_agg(substr(copy_marks.content, (p.after - length(p.found[1]) + 1)::integer, length(p.found[1]))
                          || p.found[2], '' ORDER BY p.place)
          FROM (SELECT m.found, m.place, sum(length(m.found[1])) OVER (ORDER BY m.place) AS after
                  FROM regexp_matches(copy_marks.marked, U&'([^\E000\E001]*)([\E000\E001]|$)', 'g')
                       WITH ORDINALITY m (found, place)) p);
COMMENT ON FUNCTION copy_marks(text, text) IS 'A text with the marks of another text, at the same places';
