-- utc_time: a time in UTC as ISO 8601 with microseconds: 2026-01-31T12:00:00.000000+00:00.
CREATE OR REPLACE FUNCTION utc_time(moment timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')
$$;
COMMENT ON FUNCTION utc_time(timestamptz) IS 'A time in UTC as ISO 8601 with microseconds';
