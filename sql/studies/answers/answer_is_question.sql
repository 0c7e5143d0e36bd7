-- answer_is_question: whether a sentence asks: it ends in a question mark, or in a particle that asks (吗 么 呢), whatever
-- marks and brackets follow, up to a dozen.
CREATE OR REPLACE FUNCTION answer_is_question(sentence text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(right(answer_is_question.sentence, 13) COLLATE "pg_c_utf8"
                    ~ '([?？]|[吗嗎么呢])[\s.。!！~～…"”’'')）」』\]】]*$', false)
$$;
COMMENT ON FUNCTION answer_is_question(text) IS 'Whether a sentence ends as a question does';
