-- titles_indexed: true if there are enough titles of documents without abstract for a vector index (field title_only of
-- index_vectors). Comparing 10,000 vectors takes some 10 ms.
CREATE OR REPLACE FUNCTION titles_indexed(titles bigint)
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN titles > 10000;
COMMENT ON FUNCTION titles_indexed(bigint) IS
'True if there are enough titles of documents without abstract for a vector index';
