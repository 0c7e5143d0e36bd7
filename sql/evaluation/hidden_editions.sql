-- hidden_editions: the hidden editions as everybody may know them: their names, how often a team may ask for means of
-- its runs there and by which measures, and how often one's own team still may. NULL where nobody may ask, or who calls
-- is of no team.
--
-- Safe because: it has no argument and returns of hidden editions the name, the allowance, its measures and the team's
-- own count alone.
CREATE OR REPLACE FUNCTION public.hidden_editions()
RETURNS TABLE (edition text, asks integer, measures text[], asks_left integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = stc, public, pg_temp AS $$
    SELECT e.edition, nullif(a.asks, 0), CASE WHEN a.asks > 0 THEN a.measures END,
           CASE WHEN a.asks > 0 AND my_team() IS NOT NULL
                THEN greatest(a.asks - coalesce((SELECT c.asked FROM ask_counts c
                                                  WHERE c.edition = e.id AND c.team = my_team()), 0), 0) END
      FROM qrels_editions e LEFT JOIN ask_allowances a ON a.edition = e.id
     WHERE e.hidden ORDER BY e.edition
$$;
COMMENT ON FUNCTION public.hidden_editions() IS
'The hidden editions by name, and how often one may ask for means of runs there';
