-- words_wanted: minimum-should-match for a question of n words: how many of them count, and how many of those a
-- document must contain.
--
--   n up to 4   all of them
--   more        the 40 rarest count; a document must contain a tenth of those, rounded up, but at least 2
--
-- Measured by nDCG@10 of boolean_search (docs/howto/search.md): on CACM, Cranfield and long citation contexts,
-- requiring fewer words was no worse (to .001), because the score puts documents with more and rarer words first. More
-- than 40 words gained little: common words cost most and add least.
CREATE OR REPLACE FUNCTION words_wanted(n integer, OUT counted integer, OUT at_least integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT least(n, 40), CASE WHEN n <= 4 THEN n ELSE greatest(2, ceil(least(n, 40) / 10.0)::integer) END;
END;
COMMENT ON FUNCTION words_wanted(integer) IS
'For a question of n words: how many count (the rarest), and how many of those a document must contain';
