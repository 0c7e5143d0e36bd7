-- run_keys: keys of runs by their names, in the order of the names; for an empty array, keys of all runs ordered by
-- name.
--
-- Raises IR101 no such run, and suggests the nearest name, or says that an edition has the name.
CREATE OR REPLACE FUNCTION run_keys(runs text[]) RETURNS integer[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    bad record;
BEGIN
    IF coalesce(cardinality(run_keys.runs), 0) = 0 THEN
        RETURN ARRAY(SELECT n.id FROM st1_runs n ORDER BY n.run);
    END IF;
    SELECT u.name INTO bad FROM unnest(run_keys.runs) AS u (name)
     WHERE NOT EXISTS (SELECT FROM st1_runs n WHERE n.run = u.name COLLATE "C") LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR101', MESSAGE = format('there is no run %L', bad.name), HINT = concat(
            (SELECT 'It is the name of an edition. ' FROM qrels_editions e WHERE e.edition = bad.name COLLATE "C"),
            'Did you mean ' || quote_literal(nearest_name(bad.name, ARRAY(SELECT n.run FROM st1_runs n))) || '? ',
            '''stc show runs'' lists all runs.');
    END IF;
    RETURN ARRAY(SELECT n.id FROM unnest(run_keys.runs) WITH ORDINALITY AS u (name, place)
                   JOIN st1_runs n ON n.run = u.name COLLATE "C"
                  GROUP BY n.id ORDER BY min(u.place));
END
$$;
COMMENT ON FUNCTION run_keys(text[]) IS
    'The keys of runs by their names, in the order of the names; an empty array means all runs';
