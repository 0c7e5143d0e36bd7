-- unfinished_overview: one row per unfinished run that the role can see, with the number of queries searched so far.
-- Members insert params, so the view reads any: an unusual depth is 0.
CREATE OR REPLACE VIEW unfinished_overview WITH (security_invoker = true) AS
SELECT u.id, u.run, u.maker, coalesce(u.params ->> 'system', '') AS system,
       CASE WHEN u.params ->> 'depth' ~ '^[0-9]{1,9}$' THEN (u.params ->> 'depth')::integer ELSE 0 END AS depth,
       coalesce(r.done, 0) AS done, u.queries, u.begun, greatest(u.begun, r.searched) AS searched
  FROM unfinished_runs u
  LEFT JOIN (SELECT unfinished, count(*) AS done, max(searched) AS searched FROM unfinished_rankings
              GROUP BY unfinished) r ON r.unfinished = u.id;
COMMENT ON VIEW unfinished_overview IS 'Unfinished runs with the number of queries searched so far';
