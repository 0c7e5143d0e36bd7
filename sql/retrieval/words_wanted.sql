-- words_wanted: of the n words of a question, how many count, and how many of those a document must hold:
-- minimum-should-match.
--
--   n up to 4   all of them
--   more        a tenth of those that count, rounded up, but 2 at least; the 40 rarest count
--
-- Measured by nDCG@10 of boolean_search (docs/queries.md): on CACM, Cranfield and long citation contexts fewer wanted
-- words were no worse (to .001), since the score puts documents with more and rarer words first. Beyond 40 words little
-- was gained: common words cost most and say least.
CREATE OR REPLACE FUNCTION words_wanted(n integer, OUT counted integer, OUT at_least integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT least(n, 40), CASE WHEN n <= 4 THEN n ELSE greatest(2, ceil(least(n, 40) / 10.0)::integer) END;
END;
COMMENT ON FUNCTION words_wanted(integer) IS
'Of n words of a question: how many count, the rarest, and how many a document must hold';
