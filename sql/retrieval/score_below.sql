-- score_below: the score of a document without a new score in a reranked ranking, place by place below the lowest new
-- one: 1 apart, or more if scores are so large that single precision could not distinguish them. NULL without a new
-- score. Written so that PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION score_below(lowest double precision, place bigint)
RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lowest - place * greatest(1, abs(lowest) * 1e-6);
COMMENT ON FUNCTION score_below(double precision, bigint) IS
'Score of a document that a reranker did not score, below those that it scored';
