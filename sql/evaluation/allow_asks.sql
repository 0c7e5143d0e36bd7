-- allow_asks: lets each team ask for the means of its runs on a hidden edition so many times (ask_scores); 0 takes it back. What was
-- asked before counts. For organisers.
--
-- Each answer tells something of what is hidden, and a run can be made so that it tells what its maker wants to know: that is why asks
-- are few. measures: at most 5 whose value is a mean; counts are refused, since a sum is not rounded away.
-- Raises IR102 no such edition, IR108 no such measure, IR202 fewer than 0 asks, no or too many measures, or one that is no mean.
CREATE OR REPLACE FUNCTION allow_asks(edition text, asks integer, measures text[] DEFAULT '{ndcg_cut_10}') RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id CONSTANT integer := edition_key(allow_asks.edition);
    names text[];
    bad text;
BEGIN
    SELECT array_agg(p.measure), min(p.measure) FILTER (WHERE p.mean <> 'mean') INTO names, bad FROM parse_measures(allow_asks.measures) p;
    IF allow_asks.asks IS NULL OR allow_asks.asks < 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s asks', coalesce(allow_asks.asks::text, 'NULL')),
            HINT = 'It is 1 or more; 0 allows none.';
    ELSIF coalesce(cardinality(names), 0) NOT BETWEEN 1 AND 5 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s measures', coalesce(cardinality(names), 0)),
            HINT = 'Take 1 to 5: each tells more of what is hidden.';
    ELSIF bad IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s is not the mean over the queries', bad),
            HINT = 'Take measures like ndcg_cut_10, P_10, map, recip_rank.';
    END IF;
    INSERT INTO ask_allowances AS a (edition, asks, measures) VALUES (edition_id, allow_asks.asks, names)
    ON CONFLICT (edition) DO UPDATE SET asks = excluded.asks, measures = excluded.measures, allowed = now();
END
$$;
COMMENT ON FUNCTION allow_asks(text, integer, text[]) IS 'Lets each team ask for the means of its runs on a hidden edition so many times';
