-- answer_window_text: text of a document's sentences from first to last; Chinese sentences are joined without a space,
-- others with one.
CREATE OR REPLACE FUNCTION answer_window_text(document bigint, first integer, last integer) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT rtrim(string_agg(
               CASE WHEN s.text COLLATE "pg_c_utf8" ~ '[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef…]$' THEN s.text
                    ELSE s.text || ' ' END,
               '' ORDER BY s.place))
      FROM answer_sentences s
     WHERE s.document = answer_window_text.document
       AND s.place BETWEEN answer_window_text.first AND answer_window_text.last
$$;
COMMENT ON FUNCTION answer_window_text(bigint, integer, integer) IS
    'Text of a document''s sentences from first to last';
