-- allow_asks: lets each team ask for the means of its runs on a hidden edition so many times (ask_scores); 0 takes it
-- back. What was asked before counts. For organisers.
--
-- Each result reveals something about the hidden judgments, and a run can be made to reveal what its maker wants to
-- know; so requests are few, and the measures are those of ask_measures.
-- Raises IR102 no such edition, IR108 no such measure, IR202 fewer than 0 asks, no or too many measures, or one that is
-- not permitted.
CREATE OR REPLACE FUNCTION allow_asks(edition text, asks integer, measures text[] DEFAULT '{ndcg_cut_10}') RETURNS void
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id CONSTANT integer := edition_key(allow_asks.edition);
    names text[];
BEGIN
    IF allow_asks.asks IS NULL OR allow_asks.asks < 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s asks', coalesce(allow_asks.asks::text, 'NULL')),
            HINT = 'It is 1 or more; 0 allows none.';
    END IF;
    names := ARRAY(SELECT m.measure FROM ask_measures(allow_asks.measures) m);
    INSERT INTO ask_allowances AS a (edition, asks, measures) VALUES (edition_id, allow_asks.asks, names)
    ON CONFLICT (edition) DO UPDATE SET asks = excluded.asks, measures = excluded.measures, allowed = now();
END
$$;
COMMENT ON FUNCTION allow_asks(text, integer, text[]) IS
'Lets each team ask for the means of its runs on a hidden edition so many times';
