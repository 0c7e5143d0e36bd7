-- ivfflat_lists: the number of lists of an ivfflat index for a number of rows: a thousandth of them up to a million,
-- and their square root above (pgvector's advice), rounded, 1 to 32,768. preset published: a thousandth at any size, as
-- in the collection's paper.
CREATE OR REPLACE FUNCTION ivfflat_lists(rows bigint, preset text DEFAULT NULL)
RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN greatest(1, least(32768, round(
    CASE WHEN rows > 1000000 AND preset IS NULL THEN sqrt(rows) ELSE rows / 1000.0 END)))::integer;
COMMENT ON FUNCTION ivfflat_lists(bigint, text) IS 'Number of lists of an ivfflat index for a number of rows';
