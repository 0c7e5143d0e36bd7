-- answer_is_question: true if a sentence is a question: it ends in a question mark or a question particle (吗 么 呢),
-- followed by up to a dozen closing marks and brackets.
CREATE OR REPLACE FUNCTION answer_is_question(sentence text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(right(answer_is_question.sentence, 13) COLLATE "pg_c_utf8"
                    ~ '([?？]|[吗嗎么呢])[\s.。!！~～…"”’'')）」』\]】]*$', false)
$$;
COMMENT ON FUNCTION answer_is_question(text) IS 'True if a sentence ends like a question';
