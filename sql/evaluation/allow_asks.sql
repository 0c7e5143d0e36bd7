-- allow_asks: set the number of score requests that each team may make on a hidden edition (ask_scores); 0 forbids
-- requests. For organisers.
--
-- Requests made earlier count towards the limit. Each result reveals something about the hidden judgments, and a
-- participant can build a run to learn about particular judgments. So requests are limited in number and in measures
-- (ask_measures).
-- Raises IR102 no such edition, IR108 no such measure, IR202 a negative number, no measure, more than two, or one that
-- is not permitted.
CREATE OR REPLACE FUNCTION allow_asks(edition text, asks integer, measures text[] DEFAULT '{ndcg_cut_10}') RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id CONSTANT integer := edition_key(allow_asks.edition);
    names text[];
BEGIN
    IF allow_asks.asks IS NULL OR allow_asks.asks < 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the number of score requests is %s', coalesce(allow_asks.asks::text, 'NULL')),
            HINT = 'Give the number of requests per team, 0 or more; 0 forbids requests.';
    END IF;
    names := ARRAY(SELECT m.measure FROM ask_measures(allow_asks.measures) m);
    INSERT INTO ask_allowances AS a (edition, asks, measures) VALUES (edition_id, allow_asks.asks, names)
    ON CONFLICT (edition) DO UPDATE SET asks = excluded.asks, measures = excluded.measures, allowed = now();
END
$$;
COMMENT ON FUNCTION allow_asks(text, integer, text[]) IS
    'Sets how many score requests (means of its runs) each team may make on a hidden edition; 0 forbids them';
