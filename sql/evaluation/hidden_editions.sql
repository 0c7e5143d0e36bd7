-- hidden_editions: hidden editions as visible to every role: name, number of score requests allowed per team, permitted
-- measures, and requests your team has left.
--
-- Values are NULL if requests are not allowed; asks_left is also NULL if the caller has no team.
--
-- Safe because: it has no argument and returns only the names of hidden editions, their allowances and measures, and
-- the count of the caller's team.
CREATE OR REPLACE FUNCTION public.hidden_editions()
RETURNS TABLE (edition text, asks integer, measures text[], asks_left integer)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = stc, public, pg_temp AS $$
    SELECT e.edition, nullif(a.asks, 0), CASE WHEN a.asks > 0 THEN a.measures END,
           CASE WHEN a.asks > 0 AND my_team() IS NOT NULL
                THEN greatest(a.asks - coalesce((SELECT c.asked FROM ask_counts c
                                                  WHERE c.edition = e.id AND c.team = my_team()), 0), 0) END
      FROM qrels_editions e LEFT JOIN ask_allowances a ON a.edition = e.id
     WHERE e.hidden ORDER BY e.edition
$$;
COMMENT ON FUNCTION public.hidden_editions() IS
    'Hidden editions by name, score requests allowed per team, permitted measures, and requests your team has left '
    '(NULL if none are allowed)';
