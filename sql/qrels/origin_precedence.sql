-- origin_precedence: whose judgment of a document comes first, 1 before 2 before 3: a person's, a language model's, one
-- by kNN expansion. It has no SET, so that it is inlined wherever judgments are put in order.
CREATE OR REPLACE FUNCTION origin_precedence(origin text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE origin WHEN 'human' THEN 1 WHEN 'llm' THEN 2 ELSE 3 END;
COMMENT ON FUNCTION origin_precedence(text) IS 'Whose judgment comes first: human 1, llm 2, knn 3';
