-- measure_nnrbp: NRBP divided by that of the ideal ranking.
--
--   nNRBP = NRBP / NRBP of the ideal ranking (subtopic_ideals); 0 without a relevant document
--   (Clarke, Kolla & Vechtomova, An Effectiveness Measure for Ambiguous and Underspecified Queries, ICTIR 2009; ndeval)
--
-- Equal to ndeval. Ranks are the stored ones: trec_eval's order, which ndeval uses with -traditional. pyndeval and
-- ir_measures order documents with equal scores the other way round, by ascending docno.
CREATE OR REPLACE FUNCTION measure_nnrbp(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{subtopics} u', '1 - {2}',
           'coalesce(sum(stc.fading(1 - {2}, u.k) * stc.fading({1}, u.rank))
        / (SELECT sum(i.gain * stc.fading({1}, i.rank))
             FROM unnest(s.ideal_gains_{G}) WITH ORDINALITY AS i (gain, rank)), 0)'
$$;
COMMENT ON FUNCTION measure_nnrbp(integer) IS 'Formula of nnrbp: NRBP divided by that of the ideal ranking';
