-- query_type: the form of an English query; NULL for NULL and for a text without a word.
--
--   question-word   starts with a question word (what, who, whom, whose, when, where, why, how, which), also after a
--                   preposition or contracted: "what is apatite", "who's the author", "in which year did it end"
--   yes-no          starts with an auxiliary verb (is, are, do, can, will, …, isn't, …) followed by at least two words:
--                   "is aspirin safe"
--   question        another text that ends in a question mark: "cost of a new roof?"
--   keyword         another text of at most three words, or without any of the stop words below: "apatite definition"
--   phrase          all others: "calculate salary from basic pay"
--
-- The first matching type applies. These are this project's rules. They look at form and not at intent: "will smith net
-- worth" is classified as yes-no.
CREATE OR REPLACE FUNCTION query_type(text text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT CASE
        WHEN (t.plain ~ '\w') IS NOT TRUE THEN NULL
        WHEN t.plain ~ '^((in|on|at|to|for|from|of|by|with|about|under|during) '
                       ')?(what|who|whom|whose|when|where|why|how|which)(''[a-z]+)?\M'
            THEN 'question-word'
        WHEN t.plain ~ ('^(is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may'
                        '|might|must|cannot'
                        '|(is|are|was|were|do|does|did|has|have|had|ca|could|wo|would|should|must)n''t) \S+ \S')
                            THEN 'yes-no'
        WHEN t.plain ~ '\?["'' )]*$' THEN 'question'
        WHEN t.plain !~ '^\S+( \S+){3}' THEN 'keyword'
        WHEN t.plain !~ ('(^| )(a|an|the|of|in|on|at|to|for|from|by|with|about|between|into|and|or|but|not'
                         '|that|this|these|those|it|its'
                         '|is|are|was|were|be|been|do|does|did|has|have|had|can|could|will|would|should|may|might|must'
                         '|i|you|he|she|we|they|my|your|his|her|our|their|if|when|while|how|what|which|who|why'
                         '|where|than|as)( |$|[?.!,;:])')
            THEN 'keyword'
        ELSE 'phrase'
    END
      FROM (SELECT btrim(regexp_replace(translate(lower(query_type.text), '’"“”¿(', ''''), '\s+', ' ', 'g')) AS plain) t
$$;
COMMENT ON FUNCTION query_type(text) IS
'Form of an English query: question-word, yes-no, question, keyword or phrase; NULL without words';
