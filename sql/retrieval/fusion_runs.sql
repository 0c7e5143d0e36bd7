-- fusion_runs: the keys of stored runs in the order of their names, for fusing them.
-- Raises IR101 no such run, IR202 no runs or one named twice.
CREATE OR REPLACE FUNCTION fusion_runs(runs text[])
RETURNS integer[]
LANGUAGE plpgsql STABLE
SET search_path = public, pg_temp
AS $$
DECLARE
    bad text;
BEGIN
    SELECT u.name INTO bad FROM unnest(fusion_runs.runs) u (name)
     WHERE NOT EXISTS (SELECT FROM st1_runs r WHERE r.run = u.name COLLATE "C") LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR101', MESSAGE = format('there is no run %L', bad), HINT = concat(
            'Did you mean ' || quote_literal(nearest_name(bad, ARRAY(SELECT r.run FROM st1_runs r))) || '? ',
            '''stc runs list'' shows those there are.');
    END IF;
    SELECT u.name INTO bad FROM unnest(fusion_runs.runs) u (name) GROUP BY u.name COLLATE "C", u.name HAVING count(*) > 1 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('the run %s is named twice', bad),
            HINT = 'Each run once; a weight makes one count for more.';
    ELSIF coalesce(cardinality(fusion_runs.runs), 0) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'no runs to fuse', HINT = 'Name stored ones; ''stc runs list'' shows them.';
    END IF;
    RETURN ARRAY(SELECT r.id FROM unnest(fusion_runs.runs) WITH ORDINALITY u (name, place) JOIN st1_runs r ON r.run = u.name COLLATE "C"
                  ORDER BY u.place);
END
$$;
COMMENT ON FUNCTION fusion_runs(text[]) IS 'The keys of stored runs in the order of their names; checks them';
