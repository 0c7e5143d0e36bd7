-- run_keys: st1_runs.id of the runs named, of all runs if none is named.
-- Raises IR101 for a run that is not stored.
CREATE OR REPLACE FUNCTION run_keys(runs text[]) RETURNS integer[]
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
    names text[] := ARRAY(SELECT n.run FROM st1_runs n);
    unknown text := (SELECT u.name FROM unnest(run_keys.runs) AS u(name) WHERE (u.name COLLATE "C" = ANY (names)) IS NOT TRUE LIMIT 1);
BEGIN
    IF EXISTS (SELECT FROM unnest(run_keys.runs) AS u(name) WHERE (u.name COLLATE "C" = ANY (names)) IS NOT TRUE) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR101', MESSAGE = format('there is no run %L', unknown),
            HINT = concat('Did you mean ' || quote_literal(nearest_name(unknown, names)) || '? ', '''stc runs list'' shows those there are.');
    END IF;
    RETURN ARRAY(SELECT n.id FROM st1_runs n
                  WHERE coalesce(cardinality(run_keys.runs), 0) = 0 OR n.run = ANY (run_keys.runs COLLATE "C") ORDER BY n.id);
END
$$;
COMMENT ON FUNCTION run_keys(text[]) IS 'st1_runs.id of the runs named, of all if none is named';
