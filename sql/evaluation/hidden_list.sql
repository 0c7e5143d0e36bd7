-- hidden_list: hidden editions: number, name, score requests allowed per team, and permitted measures. The last two are
-- NULL if requests are not allowed.
--
-- Safe because: it has no argument, does not depend on the caller, and reads no judgment.
CREATE OR REPLACE FUNCTION hidden_list() RETURNS TABLE (id integer, edition text, asks integer, measures text[])
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT e.id, e.edition, nullif(a.asks, 0), CASE WHEN a.asks > 0 THEN a.measures END
      FROM qrels_editions e LEFT JOIN ask_allowances a ON a.edition = e.id
     WHERE e.hidden
$$;
COMMENT ON FUNCTION hidden_list() IS
    'Hidden editions by number and name, with score requests allowed per team and permitted measures';
