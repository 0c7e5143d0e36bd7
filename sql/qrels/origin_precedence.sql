-- origin_precedence: precedence of the origin of a judgment: 1 human, 2 language model, 3 kNN expansion; the lowest
-- counts.
--
-- There is no SET, so that the function is inlined wherever judgments are ordered.
CREATE OR REPLACE FUNCTION origin_precedence(origin text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE origin WHEN 'human' THEN 1 WHEN 'llm' THEN 2 ELSE 3 END;
COMMENT ON FUNCTION origin_precedence(text) IS
    'Precedence of the origin of a judgment: human 1, llm 2, knn 3; the lowest counts';
