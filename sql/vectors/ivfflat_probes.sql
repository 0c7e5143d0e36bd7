-- ivfflat_probes: lists that a search looks into: the square root of their number, rounded, but at least 10, or all
-- where they are fewer. So some 10,000 vectors are looked at in any case, which takes milliseconds; 2 of CACM's 3 lists
-- would cost its titles .014 of nDCG@10. preset published: 65, which is √(4,232,520 / 1000), at any size.
CREATE OR REPLACE FUNCTION ivfflat_probes(lists integer, preset text DEFAULT NULL)
RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN least(lists, CASE WHEN preset IS NULL THEN greatest(10, round(sqrt(lists))) ELSE 65 END)::integer;
COMMENT ON FUNCTION ivfflat_probes(integer, text) IS 'Lists of an ivfflat index that a search looks into';
