-- smallfloat_byte4: a document length as Lucene's norm byte keeps it: exact below 40, beyond that 24 plus the four
-- leading bits of length − 24, rounded down (org.apache.lucene.util.SmallFloat.intToByte4, and back). pg_textsearch
-- keeps lengths in the same way.
--
-- The logarithm of 2^n − 1 is never rounded up to n for an integer; that of 2^n may come out below n, which costs a bit
-- that is 0.
CREATE OR REPLACE FUNCTION smallfloat_byte4(length integer)
RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN length < 40 THEN length
    ELSE 24 + (((length - 24) >> (floor(log((length - 24)::double precision) / log(2::double precision))::integer - 3))
               << (floor(log((length - 24)::double precision) / log(2::double precision))::integer - 3))
END;
COMMENT ON FUNCTION smallfloat_byte4(integer) IS 'A document length rounded down as Lucene''s norm byte does';
