-- pool_runs: the runs a pool is made of, with their teams; all stored runs if none is named. A run without team is a team of its own,
-- shown as its name in brackets.
-- Raises IR101 no such run, IR405 no run is stored.
CREATE OR REPLACE FUNCTION pool_runs(runs text[]) RETURNS TABLE (id integer, run text, team text)
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    bad record;
BEGIN
    SELECT u.name INTO bad FROM unnest(pool_runs.runs) AS u (name)
     WHERE NOT EXISTS (SELECT FROM st1_runs n WHERE n.run = u.name COLLATE "C") LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR101', MESSAGE = format('there is no run %L', bad.name), HINT = concat(
            'Did you mean ' || quote_literal(nearest_name(bad.name, ARRAY(SELECT n.run FROM st1_runs n))) || '? ',
            '''stc runs list'' shows those there are.');
    ELSIF NOT EXISTS (SELECT FROM st1_runs) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'there is no run to pool', HINT = 'stc runs import, or stc retrieval run.';
    END IF;
    RETURN QUERY
    SELECT n.id, n.run, coalesce(nullif(btrim(n.team), ''), '(' || n.run || ')')
      FROM st1_runs n
     WHERE coalesce(cardinality(pool_runs.runs), 0) = 0 OR n.run = ANY (pool_runs.runs COLLATE "C");
END
$$;
COMMENT ON FUNCTION pool_runs(text[]) IS 'The runs a pool is made of, with their teams; all if none is named';
