-- ivfflat_probes: the number of lists that a search scans: the square root of their number, rounded, but at least 10,
-- or all if there are fewer.
--
-- A search thus always scans some 10,000 vectors, which takes milliseconds. Scanning 2 of CACM's 3 lists would cost its
-- titles .014 of nDCG@10. preset published: 65 at any size, which is √(4,232,520 / 1000).
CREATE OR REPLACE FUNCTION ivfflat_probes(lists integer, preset text DEFAULT NULL)
RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN least(lists, CASE WHEN preset IS NULL THEN greatest(10, round(sqrt(lists))) ELSE 65 END)::integer;
COMMENT ON FUNCTION ivfflat_probes(integer, text) IS 'Number of lists of an ivfflat index that a search scans';
