-- bm25_bound: an upper bound of the score of a document in the whole collection, from its score in the BM25 index of
-- its shard (bm25_on_shards has the proof).
--
-- A score is the sum of weight · f over the words, in the shard's index at least the sum of cost · f, with f from 0 to
-- 1. The largest sum of weight · f that a sum of cost · f of at most `local` allows takes the words in the order of
-- weight / cost, each as far as possible (the fractional knapsack; Dantzig, Operations Research 5(2), 1957). weights
-- and costs are in this order. 1e-5: scores are in single precision.
CREATE OR REPLACE FUNCTION bm25_bound(local double precision, weights double precision[], costs double precision[])
RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    rest double precision := bm25_bound.local * (1 + 1e-5);
    total double precision := 0;
BEGIN
    FOR i IN 1 .. cardinality(weights) LOOP
        IF rest <= costs[i] THEN
            RETURN (total + rest * weights[i] / costs[i]) * (1 + 1e-5);
        END IF;
        total := total + weights[i];
        rest := rest - costs[i];
    END LOOP;
    RETURN total * (1 + 1e-5);
END
$$;
COMMENT ON FUNCTION bm25_bound(double precision, double precision[], double precision[]) IS
'Upper bound of a document''s score in the whole collection, from its score in the BM25 index of its shard';
