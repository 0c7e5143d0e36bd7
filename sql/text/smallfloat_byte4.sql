-- smallfloat_byte4: round a document length as Lucene's norm byte does: exact below 40; from there on 24 plus the four
-- leading bits of length − 24, rounded down (org.apache.lucene.util.SmallFloat.intToByte4 and back). pg_textsearch
-- stores lengths in the same way.
--
-- The computed logarithm of 2^n − 1 is never rounded up to n for an integer. That of 2^n may be slightly below n, which
-- loses a bit that is 0 anyway.
CREATE OR REPLACE FUNCTION smallfloat_byte4(length integer)
RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN length < 40 THEN length
    ELSE 24 + (((length - 24) >> (floor(log((length - 24)::double precision) / log(2::double precision))::integer - 3))
               << (floor(log((length - 24)::double precision) / log(2::double precision))::integer - 3))
END;
COMMENT ON FUNCTION smallfloat_byte4(integer) IS 'Round a document length (tokens) down as Lucene''s norm byte does';
