-- hidden_editions: hidden editions as visible to every role: name, number of score requests allowed per team, permitted
-- measures, and requests your team has left.
--
-- Values are NULL if requests are not allowed; asks_left is also NULL if the caller has no team. Reads nothing that
-- changes with the judgments of an edition.
CREATE OR REPLACE FUNCTION public.hidden_editions()
RETURNS TABLE (edition text, asks integer, measures text[], asks_left integer)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT h.edition, nullif(a.asks, 0), CASE WHEN a.asks > 0 THEN a.measures END,
           CASE WHEN a.asks > 0 AND my_team() IS NOT NULL
                THEN greatest(a.asks - coalesce((SELECT c.asked FROM ask_counts c
                                                  WHERE c.edition = h.id AND c.team = my_team()), 0), 0) END
      FROM hidden_names h LEFT JOIN ask_allowances a ON a.edition = h.id ORDER BY h.edition
$$;
COMMENT ON FUNCTION public.hidden_editions() IS
    'Hidden editions by name, score requests allowed per team, permitted measures, and requests your team has left '
    '(NULL if none are allowed)';
