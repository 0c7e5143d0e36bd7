-- answer_is_question: whether a sentence asks: it ends in a question mark, or in a particle that asks (吗 么 呢), whatever marks and
-- brackets follow.
CREATE OR REPLACE FUNCTION answer_is_question(sentence text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(answer_is_question.sentence COLLATE "pg_c_utf8" ~ '([?？]|[吗嗎么呢])[\s.。!！~～…"”’'')）」』\]】]*$', false);
COMMENT ON FUNCTION answer_is_question(text) IS 'Whether a sentence ends as a question does';
