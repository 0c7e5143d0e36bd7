-- list_part: number of the stored row of a ranked list (ranked_lists) that contains a rank: 0 for the ranks 1 to 120, 1
-- for 121 to 240, and so on. Whoever stores a list groups its documents by it.
CREATE OR REPLACE FUNCTION list_part(rank bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (rank - 1) / stc.list_length()
$$;
COMMENT ON FUNCTION list_part(bigint) IS 'Number of the stored row of a ranked list that contains a rank';
