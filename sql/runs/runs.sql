-- runs: runs by name, with their origin. run_overview adds counts of their rankings.
CREATE OR REPLACE VIEW public.runs WITH (security_invoker = true) AS
SELECT n.run, n.team, n.tag, n.family, n.manual, n.shared, plain_metadata(n.params) AS params, n.source, n.made
  FROM st1_runs n;
COMMENT ON VIEW public.runs IS 'Runs by name, with team, family and how they were made';
COMMENT ON COLUMN public.runs.run IS 'name of the run';
COMMENT ON COLUMN public.runs.team IS 'team that submitted it; NULL for runs of the organisers';
COMMENT ON COLUMN public.runs.tag IS 'tag in the run file';
COMMENT ON COLUMN public.runs.family IS 'kind of system; NULL if unknown';
COMMENT ON COLUMN public.runs.manual IS 'true if the run was made with human intervention';
COMMENT ON COLUMN public.runs.shared IS 'true if the run is visible to all teams';
COMMENT ON COLUMN public.runs.params IS 'parameters of the system';
COMMENT ON COLUMN public.runs.source IS 'file it was imported from; NULL if it was made in this collection';
COMMENT ON COLUMN public.runs.made IS 'when it was stored';
