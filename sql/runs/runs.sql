-- runs: the runs by name, with where they come from. run_overview counts what each ranks.
CREATE OR REPLACE VIEW public.runs WITH (security_invoker = true) AS
SELECT n.run, n.team, n.tag, n.family, n.manual, n.shared, n.params, n.source, n.made
  FROM st1_runs n;
COMMENT ON VIEW public.runs IS 'The runs by name, with team, family and how they were made';
COMMENT ON COLUMN public.runs.run IS 'name of the run';
COMMENT ON COLUMN public.runs.team IS 'team that submitted it; NULL for runs of the organisers';
COMMENT ON COLUMN public.runs.tag IS 'tag in the run file';
COMMENT ON COLUMN public.runs.family IS 'kind of system';
COMMENT ON COLUMN public.runs.manual IS 'made with human intervention';
COMMENT ON COLUMN public.runs.shared IS 'visible to all teams';
COMMENT ON COLUMN public.runs.params IS 'parameters of the system';
COMMENT ON COLUMN public.runs.source IS 'file it was imported from';
COMMENT ON COLUMN public.runs.made IS 'when it was stored';
