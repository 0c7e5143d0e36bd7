-- passage_windows: split a text into windows of size words, one starting every step words; the last one ends with the
-- text. Words are separated by white space. A text of at most size words is one window; a text without a letter or
-- digit has none. step must be at most size, or some words would be in no window.
CREATE OR REPLACE FUNCTION passage_windows(content text, size integer, step integer)
RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
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
'Windows of size words of a text, one starting every step words';
