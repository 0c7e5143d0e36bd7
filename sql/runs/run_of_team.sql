-- run_of_team: trigger that assigns runs stored by participants to their own team, and refuses another team (IR410).
-- Their time is that of storing.
-- Raises IR202 if another team uses the name.
--
-- So participants import, make, fuse and rerank runs in the same way as others. The trigger does not apply to owners,
-- organisers, or roles that were granted access to the table by hand; policies cover those.
CREATE OR REPLACE FUNCTION run_of_team() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
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
            MESSAGE = format('%s has no team, and a run needs a team', current_user),
            HINT = 'The owner can assign a team: stc db user NAME --role participant --team TEAM.';
    ELSIF NEW.team IS NOT NULL AND NEW.team COLLATE "C" <> team THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410',
            MESSAGE = format('run %s names the team %L, but %s is a member of %L', NEW.run, NEW.team,
                             current_user, team),
            HINT = 'Omit the team, also in the file, to use your own, or name your own team with --team.';
    ELSIF run_taken(NEW.run) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('run %s already exists', NEW.run),
            HINT = 'Choose another --name; --replace only replaces runs of your team.';
    END IF;
    NEW.team := team;
    NEW.made := now();
    RETURN NEW;
END
$$;
COMMENT ON FUNCTION run_of_team() IS
    'Trigger: assigns a run that a participant stores to the participant''s team; refuses another team';
CREATE OR REPLACE TRIGGER st1_runs_of_team BEFORE INSERT ON st1_runs
    FOR EACH ROW EXECUTE FUNCTION run_of_team();
