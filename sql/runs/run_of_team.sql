-- run_of_team: a run that a participant stores is of the own team: fills it in, and refuses another one with IR410. So
-- runs are imported, made, fused and reranked by them as by everybody. Its time is that of storing it. Raises IR202 for
-- a name that another team has taken.
--
-- Owners and organisers are not held to it, nor is who was granted the table by hand: policies are there for those.
CREATE OR REPLACE FUNCTION run_of_team() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
DECLARE
    team text;
BEGIN
    IF NOT row_security_active('st1_runs') OR pg_has_role(to_regrole('stc_organiser'), 'USAGE')
       OR NOT pg_has_role(to_regrole('stc_participant'), 'USAGE') THEN
        RETURN NEW;
    END IF;
    team := my_team();
    IF team IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410',
            MESSAGE = format('%s is of no team, and a run is of one', current_user),
            HINT = 'The owner says which: stc db user add NAME --role participant --team TEAM.';
    ELSIF NEW.team IS NOT NULL AND NEW.team COLLATE "C" <> team THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410',
            MESSAGE = format('the run %s would be of the team %L, and %s is of %L', NEW.run, NEW.team,
                             current_user, team),
            HINT = 'Leave the team out, of the file too: it is your own then; or say --team with your own.';
    ELSIF run_taken(NEW.run) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('there is a run %s already', NEW.run),
            HINT = 'Take another --name; --replace is for runs of your team.';
    END IF;
    NEW.team := team;
    NEW.made := now();
    RETURN NEW;
END
$$;
COMMENT ON FUNCTION run_of_team() IS 'Trigger: a run that a participant stores is of the own team';
CREATE OR REPLACE TRIGGER st1_runs_of_team BEFORE INSERT ON st1_runs
    FOR EACH ROW EXECUTE FUNCTION run_of_team();
