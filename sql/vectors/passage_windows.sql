-- passage_windows: windows of size words of a text, a new one each step words; the last one ends with the text. A word
-- is what white space ends. A text of at most size words is one window; none of a text without a letter or digit.
-- step is at most size, or words would be in no window.
CREATE OR REPLACE FUNCTION passage_windows(content text, size integer, step integer)
RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc, public, pg_temp
AS $$
DECLARE
    words text[] := regexp_split_to_array(btrim(passage_windows.content, E' \t\r\n\f\v'), '\s+');
BEGIN
    IF passage_windows.content ~ '[[:alnum:]]' IS NOT TRUE THEN
        RETURN '{}';
    END IF;
    RETURN ARRAY(
        SELECT array_to_string(words[s.start : s.start + passage_windows.size - 1], ' ')
          FROM generate_series(1, greatest(1, cardinality(words) - passage_windows.size + passage_windows.step),
                               passage_windows.step)
               s (start)
         ORDER BY s.start);
END
$$;
COMMENT ON FUNCTION passage_windows(text, integer, integer) IS
'Windows of size words of a text, a new one each step words';
