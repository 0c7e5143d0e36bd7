-- text_length: the length of a text in tokens, stop words left out: the positions of its tsvector. A tsvector keeps at
-- most 255 positions of one word; BM25 counts no more of them either.
CREATE OR REPLACE FUNCTION text_length(tsv tsvector)
RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT coalesce(sum(coalesce(cardinality(positions), 1)), 0)::integer FROM unnest(tsv));
COMMENT ON FUNCTION text_length(tsvector) IS 'Tokens of a tsvector: the sum of its words'' positions';
