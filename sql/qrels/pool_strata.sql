-- pool_strata: parse strata of ranks such as 1-10:1.0,11-50:0.2, one row each: first rank, last rank and share to
-- sample.
--
-- Raises IR202 for invalid syntax, overlapping strata, or a share outside (0, 1].
CREATE OR REPLACE FUNCTION pool_strata(strata text)
    RETURNS TABLE (stratum text, first_rank integer, last_rank integer, share numeric)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    bad text;
BEGIN
    SELECT p.piece INTO bad FROM regexp_split_to_table(pool_strata.strata, ',') AS p (piece)
     WHERE p.piece !~ '^\s*[1-9][0-9]{0,6}-[1-9][0-9]{0,6}:([01](\.[0-9]{0,9})?|\.[0-9]{1,9})\s*$' LIMIT 1;
    IF bad IS NULL THEN
        RETURN QUERY
        SELECT split_part(btrim(p.piece), ':', 1), split_part(btrim(p.piece), '-', 1)::integer,
               split_part(split_part(btrim(p.piece), ':', 1), '-', 2)::integer,
               split_part(btrim(p.piece), ':', 2)::numeric
          FROM regexp_split_to_table(pool_strata.strata, ',') AS p (piece);
        WITH one AS (
            SELECT btrim(p.piece) AS piece, split_part(btrim(p.piece), '-', 1)::integer AS first_rank,
                   split_part(split_part(btrim(p.piece), ':', 1), '-', 2)::integer AS last_rank,
                   split_part(btrim(p.piece), ':', 2)::numeric AS share
              FROM regexp_split_to_table(pool_strata.strata, ',') AS p (piece))
        SELECT o.piece INTO bad
          FROM (SELECT *, lag(last_rank) OVER (ORDER BY first_rank, last_rank) AS before FROM one) o
         WHERE o.first_rank > o.last_rank OR o.share <= 0 OR o.share > 1 OR o.first_rank <= o.before LIMIT 1;
    END IF;
    IF bad IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is not a stratum of ranks, or overlaps another', bad),
            HINT = 'Write strata as 1-10:1.0,11-50:0.2, each with the share to sample, above 0 and at most 1.';
    END IF;
END
$$;
COMMENT ON FUNCTION pool_strata(text) IS
    'Parses strata of ranks such as 1-10:1.0,11-50:0.2: first rank, last rank and the share to sample';
