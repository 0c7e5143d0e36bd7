-- answer_sentences_of: sentences of a web page's text, in order.
--
-- A line break ends a sentence, and so does ? ! ； or … between Chinese characters without a following space; otherwise
-- passage_sentences decides. Sentences longer than is likely (80 characters with Chinese, 240 without) are split after
-- a comma or white space, or at that length.
CREATE OR REPLACE FUNCTION answer_sentences_of(content text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    lines text COLLATE "pg_c_utf8" := regexp_replace(answer_sentences_of.content COLLATE "pg_c_utf8",
        '([\u3041-\u30ff\u3400-\u9fff][)）」』”’"]*[?!;；…]+[)）」』”’"]*)(?=\s*[\u3041-\u30ff\u3400-\u9fff「『“‘《【(（])',
        E'\\1\n', 'g');
    line text COLLATE "pg_c_utf8";
    sentence text COLLATE "pg_c_utf8";
    found text[] COLLATE "pg_c_utf8" := '{}';
BEGIN
    FOREACH line IN ARRAY regexp_split_to_array(lines, '[\n\r\v\f\u0085\u2028\u2029]+') LOOP
        FOREACH sentence IN ARRAY passage_sentences(line) LOOP
            IF length(sentence) <= 80 OR (length(sentence) <= 240 AND sentence !~ '[\u3041-\u30ff\u3400-\u9fff]') THEN
                found := found || sentence;
            ELSE
                found := found || ARRAY(
                    SELECT btrim(m[1]) FROM regexp_matches(sentence, CASE WHEN sentence ~ '[\u3041-\u30ff\u3400-\u9fff]'
                        THEN '.{0,79}[，,；;、\s]|[^，,；;、\s]{80}|.{1,80}$'
                            ELSE '.{0,239}[,;\s]|[^,;\s]{240}|.{1,240}$' END, 'g') m
                     WHERE m[1] ~ '[[:alnum:]]');
            END IF;
        END LOOP;
    END LOOP;
    RETURN found;
END
$$;
COMMENT ON FUNCTION answer_sentences_of(text) IS 'The sentences of a web page''s text, in order';
