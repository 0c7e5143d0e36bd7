-- unfinished_overview: one row per unfinished run that the role can see, with the number of queries searched so far.
CREATE OR REPLACE VIEW unfinished_overview WITH (security_invoker = true) AS
SELECT u.id, u.run, u.maker, u.params ->> 'system' AS system, (u.params ->> 'depth')::integer AS depth,
       coalesce(r.done, 0) AS done, u.queries, u.begun, greatest(u.begun, r.searched) AS searched
  FROM unfinished_runs u
  LEFT JOIN (SELECT unfinished, count(*) AS done, max(searched) AS searched FROM unfinished_rankings
              GROUP BY unfinished) r ON r.unfinished = u.id;
COMMENT ON VIEW unfinished_overview IS 'Unfinished runs with the number of queries searched so far';
