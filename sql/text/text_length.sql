-- text_length: the length of a text in tokens without stop words: the number of positions in its tsvector. A tsvector
-- stores at most 255 positions of a word, and BM25 counts at most 255 too.
CREATE OR REPLACE FUNCTION text_length(tsv tsvector)
RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT coalesce(sum(coalesce(cardinality(positions), 1)), 0)::integer FROM unnest(tsv));
COMMENT ON FUNCTION text_length(tsvector) IS 'Number of tokens of a tsvector: the number of its positions';
